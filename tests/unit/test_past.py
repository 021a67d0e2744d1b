"""The past: effects of earlier tests from a table, and the prior that fits them."""

from math import sqrt
from typing import Any

import numpy as np
import pytest

from dwell.planning import PastTests, fitted
from tests.refusals import refused

COUNTS = "test, n_c ,x_c,n_t,x_t\nblue,100,10,200,30\n\nred,100,5,50,1\n"


def test_the_past_is_read_from_counts() -> None:
    """Other columns and empty lines are passed over; the base rate gives the noise."""
    past = PastTests.from_csv("\ufeff" + COUNTS, "past.csv")
    assert past.effects == pytest.approx([0.05, -0.03])
    assert past.sd == pytest.approx(sqrt(2 * 0.075 * 0.925))


def test_the_past_is_read_from_effects() -> None:
    """They do not say how noisy one sample is."""
    past = PastTests.from_csv("standard_error,effect\n0.1,-2\n0.2,3\n", "past.csv")
    assert past.effects.tolist() == [-2, 3]
    assert past.standard_errors.tolist() == [0.1, 0.2]
    assert past.sd is None


def test_where_nobody_ever_converted_the_noise_is_not_known() -> None:
    """A noise of 0 would be no law."""
    assert PastTests.from_csv("n_c,x_c,n_t,x_t\n10,0,10,1\n10,0,10,0", "past.csv").sd is None


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("", ["past.csv", "effect, standard_error or n_c"]),
        ("effect\n1", ["past.csv", "effect, standard_error"]),
        ("effect,standard_error\n", ["past.csv", "none"]),
        ("effect,standard_error\n1,1\n2", ["standard_error", "row 2", "''"]),
        ("effect,standard_error\n1,1\n,1", ["effect", "row 2", "''"]),
        ("effect,standard_error\nnan,1\n1,1", ["effect", "row 1", "'nan'"]),
        ("effect,standard_error\n1,1\n1,1\n1,inf", ["standard_error", "row 3", "'inf'"]),
        ("n_c,x_c,n_t,x_t\n10,1,10,many", ["x_t", "row 1", "'many'"]),
        ("n_c,x_c,n_t,x_t\n10,1,10,1\n10,11,10,1", ["control_conversions", "11", "test 2"]),
        ("effect,standard_error\n1," + "1" * 200_000, ["past.csv", "CSV"]),
    ],
)
def test_a_dirty_past_is_refused_with_its_row(text: str, named: list[str]) -> None:
    """In one sentence."""
    with refused(*named):
        PastTests.from_csv(text, "past.csv")


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
