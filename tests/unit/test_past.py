"""The past: effects of earlier tests, and the prior that fits them."""

from math import sqrt
from typing import Any

import numpy as np
import pytest

from dwell.planning import PastTests, fitted


def past_of(effects: Any, error: float) -> PastTests:
    """Effects with equal errors."""
    return PastTests(np.asarray(effects), np.full(len(effects), error), None)


def test_a_fitted_prior_predicts_the_effects_that_were_measured() -> None:
    """Both fits have densities that integrate to 1, with the noise in them."""
    rng = np.random.default_rng(3)
    found = fitted(past_of(rng.normal(0.5, sqrt(5), 500), 1.0), "npmle")
    assert found.prior is found.found.npmle
    grid = np.linspace(-15, 15, 3001)
    for density in (found.density("normal", grid), found.density("npmle", grid)):
        assert density.sum() * 0.01 == pytest.approx(1.0, abs=1e-3)
        assert (density * grid).sum() * 0.01 == pytest.approx(found.past.effects.mean(), abs=0.1)


def test_what_is_doubtful_about_a_fit_is_noted() -> None:
    """Too few tests, and effects that are not normal."""
    assert "3 tests say little" in fitted(past_of([0.0, 1.0, 2.0], 0.1)).notes[0]
    two = past_of(np.repeat([-1.0, 1.0], 100), 0.1)
    assert "not quite normal" in fitted(two).notes[0]
    assert fitted(two, "npmle").notes == ()
