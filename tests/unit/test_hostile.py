"""Worlds that are not as they were told to be: what draws them, and what policies earn there."""

from collections.abc import Callable
from functools import partial
from itertools import product
from math import sqrt

import numpy as np
import pytest

from dwell import (
    Atoms,
    Beta,
    Countable,
    EscCape,
    Gaussian,
    Ladder,
    Lift,
    Policy,
    Rule,
    Signs,
    World,
    exact,
    first_sample,
    hoeffding,
    simulate,
)
from dwell.arrays import FloatArray
from dwell.errors import InvalidInput
from dwell.lab.breaches import Breach, Days, Fading, Falling, Misstated, Repeated, Sticky
from dwell.lab.hostile import HostileWorld, oracle_roi, roi_of
from dwell.lab.memory import Clock, Held
from dwell.lab.source import source_of
from dwell.learners.design import Design
from dwell.policies import Policies

POOL = Atoms([-0.6, -0.1, 0.2, 0.7], [0.3, 0.3, 0.2, 0.2])
SMALL = Policies.of([first_sample(), Policy([-2, -2, -3, -3, -2, 1], [2, 2, 2, 3, 2, 1])])
SIGNS = (Repeated(2), Repeated(5), Sticky(0.5), Fading(2, scale=0.5), Fading(3, boost=0.3))
EVERY = (*SIGNS, Days(3, 0.2), Misstated(sqrt(2.0)), Falling(0.2, -0.2, 4))
# The probability of a sequence of signs, given the value.
Likelihood = Callable[[tuple[int, ...], float], float]


def one(sign: int, mean: float) -> float:
    return (1 + sign * mean) / 2


def likelihood_of(breach: Breach) -> Likelihood:
    """A plain twin: the chance of a whole sequence, sample by sample."""

    def chance(signs: tuple[int, ...], value: float) -> float:
        found = 1.0
        for place, sign in enumerate(signs):
            same = place > 0 and sign == signs[place - 1]
            match breach:
                case Repeated(times):
                    found *= one(sign, value) if place % times == 0 else float(same)
                case Sticky(correlation):
                    stay = correlation if place else 0.0
                    found *= stay * same + (1 - stay) * one(sign, value)
                case Fading(half_life, scale, boost):
                    mean = value + (scale * value + boost) / 2 ** (place / half_life)
                    found *= one(sign, min(1.0, mean))
        return found

    return chance


def day_likelihood(length: int, sd: float) -> Likelihood:
    """Of each day: the mean chance over shifts, here on a fine grid of the normal law."""
    shifts = np.linspace(-8, 8, 4001)
    weights = np.exp(-(shifts**2) / 2)
    weights /= weights.sum()

    def chance(signs: tuple[int, ...], value: float) -> float:
        room = 1 - abs(value)
        means = value + np.clip(sd * shifts, -room, room)
        days = [signs[start : start + length] for start in range(0, len(signs), length)]
        return float(
            np.prod([weights @ np.prod([one(s, means) for s in day], axis=0) for day in days])  # type: ignore[arg-type]
        )

    return chance


def plain_roi(policy: Policy, prior: Atoms, chance: Likelihood, setup_cost: float) -> float:
    """Reward per cost, over all sequences of samples that there are."""
    reward, cost = 0.0, setup_cost
    for signs in product((-1, 1), repeat=policy.cap):
        total, place = 0, 0
        while True:
            total += signs[place]
            if total >= policy.upper[place] or total <= policy.lower[place]:
                break
            place += 1
        for value, weight in zip(prior.values, prior.weights, strict=True):
            likely = weight * chance(signs, value)
            cost += likely * (place + 1)
            reward += likely * value * (total >= policy.upper[place])
    return reward / cost


@pytest.mark.parametrize("setup_cost", [0.0, 20.0])
@pytest.mark.parametrize("breach", SIGNS, ids=str)
def test_exact_figures_are_those_of_all_sequences(breach: Breach, setup_cost: float) -> None:
    """What is carried from sample to sample is what enumeration finds."""
    world = HostileWorld(World(POOL, Signs()), breach)
    expected = [plain_roi(each, POOL, likelihood_of(breach), setup_cost) for each in POLICIES]
    np.testing.assert_allclose(roi_of(SMALL, world, setup_cost), expected, rtol=1e-12)


POLICIES = [policy for policy in SMALL if isinstance(policy, Policy)]


def test_exact_figures_under_days_are_those_of_all_sequences() -> None:
    """A Gauss rule is as good as a fine grid where the shift seldom reaches its limits."""
    world = HostileWorld(World(POOL, Signs()), Days(3, 0.1))
    expected = [plain_roi(each, POOL, day_likelihood(3, 0.1), 1.0) for each in POLICIES]
    np.testing.assert_allclose(roi_of(SMALL, world, 1.0), expected, rtol=1e-4)


@pytest.mark.parametrize("prior", [POOL, Beta(45, 55)], ids=str)
def test_what_breaks_nothing_changes_nothing(prior: Atoms | Beta) -> None:
    """Samples seen once, of no correlation, and without effects of days: as `exact` has it."""
    policies = Policies.of(hoeffding(caps=[4, 16, 64], c=0.35, tasks=10_000, delta=0.05))
    world = World(prior, Signs())
    expected = exact(policies, world, 3.0).roi
    for breach in (Breach(), Repeated(1), Sticky(1e-300), Days(16, 1e-30), Fading(16, boost=0.0)):
        found = roi_of(policies, HostileWorld(world, breach), 3.0)
        np.testing.assert_allclose(found, expected, rtol=1e-9)


def drawn(breach: Breach, tasks: int, rng: np.random.Generator) -> tuple[FloatArray, FloatArray]:
    """Rewards and costs of policies whose tasks draw in several pieces, a column each."""
    law = Gaussian(1.0) if isinstance(breach, Misstated) else Signs()
    world = HostileWorld(World(POOL, law), breach)
    source = source_of(world, tasks, rng)
    values = source.values(0, tasks)
    design = Design(policies=LONG, columns=tuple(range(len(LONG))))
    records = design.run(tasks, source.tests(values))
    return records.decisions * values[:, np.newaxis], records.durations.astype(np.float64)


LONG = Policies.of(hoeffding(caps=[4, 32, 200], c=0.7, tasks=10_000, delta=0.05))


@pytest.mark.parametrize("breach", EVERY, ids=str)
def test_what_is_drawn_is_what_is_exact(breach: Breach) -> None:
    """The ROI of 20,000 drawn tasks is within 4.5 errors: 1 in 6,000 would fail for nothing.

    Policies of up to 200 samples draw in three pieces. A process that began anew with each of them
    would be off by many errors where tests are long: see the next test.
    """
    law = Gaussian(1.0) if isinstance(breach, Misstated) else Signs()
    expected = roi_of(LONG, HostileWorld(World(POOL, law), breach), 0.0)
    reward, cost = drawn(breach, 20_000, np.random.default_rng(3))
    roi = reward.mean(axis=0) / cost.mean(axis=0)
    error = (reward - roi * cost).std(axis=0) / cost.mean(axis=0) / sqrt(20_000)
    assert (np.abs(roi - expected) <= 4.5 * error).all(), (roi, expected, error)


@pytest.mark.parametrize("breach", [Repeated(5), Sticky(0.5), Days(7, 0.5)], ids=str)
def test_a_process_goes_on_from_one_piece_to_the_next(breach: Breach) -> None:
    """Samples on both sides of a cut are as alike as they are elsewhere, for tasks that go on.

    With 2,000 tasks a correlation is known to 0.023: it is within 5 such errors (1 in 10^6 would
    fail for nothing), and one of 0, as of processes begun anew, is off by 10 or more.
    """
    rng = np.random.default_rng(5)
    draw = breach.tests(Signs(), np.zeros(4_000), rng)
    before = draw(np.arange(4_000), 8)
    odd = np.arange(1, 4_000, 2)
    alike = np.corrcoef(before[odd, -1], draw(odd, 2)[:, 0])[0, 1]
    # Sample 7 and 8, counted from 0: of the same five, neighbours, of the same day.
    expected = {Repeated: 1.0, Sticky: 0.5, Days: 0.23}[type(breach)]
    assert alike == pytest.approx(expected, abs=0.115)
    even = np.arange(0, 4_000, 2)
    late = draw(even, 3)
    assert np.corrcoef(before[even, -1], late[:, 0])[0, 1] == pytest.approx(expected, abs=0.115)


def test_signs_that_stick_have_the_mean_and_correlation_they_should() -> None:
    """20,000 rows of 20: the mean to 0.003, the lag-one correlation to 0.002, within 5 errors."""
    values = np.full(20_000, 0.3)
    rows = Sticky(0.5).tests(Signs(), values, np.random.default_rng(1))(np.arange(20_000), 20)
    assert rows.mean() == pytest.approx(0.3, abs=0.02)
    around = rows - 0.3
    assert (around[:, 1:] * around[:, :-1]).mean() / 0.91 == pytest.approx(0.5, abs=0.015)
    assert (around[:, 2:] * around[:, :-2]).mean() / 0.91 == pytest.approx(0.25, abs=0.015)


def first_columns(fresh: FloatArray, count: int) -> FloatArray:
    return fresh[:, :count]


def test_what_is_held_is_what_a_plain_loop_holds() -> None:
    """Task by task, place by place, in pieces that not all tasks take part in."""
    rng = np.random.default_rng(7)
    held, clock = Held(6), Clock(6)
    last, place = [0.0] * 6, [0] * 6
    for tasks, samples in ((range(6), 5), ((1, 4), 1), ((0, 1, 5), 7), ((1,), 3)):
        chosen = np.array(tasks)
        places = clock.next(chosen, samples)
        renewed = (places == 0) | (rng.random(places.shape) < 0.4)
        fresh = rng.random((len(chosen), samples))
        found = held.next(chosen, renewed, partial(first_columns, fresh))
        for row, task in enumerate(tasks):
            unused = iter(fresh[row])
            for at in range(samples):
                assert places[row, at] == place[task]
                place[task] += 1
                if renewed[row, at]:
                    last[task] = next(unused)
                assert found[row, at] == last[task]


def test_the_oracle_knows_the_truth_where_there_is_a_world_for_it() -> None:
    """The noise as it is, all pools in one; otherwise what samples would be worth as told."""
    normal, signs = World(POOL, Gaussian(1.0)), World(POOL, Signs())
    noisier = oracle_roi(World(POOL, Gaussian(2.0)), 16, 1.0)
    assert oracle_roi(HostileWorld(normal, Misstated(2.0)), 16, 1.0) == noisier
    assert oracle_roi(HostileWorld(signs, Sticky(0.5)), 16, 1.0) == oracle_roi(signs, 16, 1.0)
    falling = HostileWorld(World(Atoms([0.0]), Signs()), Falling(0.1, -0.1, 2))
    assert oracle_roi(falling, 16, 1.0) == oracle_roi(World(Atoms([-0.1, 0.1]), Signs()), 16, 1.0)


def test_what_cannot_be_gets_one_sentence() -> None:
    """What is wrong, and what to do."""
    signs = World(POOL, Signs())
    with pytest.raises(InvalidInput, match="world must be a World"):
        HostileWorld(Signs(), Repeated(2))  # type: ignore[arg-type]
    with pytest.raises(InvalidInput, match="a Breach, such as Repeated"):
        HostileWorld(signs, 2)  # type: ignore[arg-type]
    with pytest.raises(InvalidInput, match="times must be a whole number >= 1, got 0"):
        Repeated(0)
    with pytest.raises(InvalidInput, match="the noise of Signs follows from the value"):
        roi_of(SMALL, HostileWorld(signs, Misstated(2.0)), 0.0)
    lifts = HostileWorld(World(Atoms([0.0]), Lift(0.5)), Repeated(2))
    with pytest.raises(InvalidInput, match=r"are of Signs, got Lift\(0.5\); simulate it"):
        roi_of(SMALL, lifts, 0.0)
    rule = Rule(lambda _: 1, lambda d, x: bool(x[d - 1] > 0), cap=1)
    with pytest.raises(InvalidInput, match="of policies, not of Rules"):
        roi_of(Policies.of(rule), HostileWorld(signs, Repeated(2)), 0.0)
    hostile = HostileWorld(signs, Repeated(2))
    with pytest.raises(InvalidInput, match="needs a number of tasks, not a budget of samples"):
        simulate(Ladder(SMALL), hostile, samples=100)
    searching = EscCape(Countable(c=0.35, tasks=100, delta=0.05), tasks=100)
    with pytest.raises(InvalidInput, match="world must be a World"):
        _ = simulate(searching, hostile, 10, rng=0).regret
