"""How long past tests were, and how noisy one of their samples is."""

import numpy as np
import pytest

from dwell.history.reading.blocks import PeriodBlock, SampleBlock
from dwell.history.replay.survey import Survey
from tests.refusals import refused


def test_a_survey_pools_noise_around_each_mean() -> None:
    """How samples are spread within tests, whatever the tests' own means are."""
    samples = np.array([1.0, 3.0, 101.0, 102.0, 103.0])
    tests = Survey.of(SampleBlock(("a", "b"), np.array([2, 3]), samples))
    assert tests.longest == 2
    assert tests.sd == pytest.approx(np.sqrt((2.0 + 2.0) / 3.0))
    days = Survey.of(
        PeriodBlock(("a",), np.array([2]), np.array([3, 5]), np.zeros(2), np.array([1.0, 9.0]))
    )
    assert days.longest == 3
    assert days.sd == pytest.approx(np.sqrt(48.0 / 8.0))
    with refused("differ", "2 tests", "give policies"):
        _ = Survey.of(SampleBlock(("a", "b"), np.array([2, 2]), np.ones(4))).sd


def test_samples_that_cannot_be_squared_are_refused_as_such() -> None:
    """From samples and from periods, also where they are infinite."""
    for large in (1e200, np.inf):
        samples = np.array([large, -1.0, large, 1.0])
        with refused("squared", "larger units"):
            _ = Survey.of(SampleBlock(("a", "b"), np.array([2, 2]), samples)).sd
    counts, variances = np.array([3, 5]), np.array([1e308, 1e308])
    with refused("squared", "larger units"):
        _ = Survey.of(PeriodBlock(("a",), np.array([2]), counts, np.zeros(2), variances)).sd
