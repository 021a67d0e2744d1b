"""Numbers of any size, and things that are no numbers: a right figure or one sentence."""

import warnings
from collections.abc import Callable
from contextlib import suppress
from math import pi, sqrt
from typing import Any

import numpy as np
import pytest

import dwell
from dwell import (
    Atoms,
    Beta,
    Countable,
    Gaussian,
    Ladder,
    Normal,
    Policy,
    Signs,
    Terms,
    World,
    best_of,
    exact,
    fixed,
    hoeffding,
    oracle,
    plan,
    simulate,
)
from dwell.errors import InvalidInput, NothingWorthTesting, UncertainPrior
from dwell.priors import Prior
from tests.refusals import refused

SMALL, LARGE = 1e-30, 1e30
POLICIES = hoeffding([4, 8], c=0.3, tasks=1000, delta=0.05)
WORLD = World(Atoms([-1, 1]), Signs())


@pytest.mark.parametrize(
    ("made", "named"),
    [
        (lambda: Normal(0, 1e-300), "sd of Normal(mean, sd) must lie between 1e-30 and 1e30"),
        (lambda: Normal(0, 1e200), "got 1e+200"),
        (lambda: Normal(1e300, 1), "mean of Normal(mean, sd) must lie between -1e30 and 1e30"),
        (lambda: Atoms([0, -1e300]), "got -1e+300"),
        (lambda: Beta(1e-300, 1), "a of Beta(a, b)"),
        (lambda: Beta(1, 1e300), "b of Beta(a, b)"),
        (lambda: Gaussian(1e300), "sd of Gaussian(sd)"),
        (lambda: dwell.fit_prior([0, 1e300], [1, 1]), "got 1e+300 in test 2"),
        (lambda: dwell.fit_prior([0, 1], [1, 1e300]), "got 1e+300 in test 2"),
        (lambda: dwell.fit_prior([0, 1], [1e-300, 1]), "got 1e-300 in test 1"),
    ],
)
def test_numbers_that_cannot_be_squared_are_refused(made: Callable[[], Any], named: str) -> None:
    """In one sentence, with the value and the way out."""
    with refused(named, "choose another unit"):
        made()


@pytest.mark.parametrize(
    "prior",
    [
        *(Normal(mean, sd) for mean in (0, LARGE, -LARGE) for sd in (SMALL, 1, LARGE)),
        Atoms([-LARGE, LARGE]),
        Atoms([-1e-300, 1e-300]),
        Atoms([-1, 1], [0, 1]),
    ],
    ids=str,
)
@pytest.mark.parametrize("sd", [SMALL, 1, LARGE])
def test_numbers_at_the_limits_give_figures_or_a_sentence(prior: Prior, sd: float) -> None:
    """Neither a warning of NumPy's nor anything that is not a number."""
    world = World(prior, Gaussian(sd))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        table = exact([fixed(1), fixed(9), Policy([-sd] * 9 + [0], [sd] * 9 + [0])], world)
        assert np.isfinite(table.roi).all()
        assert (table.accept_rate >= 0).all()
        assert (table.accept_rate <= 1 + 1e-9).all()
        # Other errors than these two, and warnings, would end the test.
        with suppress(NothingWorthTesting, InvalidInput):
            assert np.isfinite(oracle(world, 8).roi)
        with suppress(NothingWorthTesting, InvalidInput):
            assert np.isfinite(plan(Terms(world=world, max_days=3)).best.roi)


@pytest.mark.parametrize("sd", [SMALL, 1.0, LARGE])
def test_units_change_nothing(sd: float) -> None:
    """A world in other units earns as much in them."""
    policy = Policy([-sd, -sd, 0.0], [sd, 2 * sd, 0.0])
    found = exact(policy, World(Normal(-0.2 * sd, sd), Gaussian(sd)))
    plain = exact(Policy([-1, -1, 0], [1, 2, 0]), World(Normal(-0.2, 1), Gaussian(1)))
    assert found.reward[0] == pytest.approx(plain.reward[0] * sd, rel=1e-12)
    best = oracle(World(Normal(-0.2 * sd, sd), Gaussian(sd)), 8, 1.0)
    assert best.roi == pytest.approx(
        oracle(World(Normal(-0.2, 1), Gaussian(1)), 8, 1.0).roi * sd, rel=1e-9
    )
    wide = exact(fixed(4), World(Normal(0, sd), Gaussian(SMALL)))
    assert wide.reward[0] == pytest.approx(
        4 * sd**2 / sqrt(4 * SMALL**2 + 16 * sd**2) / sqrt(2 * pi)
    )


def test_effects_of_any_size_within_the_limits_are_fitted() -> None:
    """Without a warning but that there are few."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", UncertainPrior)
        for unit in (1e-19, 1.0, 1e19):
            found = dwell.fit_prior(np.array([-1.0, 0.0, 1.0, 2.0]) * unit, np.full(4, 0.5 * unit))
            assert found.sd == pytest.approx(unit, rel=1e-3)
        assert np.isfinite(dwell.fit_prior([1e20, -1e20, 1], [1e-20, 1, 1e20]).sd)


@pytest.mark.parametrize(
    ("call", "named"),
    [
        (lambda: simulate(None, WORLD, tasks=9), "learner must be a Learner"),  # type: ignore[arg-type]
        (lambda: simulate(Ladder(POLICIES, delta=0.05), None, tasks=9), "world must be a World"),  # type: ignore[arg-type]
        (lambda: exact(POLICIES, None), "world must be a World"),  # type: ignore[arg-type]
        (lambda: exact(POLICIES, WORLD).profile(2), "index must be a whole number below 2"),
        (lambda: oracle(None, 5), "world must be a World"),  # type: ignore[arg-type]
        (lambda: best_of(None, WORLD), "family must be a Countable"),  # type: ignore[arg-type]
        (
            lambda: best_of(Countable(c=0.3, tasks=9, delta=0.05), None),  # type: ignore[arg-type]
            "world must be a World",
        ),
        (lambda: plan(None), "terms must be Terms"),  # type: ignore[arg-type]
        (lambda: plan(Terms(world=World(Normal(0, 1), Gaussian(1))), None), "rules must be"),  # type: ignore[arg-type]
        (lambda: Terms(world=None), "world must be a World"),  # type: ignore[arg-type]
        (lambda: Atoms(None), "values of Atoms must be a list"),  # type: ignore[arg-type]
        (lambda: Atoms([1], 3), "weights of Atoms must be a list"),  # type: ignore[arg-type]
    ],
)
def test_what_is_no_world_no_learner_and_no_terms_is_refused(
    call: Callable[[], Any], named: str
) -> None:
    """In one sentence that says what was wanted and what was given."""
    with refused(named, "got"):
        call()
