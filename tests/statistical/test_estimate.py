"""What intervals at all n promise with probability 1 - alpha, each over 2,000 drawn streams.

A check counts the streams in which any interval misses, and fails if the share's lower
Clopper-Pearson end of 99.9 % is above alpha. Were the probability of a miss exactly alpha, a check
would fail for 0.1 % of all seeds; it is lower.
"""

from collections.abc import Callable
from itertools import permutations
from typing import Any

import numpy as np
import pytest
from scipy import special

from dwell import Atoms, Signs, World, exact, fixed, hoeffding
from dwell.arrays import BoolArray, FloatArray
from dwell.estimate import Intervals, betting, difference, empirical_bernstein, normal, roi
from dwell.estimate import hoeffding as hoeffding_sequence
from dwell.policies import Policies
from dwell.records import oversampled

STREAMS, LENGTH, ALPHA = 2000, 500, 0.05
VALID = pytest.mark.parametrize("sequence", [hoeffding_sequence, empirical_bernstein, betting])
Generator = np.random.Generator


def surely_above_alpha(misses: BoolArray) -> bool:
    """Whether the misses are too many for a probability of alpha."""
    count = int(misses.sum())
    share = special.betaincinv(count, len(misses) - count + 1, 0.001) if count else 0.0
    return bool(share > ALPHA)


def fading_and_waxing(rng: Generator) -> FloatArray:
    """Mean 1/2 whatever came before; a tenth of the spread after each loss."""
    signs = rng.choice([-1.0, 1.0], (STREAMS, LENGTH))
    spread = np.where(np.roll(signs, 1, axis=1) > 0, 1.0, 0.1)
    spread[:, 0] = 1.0
    return np.asarray(0.5 + 0.5 * spread * signs)


LAWS: dict[str, tuple[float, Callable[[Generator], FloatArray]]] = {
    "rare successes": (0.05, lambda rng: (rng.random((STREAMS, LENGTH)) < 0.05).astype(float)),
    "a skewed law": (0.1, lambda rng: rng.beta(0.2, 1.8, (STREAMS, LENGTH))),
    "a spread that follows the past": (0.5, fading_and_waxing),
    "fair coins": (0.5, lambda rng: (rng.random((STREAMS, LENGTH)) < 0.5).astype(float)),
}


def missed(found: Intervals, truth: float, narrowed: float = 1.0) -> bool:
    """Whether any interval misses the truth, each narrowed around its middle."""
    middle, half = (found.low + found.high) / 2, narrowed * (found.high - found.low) / 2
    return bool((np.abs(truth - middle) > half + 1e-12).any())


def misses_of(sequence: Any, law: str, narrowed: float = 1.0) -> BoolArray:
    truth, draw = LAWS[law]
    streams = draw(np.random.default_rng(11))
    intervals = (sequence(row, alpha=ALPHA, low=0, high=1) for row in streams)
    return np.array([missed(found, truth, narrowed) for found in intervals])


@VALID
@pytest.mark.parametrize("law", LAWS)
def test_all_intervals_hold_at_once(sequence: Any, law: str) -> None:
    """At every n up to 500; independent observations, and such that only share their mean."""
    assert not surely_above_alpha(misses_of(sequence, law))


@VALID
def test_intervals_half_as_wide_do_not_hold(sequence: Any) -> None:
    """So the test above can fail."""
    assert surely_above_alpha(misses_of(sequence, "fair coins", narrowed=0.5))


def test_ordinary_intervals_do_not_hold_at_all_n() -> None:
    """Which is why they are marked as approximate."""
    assert surely_above_alpha(misses_of(normal, "fair coins"))


POLICIES = Policies(
    [fixed(1, 1), *hoeffding([2, 6], c=0.35, tasks=10_000, delta=0.05), fixed(6, -7)]
)


def recorded(world: World, streams: int, tasks: int) -> tuple[FloatArray, FloatArray]:
    """Rewards and durations of each policy: stream, task, policy."""
    rows = world.sample(streams * tasks, 2 * POLICIES.caps[-1], rng=5)[1]
    records = oversampled(rows, POLICIES)
    assert records.rewards is not None
    shape = (streams, tasks, len(POLICIES))
    return records.rewards.reshape(shape), records.durations.reshape(shape).astype(float)


def roi_misses(sequence: Any, values: list[float], narrowed: float = 1.0) -> BoolArray:
    """Of a policy that stops early, against its exact ROI."""
    world = World(Atoms(values), Signs())
    rewards, durations = recorded(world, STREAMS, 100)
    truth = float(exact(POLICIES, world, setup_cost=0.5).roi[2])
    settings: Any = {"alpha": ALPHA, "bound": 1, "cap": 6, "setup_cost": 0.5, "sequence": sequence}
    tasks = zip(rewards[:, :, 2], durations[:, :, 2], strict=True)
    return np.array([missed(roi(*two, **settings), truth, narrowed) for two in tasks])


@VALID
@pytest.mark.parametrize("values", [[-1, 0, 1], [-0.9, 0.1]], ids=["gains", "losses"])
def test_roi_intervals_hold_at_once(sequence: Any, values: list[float]) -> None:
    """After every task up to 100."""
    assert not surely_above_alpha(roi_misses(sequence, values))


@VALID
def test_roi_intervals_a_fifth_as_wide_do_not_hold(sequence: Any) -> None:
    """So the test above can fail; two means at alpha / 2 leave much to spare."""
    assert surely_above_alpha(roi_misses(sequence, [-1, 0, 1], narrowed=0.2))


@VALID
@pytest.mark.parametrize("around", [0.0, 0.05], ids=["ROI known", "ROI within 0.05"])
def test_of_two_best_policies_neither_is_found_worse(sequence: Any, around: float) -> None:
    """One earns 0.4 for 2 samples on average, the other 0.2 for 1: the difference is 0.

    Each is found worse with probability at most alpha / 2. Were the best ROI taken for 0.9, the
    first would be found worse, and rightly so.
    """
    rng = np.random.default_rng(13)
    shape = (STREAMS, 200)
    durations, ones = rng.integers(1, 4, shape).astype(float), np.ones(shape)
    rewards, others = (np.where(rng.random(shape) < chance, 1.0, -1.0) for chance in (0.7, 0.6))
    settings: Any = {"alpha": ALPHA, "bound": 1, "cap": 3, "other_cap": 1, "sequence": sequence}
    tasks = list(zip(rewards, durations, others, ones, strict=True))
    found = [
        difference(*four, roi_low=0.2 - around, roi_high=0.2 + around, **settings) for four in tasks
    ]
    assert not surely_above_alpha(np.array([missed(one, 0.0) for one in found]))
    assert not surely_above_alpha(np.array([one.worse.any() for one in found]))
    wrong = [difference(*four, roi_low=0.9, roi_high=0.9, **settings) for four in tasks[:200]]
    assert surely_above_alpha(np.array([one.worse.any() for one in wrong]))


def test_all_policies_but_the_best_are_found_worse() -> None:
    """On 20,000 tasks, each policy against each; the best is never found worse."""
    world = World(Atoms([-0.6, 0.4]), Signs())
    table = exact(POLICIES, world)
    best, theta = table.best, float(table.roi.max())
    rewards, durations = (block[0] for block in recorded(world, 1, 20_000))
    found_worse = set()
    for k, j in permutations(range(len(POLICIES)), 2):
        found = difference(
            rewards[:, k],
            durations[:, k],
            rewards[:, j],
            durations[:, j],
            roi_low=theta - 0.02,
            roi_high=theta + 0.02,
            alpha=ALPHA,
            bound=1,
            cap=POLICIES.caps[k],
            other_cap=POLICIES.caps[j],
            sequence=betting,
        )
        if found.worse[-1]:
            found_worse.add(k)
    assert found_worse == set(range(len(POLICIES))) - {best}
