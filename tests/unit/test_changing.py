"""Worlds whose pool of ideas changes: which task is from which pool, and what runs come to."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dwell
from dwell import (
    Atoms,
    Beta,
    Cape,
    Countable,
    EscCape,
    Fixed,
    Gaussian,
    Ladder,
    Lift,
    Normal,
    Signs,
    World,
    exact,
    first_sample,
    fixed,
    hoeffding,
    oracle,
    simulate,
)
from dwell.errors import BoundTooSmall, InvalidInput
from dwell.lab.changing import ChangingWorld, Tally
from dwell.lab.drift_scores import drift_scores, dynamic_roi, own_best, tasks_to_adapt
from dwell.lab.hostile import oracle_roi, roi_of
from dwell.lab.source import source_of
from dwell.learners.learner import Learner

GOOD, BAD = Atoms([-0.05, 0.6], [0.9, 0.1]), Atoms([-0.3, 0.1], [0.9, 0.1])
ABRUPT = ChangingWorld([GOOD, BAD], Signs())
BANDS = hoeffding(caps=[1, 4, 16], c=0.35, tasks=10_000, delta=0.05)
BARREN = ChangingWorld([GOOD, Atoms([-0.5])], Signs())


@settings(deadline=None)
@given(
    st.lists(st.integers(1, 99), min_size=1, max_size=5, unique=True),
    st.integers(1, 400),
    st.one_of(st.none(), st.integers(6, 90)),
)
def test_every_task_is_from_exactly_one_pool(
    percents: list[int], tasks: int, period: int | None
) -> None:
    """The one whose share of the run or of its period it falls into, in whole numbers."""
    changes = sorted(percents)
    priors = [Atoms([place / 10]) for place in range(len(changes) + 1)]
    world = ChangingWorld(priors, Signs(), [each / 100 for each in changes], period)
    found = world.pool_of(np.arange(tasks), tasks).tolist()
    length = period or tasks
    expected = [
        sum(Fraction(place % length, length) >= Fraction(each, 100) for each in changes)
        for place in range(tasks)
    ]
    assert found == expected
    counts = world.tasks_of(tasks)
    assert counts.tolist() == [found.count(pool) for pool in range(len(priors))]
    assert counts.sum() == tasks
    assert world.shares.sum() == pytest.approx(1.0)
    # Values tell which pool they were drawn from, wherever a block of tasks begins.
    source = source_of(world, tasks, np.random.default_rng(0))
    cut = tasks // 3
    drawn = [*source.values(0, cut), *source.values(cut, tasks - cut)]
    assert np.rint(10 * np.array(drawn)).tolist() == expected


@pytest.mark.parametrize("pools", [2, 3, 7, 8])
@pytest.mark.parametrize("tasks", [1, 7, 300, 1_000, 3_001])
def test_equal_shares_are_equal_within_a_task(pools: int, tasks: int) -> None:
    """If nobody says when pools change."""
    world = ChangingWorld([Atoms([place / 10]) for place in range(pools)], Signs())
    counts = world.tasks_of(tasks)
    assert counts.max() - counts.min() <= 1
    assert counts[0] == -(-tasks // pools)  # the first task of a pool is at its share or after


@pytest.mark.parametrize("overlap", [1, 7])
@pytest.mark.parametrize(
    "learner",
    [
        Ladder(BANDS, setup_cost=5.0),
        Fixed(fixed(8, 1), setup_cost=5.0),
        Cape(BANDS, tasks=300, exploration_cap=40, setup_cost=5.0, announce=False),
        dwell.EmpiricalBayes(Signs(), cap=16, setup_cost=5.0),
    ],
    ids=lambda learner: type(learner).__name__,
)
def test_sums_of_pools_add_up_to_those_of_the_run(learner: Learner, overlap: int) -> None:
    """Whatever draws a learner's tasks, and however many are open at once; in any season too."""
    for world in (ABRUPT, ChangingWorld([GOOD, BAD], Signs(), [0.3], period=70)):
        run = simulate(learner, world, 300, rng=1, overlap=overlap)
        assert [sums.tasks for sums in run.by_pool] == world.tasks_of(300).tolist()
        assert sum(sums.reward for sums in run.by_pool) == pytest.approx(run.reward)
        assert sum(sums.cost for sums in run.by_pool) == pytest.approx(run.cost)
        for sums in run.by_pool:
            assert 0 <= sums.harmful <= sums.accepted <= sums.tasks
            assert sums.cost >= 6.0 * sums.tasks


def test_a_seed_gives_the_same_run() -> None:
    """And another seed another one."""
    runs = [simulate(Ladder(BANDS), ABRUPT, 200, rng=seed) for seed in (3, 3, 4)]
    assert runs[0].by_pool == runs[1].by_pool != runs[2].by_pool
    assert (runs[0].reward, runs[0].cost) == (runs[1].reward, runs[1].cost)


def test_a_pool_that_stays_the_same_is_a_world_that_does() -> None:
    """The same draws, if the tasks of a learner are drawn one by one."""
    same = ChangingWorld([GOOD, GOOD, GOOD], Signs(), [0.2, 0.7])
    run = simulate(Ladder(BANDS), same, 200, rng=3)
    honest = simulate(Ladder(BANDS), World(GOOD, Signs()), 200, rng=3, sampled=True)
    assert (run.reward, run.cost, run.samples) == (honest.reward, honest.cost, honest.samples)
    assert honest.by_pool == ()
    assert run.regret == pytest.approx(honest.regret)


def test_what_is_counted_of_a_pool_is_what_happened() -> None:
    """By hand: eight tasks, of which the last five are of the second pool."""
    tally = Tally(ChangingWorld([GOOD, BAD], Signs(), [0.375]), 8, setup_cost=10.0)
    values = np.array([0.5, -0.25, 0.5, 0.5, -1.0, -1.0, 0.25, 0.0])
    accepted = np.array([True, True, False, True, True, False, False, True])
    drawn = np.array([1, 2, 3, 4, 5, 6, 7, 8])
    tally.add(0, drawn[:4], values[:4], accepted[:4])
    tally.add(4, drawn[4:], values[4:], accepted[4:])
    assert tally.by_pool == ((3, 0.25, 36.0, 2, 1), (5, -0.5, 80.0, 3, 1))


@pytest.mark.parametrize("setup_cost", [0.0, 20.0])
def test_what_each_pool_has_to_earn_is_exact(setup_cost: float) -> None:
    """Its oracle's reward and cost; nothing, for the price of a sample, where nothing earns."""
    for prior in (GOOD, BAD):
        world = World(prior, Signs())
        best, found = oracle(world, 64, setup_cost), own_best(world, 64, setup_cost)
        assert (found.roi, found.reward, found.cost) == (best.roi, best.reward, best.cost)
        table = exact(best.policy, world, setup_cost)
        assert found == pytest.approx((table.reward[0], table.cost[0]))
    assert own_best(BARREN.pools[1], 64, setup_cost) == (0.0, setup_cost + 1.0)


def test_the_dynamic_oracle_runs_each_task_by_its_own_best_policy() -> None:
    """So do two learners, each in its own pool; what they run enters by its expectation."""
    uneven = ChangingWorld([GOOD, BAD], Signs(), [0.25])
    best = [oracle(pool, 64, 2.0) for pool in uneven.pools]
    runs = [
        simulate(Fixed(own.policy, setup_cost=2.0), World(pool.prior, pool.law), n, rng=5)
        for own, pool, n in zip(best, uneven.pools, (100, 300), strict=True)
    ]
    expected = sum(run.reward for run in runs) / sum(run.cost for run in runs)
    assert dynamic_roi(uneven, 400, 64, 2.0) == pytest.approx(expected)


def test_scores_are_those_of_a_plain_twin() -> None:
    """Ten plain lines on the sums of one run and of several."""
    learner = Ladder(BANDS, setup_cost=2.0)
    runs = [simulate(learner, ABRUPT, 301, rng=seed) for seed in range(3)]
    best = [oracle(World(prior, Signs()), 16, 2.0) for prior in (GOOD, BAD)]
    for some in (runs[:1], runs):
        reward = sum(run.reward for run in some)
        cost = sum(run.cost for run in some)
        dynamic = (151 * best[0].reward + 150 * best[1].reward) / (
            151 * best[0].cost + 150 * best[1].cost
        )
        money = sum(
            own.roi * sums.cost for run in some for own, sums in zip(best, run.by_pool, strict=True)
        )
        scores = drift_scores(some, cap=16)
        assert scores.dynamic_roi == pytest.approx(dynamic)
        assert scores.dynamic_share == pytest.approx(reward / cost / dynamic)
        assert scores.same_money == pytest.approx(reward / money)
        assert (scores.same_money_error is None) == (len(some) == 1)
        assert (scores.dynamic_share_error is None) == (len(some) == 1)
        for pool, count in ((0, 151), (1, 150)):
            harmful = sum(run.by_pool[pool].harmful for run in some)
            assert scores.harmful[pool] == pytest.approx(100 * harmful / (count * len(some)))


def test_money_spent_where_nothing_earns_counts_for_one_score_only() -> None:
    """The longer policy spends more there; both accept nothing of that pool."""
    never = dwell.Policy([-9.0] * 15 + [16.0], [17.0] * 15 + [17.0])
    runs = {
        samples: simulate(Fixed(policy), BARREN, 400, rng=2)
        for samples, policy in ((1, first_sample()), (16, never))
    }
    [one, sixteen] = (drift_scores([run], cap=16) for run in runs.values())
    assert one.dynamic_roi == sixteen.dynamic_roi == dynamic_roi(BARREN, 400, 16, 0.0) > 0.0
    rewards, costs = zip(*((sums.reward, sums.cost) for sums in runs[1].by_pool), strict=True)
    rate = own_best(BARREN.pools[0], 16, 0.0).roi
    assert one.same_money == pytest.approx(sum(rewards) / (rate * costs[0]))
    assert (sixteen.same_money, sixteen.dynamic_share) == (0.0, 0.0)
    nothing = ChangingWorld([Atoms([-0.5]), Atoms([-0.1])], Signs())
    scores = drift_scores([simulate(Fixed(first_sample()), nothing, 50, rng=0)], cap=16)
    assert (scores.dynamic_roi, scores.dynamic_share, scores.same_money) == (0.0, None, None)


def test_policies_that_never_change_earn_what_they_earn_in_the_mixture() -> None:
    """The ROI of a class, and of the best of all policies; laws of values of every kind."""
    policies = hoeffding(caps=[1, 4, 16], c=0.35, tasks=10_000, delta=0.05)
    for world in (
        ChangingWorld([GOOD, BAD], Signs(), [0.3]),
        ChangingWorld([Normal(0.1, 0.15), Beta(3, 7), BAD], Signs()),
        ChangingWorld([Normal(-0.1, 0.5), Normal(0.2, 0.5)], Gaussian(1.0)),
        ChangingWorld([Normal(0.0, 0.01), Normal(-0.01, 0.01)], Lift(0.1)),
    ):
        mixed = world.mixture(16)
        assert roi_of(policies, world, 3.0) == pytest.approx(exact(policies, mixed, 3.0).roi)
        assert oracle_roi(world, 16, 3.0) == pytest.approx(oracle(mixed, 16, 3.0).roi)


def test_what_cannot_be_gets_one_sentence() -> None:
    """What is wrong, the value, and what to do."""
    with pytest.raises(InvalidInput, match=r"two pools of ideas at least, got 1; .* use World"):
        ChangingWorld([GOOD], Signs())
    with pytest.raises(InvalidInput, match=r"priors must be a list of priors, .*, got 3"):
        ChangingWorld(3, Signs())  # type: ignore[arg-type]
    with pytest.raises(InvalidInput, match="unknown prior 3; use Atoms"):
        ChangingWorld([GOOD, 3], Signs())  # type: ignore[list-item]
    with pytest.raises(InvalidInput, match=r"unknown law 0.5; use Signs"):
        ChangingWorld([GOOD, BAD], 0.5)  # type: ignore[arg-type]
    with pytest.raises(InvalidInput, match=r"Lift.* allows values from .* got the atom 0.6"):
        ChangingWorld([BAD, GOOD], Lift(0.5))
    for changes in ([], [0.2, 0.8]):
        with pytest.raises(InvalidInput, match=r"changes must be 1 increasing numbers .* 2 pools"):
            ChangingWorld([GOOD, BAD], Signs(), changes)
    with pytest.raises(InvalidInput, match=r"increasing numbers .*, got \[0.5, 0.5\]"):
        ChangingWorld([GOOD, BAD, GOOD], Signs(), [0.5, 0.5])
    with pytest.raises(InvalidInput, match="each change must lie strictly between 0 and 1, got 1"):
        ChangingWorld([GOOD, BAD], Signs(), [1.0])
    with pytest.raises(InvalidInput, match=r"changes must be a list of shares of the run, got 0.5"):
        ChangingWorld([GOOD, BAD], Signs(), 0.5)  # type: ignore[arg-type]
    with pytest.raises(InvalidInput, match="period must be a whole number >= 2, got 1"):
        ChangingWorld([GOOD, BAD], Signs(), period=1)
    with pytest.raises(InvalidInput, match="needs a number of tasks, not a budget of samples"):
        simulate(Ladder(BANDS), ABRUPT, samples=100)
    run = simulate(Ladder(BANDS), World(GOOD, Signs()), 10, rng=0)
    with pytest.raises(InvalidInput, match=r"scores of runs in a ChangingWorld, got one in World"):
        drift_scores([run], cap=16)
    searching = EscCape(Countable(c=0.35, tasks=100, delta=0.05), tasks=100)
    with pytest.raises(InvalidInput, match="world must be a World"):
        _ = simulate(searching, ABRUPT, 10, rng=0).regret
    with pytest.raises(InvalidInput, match="samples under Signs reach 1"):
        simulate(Ladder(BANDS, bound=0.5), ABRUPT, 10, rng=0)
    wide = ChangingWorld([Normal(0.0, 0.1), Normal(0.0, 5.0)], Gaussian(1.0))
    bound = float(np.sqrt(1.01)) * Ladder.BOUND_DEVIATIONS
    with pytest.warns(BoundTooSmall, match="its bounds do not hold"):
        simulate(Ladder(BANDS, bound=bound), wide, 10, rng=0)


def test_worlds_that_change_say_what_they_are() -> None:
    """In one line."""
    assert str(ABRUPT) == (
        "ChangingWorld(Atoms(-0.05:0.9, 0.6:0.1) then Atoms(-0.3:0.9, 0.1:0.1), Signs)"
    )
    season = ChangingWorld([Beta(2, 3), Beta(3, 2)], Signs(), period=300)
    assert str(season) == "ChangingWorld(Beta(2, 3) then Beta(3, 2), again every 300 tasks, Signs)"
    assert season == ChangingWorld([Beta(2, 3), Beta(3, 2)], Signs(), [0.5], 300) != ABRUPT
    assert hash(season) == hash(ChangingWorld([Beta(2, 3), Beta(3, 2)], Signs(), period=300))


def test_how_soon_a_run_adapts_is_read_off_the_policies_in_force() -> None:
    """By hand: the new pool's best policy, or nothing, comes into force at some task."""
    world = ChangingWorld([GOOD, BAD, GOOD], Signs(), [0.4, 0.8])
    good, bad = (oracle(World(prior, Signs()), 64, 5.0).policy for prior in (GOOD, BAD))
    run = simulate(Fixed(good, setup_cost=5.0), world, 100, rng=0)
    for deciders, expected in (
        ([(0, good)], (0, None, 0)),
        ([(0, good), (55, bad), (95, good)], (0, 15, 15)),
        # The best policy for the bad pool earns less than 80 % of the best in the good one.
        ([(0, bad), (30, None), (40, bad), (81, None)], (None, 0, None)),
        ([(0, None), (39, good), (79, bad), (80, good)], (39, 39, 0)),
        ([(0, good), (80, bad)], (0, None, None)),
    ):
        tally = Tally(world, 100, setup_cost=5.0)
        for place, policy in reversed(deciders):
            tally.decided_by(place, policy)
        other = replace(run, in_force=tally.in_force)
        found = tuple(tasks_to_adapt(other, pool, 64) for pool in range(3))
        assert found == expected
        assert drift_scores([other], 64).adapted == found[1:]
        assert drift_scores([other, other, run], 64).adapted == found[1:]


def test_policies_in_force_are_those_that_decide() -> None:
    """In each pool from its first task on; nothing is earned where everything is rejected."""
    [policy] = hoeffding(caps=[16], c=0.35, tasks=10_000, delta=0.05)
    rois = [float(exact(policy, pool, 2.0).roi[0]) for pool in ABRUPT.pools]
    fixed_one = simulate(Fixed(policy, setup_cost=2.0), ABRUPT, 301, rng=0)
    assert fixed_one.in_force == ((0, 0, rois[0]), (1, 0, rois[1]))
    learner = dwell.EmpiricalBayes(Signs(), cap=16, setup_cost=5.0, guard=False)
    for overlap in (1, 7):
        run = simulate(learner, ABRUPT, 300, rng=2, overlap=overlap)
        for pool in (0, 1):
            places = [each.after for each in run.in_force if each.pool == pool]
            assert places[0] == 0
            assert places == sorted(set(places))
            assert places[-1] < 150
    first, *_ = simulate(Ladder(BANDS, setup_cost=5.0), ABRUPT, 300, rng=0).in_force
    assert first == (0, 0, 0.0)
    season = ChangingWorld([GOOD, BAD], Signs(), period=20)
    again = simulate(Fixed(policy), season, 100, rng=0)
    assert (again.in_force, drift_scores([again], 64).adapted) == ((), ())


@pytest.mark.parametrize("prior", [GOOD, BAD])
def test_tasks_of_a_pool_earn_what_is_exact_there(prior: Atoms) -> None:
    """A policy that never changes: within 4.5 errors, one in 10^5 for nothing.

    What it earns in the other pool is 20 errors away.
    """
    [policy] = hoeffding(caps=[16], c=0.35, tasks=10_000, delta=0.05)
    run = simulate(Fixed(policy, setup_cost=1.0), ABRUPT, 40_000, rng=3)
    sums = run.by_pool[0 if prior is GOOD else 1]
    [own, other] = (
        exact(policy, World(each, Signs()), 1.0) for each in (prior, BAD if prior is GOOD else GOOD)
    )
    error = 16 / np.sqrt(20_000)
    assert sums.cost / 20_000 == pytest.approx(own.cost[0], abs=4.5 * error)
    reward_error = 0.3 / np.sqrt(20_000)
    assert sums.reward / 20_000 == pytest.approx(own.reward[0], abs=4.5 * reward_error)
    assert abs(own.reward[0] - other.reward[0]) > 20 * reward_error


def test_the_dynamic_oracle_is_not_the_most_there_is() -> None:
    """Whoever drops the bad pool's ideas after a sample earns 28 % more, as the page says."""
    dynamic = dynamic_roi(ABRUPT, 1_000, 256, 20.0)
    lazy = oracle(World(GOOD, Signs()), 256, setup_cost=20.0 + 21.0).roi
    assert lazy / dynamic == pytest.approx(1.28, abs=0.005)
    # In same money nobody is ahead, policy by policy, whatever it does in either pool.
    policies = hoeffding(caps=[1, 2, 4, 8, 16, 32, 64, 128, 256], c=0.35, tasks=99, delta=0.05)
    for pool in ABRUPT.pools:
        assert (exact(policies, pool, 20.0).roi <= own_best(pool, 256, 20.0).roi).all()
