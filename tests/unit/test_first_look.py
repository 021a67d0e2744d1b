"""The best policy with a minimum run: it does not look before."""

from math import inf

import numpy as np
import pytest

from dwell import Atoms, Gaussian, Normal, Signs, World, exact, oracle
from tests.refusals import refused

WORLD = World(Normal(-0.5, 1), Gaussian(4))


def test_nobody_looks_before_the_first_look() -> None:
    """Before it there are no boundaries, and then there are some after each sample."""
    policy = oracle(WORLD, 40, 5, first=7).policy
    assert np.isinf(policy.upper[:6]).all()
    assert np.isinf(policy.lower[:6]).all()
    assert np.isfinite(policy.upper[6:]).all()


def test_the_first_look_is_one_of_every() -> None:
    """With looks after every 5 samples, the first at 7 or later is at 10."""
    policy = oracle(WORLD, 40, 5, every=5, first=7).policy
    assert (1 + np.flatnonzero(np.isfinite(policy.upper))).tolist() == [10, 15, 20, 25, 30, 35, 40]


def test_the_later_the_first_look_the_less_is_earned() -> None:
    """And at the cap it is one look, which is worth what the mean of the value is if positive."""
    found = [oracle(WORLD, 16, 5, first=first).roi for first in (1, 4, 8, 16)]
    assert found == sorted(found, reverse=True)
    last = oracle(WORLD, 16, 5, first=16).policy
    assert np.isinf(last.upper[:-1]).all()
    # The mean given the sum is (sum - 0.5 * 16) / (16 + 16).
    assert last.upper[-1] == pytest.approx(8.0)


@pytest.mark.parametrize("prior", [Normal(-0.5, 1), Atoms([-1, 0.5, 2], [0.6, 0.3, 0.1])], ids=str)
def test_no_boundary_that_is_moved_a_little_does_better(
    prior: Normal | Atoms,
) -> None:
    """Up or down, at any look that is allowed."""
    world = World(prior, Gaussian(4))
    best = oracle(world, 8, 5, first=3)
    for look in range(2, 8):
        for side, step in ((0, 0.1), (0, -0.1), (1, 0.1), (1, -0.1)):
            moved = best.policy.lower.copy(), best.policy.upper.copy()
            moved[side][look] += step
            if look == 7 or moved[0][look] > moved[1][look]:
                moved[1 - side][look] = moved[side][look]
            other = type(best.policy)(*moved)
            assert exact(other, world, 5).roi[0] <= best.roi * (1 + 1e-9)


@pytest.mark.parametrize("bad", [0, -1, 1.5, inf, "x"])
def test_a_first_look_is_a_whole_number(bad: object) -> None:
    """At least 1."""
    with refused("first", bad):
        oracle(WORLD, 5, first=bad)  # type: ignore[arg-type]


def test_a_first_look_is_no_later_than_the_cap() -> None:
    """And there is one under Gaussian only."""
    with refused("first", "cap, 5", "6"):
        oracle(WORLD, 5, first=6)
    with refused("first", "2", "Signs"):
        oracle(World(Atoms([-1, 1]), Signs()), 5, first=2)
