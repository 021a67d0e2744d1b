"""Lifts from counts: rates, errors that luck has no part in, and refusals."""

from math import inf, nan
from typing import Any

import numpy as np
import pytest

from dwell import InvalidInput
from dwell.fitting import effects_from_counts, fit_prior
from tests.refusals import refused


def test_lifts_are_differences_of_rates_with_the_usual_error() -> None:
    """Of a test on its own, it is the unbiased one; base rates are pooled over controls."""
    alone = effects_from_counts([1000], [100], [2000], [300])
    plain = np.sqrt(0.1 * 0.9 / 999 + 0.15 * 0.85 / 1999)
    assert alone.standard_errors.tolist() == pytest.approx([plain])
    found = effects_from_counts([1000, 3000], [100, 60], [2000, 500], [300, 0])
    assert found.effects.tolist() == pytest.approx([0.05, -0.02])
    assert found.base_rate == 160 / 4000


def test_tests_of_one_size_have_one_error_and_on_average_their_own() -> None:
    """Whatever their lifts are; with sizes that differ, in the weights that the fit gives them."""
    rng = np.random.default_rng(5)
    users = rng.choice([300, 3000], (2, 500))
    rates = rng.uniform(0.01, 0.05, 500) * (300 / users[0]) ** 0.5
    treated = np.maximum(rates + rng.normal(0, 0.005, 500), 0)
    counts = rng.binomial(users, [rates, treated])
    lifts = effects_from_counts(users[0], counts[0], users[1], counts[1])
    for size in np.unique(users, axis=1).T:
        assert np.ptp(lifts.standard_errors[(size == users.T).all(axis=1)]) == 0.0
    own = (counts / users * (1 - counts / users) / (users - 1)).sum(axis=0)
    found = fit_prior(lifts.effects, lifts.standard_errors)
    weights = (found.sd**2 + lifts.standard_errors**2) ** -2.0
    assert weights @ lifts.standard_errors**2 == pytest.approx(weights @ own, rel=1e-3)


def test_arms_in_which_nobody_or_everybody_converts_have_an_error() -> None:
    """So that a prior can be fitted."""
    found = effects_from_counts([50, 50], [0, 50], [50, 50], [0, 50])
    assert found.effects.tolist() == [0.0, 0.0]
    assert (found.standard_errors > 0.0).all()


@pytest.mark.parametrize(
    ("change", "named"),
    [
        *(({0: [bad, 9]}, ("control_users", bad, 1)) for bad in (0, -1, 1.5, nan, inf)),
        *(({2: [9, bad]}, ("treatment_users", bad, 2)) for bad in (0, nan)),
        *(({1: [bad, 1]}, ("control_conversions", bad, 1)) for bad in (-1, 10, 0.5, nan)),
        *(({3: [1, bad]}, ("treatment_conversions", bad, 2)) for bad in (-1, 10)),
        ({1: [1]}, ("2 control_users", "1 control_conversions")),
        ({2: [9], 3: [1]}, ("2 control_users", "1 treatment_users")),
        ({0: [], 1: [], 2: [], 3: []}, ("at least one test",)),
        ({0: "many"}, ("control_users", "many")),
    ],
)
def test_counts_that_cannot_be_are_refused(change: Any, named: tuple[object, ...]) -> None:
    """The column is named, the value, and the test."""
    good: list[Any] = [[9, 9], [1, 1], [9, 9], [1, 1]]
    with refused(*named, kind=InvalidInput):
        effects_from_counts(*(change.get(place, column) for place, column in enumerate(good)))
