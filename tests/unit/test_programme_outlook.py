"""Outlook: what to expect of a task, what its idea is worth, and the path that it took."""

from dataclasses import astuple
from math import erf, sqrt

import numpy as np
import pytest

from dwell import Batch, EmpiricalBayes, Gaussian, Lift, Policy, Programme, Signs, fixed
from dwell.arrays import FloatArray
from dwell.pools.fitted import FittedPool
from dwell.programme.minimum_run import Pace
from dwell.programme.outlook import at_ends
from dwell.sparse_policy import SparsePolicy
from tests.plain import run_on_periods
from tests.programmes import Clock, deciding, small
from tests.refusals import refused

VALUES = np.array([-0.3, 0.0, 0.1, 0.5])
WEIGHTS = np.array([0.4, 0.3, 0.2, 0.1])
# Beyond 4.5 standard errors, by chance, once in 150,000 comparisons.
FAR = 4.5


def signs_pool(factor: float = 1.0) -> FittedPool:
    """A pool of four values under signs."""
    return FittedPool(Signs(), VALUES, WEIGHTS, factor, 100)


def band(cap: int, width: float) -> SparsePolicy:
    """Limits on the sum at some distance, which meet at the cap."""
    looks = np.arange(1, cap + 1)
    lower = np.append(np.full(cap - 1, -width), 0.0)
    return SparsePolicy(looks, lower, np.append(np.full(cap - 1, width), 1.0))


def plainly_ahead(policy: SparsePolicy, drawn: int, total: int, value: float) -> FloatArray:
    """How likely a value is accepted from here, and after how many samples: path by path."""
    if drawn:
        at = int(np.searchsorted(policy.looks, drawn))
        if total >= policy.upper[at]:
            return np.array([1.0, 0.0])
        if total <= policy.lower[at] or drawn == policy.cap:
            return np.array([0.0, 0.0])
    plus = (1.0 + value) / 2.0
    up, down = (plainly_ahead(policy, drawn + 1, total + step, value) for step in (1, -1))
    return np.array([0.0, 1.0]) + plus * up + (1.0 - plus) * down


@pytest.mark.parametrize(("drawn", "total"), [(0, 0), (3, 1), (6, -2), (11, 1)])
def test_what_lies_ahead_of_signs_is_what_all_paths_come_to(drawn: int, total: int) -> None:
    """Each value's paths are followed one by one, and weighed by how likely it is now."""
    policy = band(12, 4.0)
    likely = (
        WEIGHTS * (1 + VALUES) ** ((drawn + total) // 2) * (1 - VALUES) ** ((drawn - total) // 2)
    )
    likely /= likely.sum()
    given = signs_pool().given(drawn, total)
    np.testing.assert_allclose(given.weights, likely, rtol=1e-9)
    plain = sum(
        weight * np.append(found := plainly_ahead(policy, drawn, total, value), value * found[0])
        for weight, value in zip(likely, VALUES, strict=True)
    )
    np.testing.assert_allclose(signs_pool().ahead(policy, drawn, total), plain, rtol=1e-6)


def test_tests_that_pass_through_a_position_end_as_forecast() -> None:
    """Whole tests are drawn from the pool; of those that pass, as many ship and last as long."""
    rng, policy, drawn, total = np.random.default_rng(7), band(64, 9.0), 20, 4
    values = rng.choice(VALUES, 40_000, p=WEIGHTS)
    sums = np.cumsum(Signs().sample(values, 64, rng), axis=1, dtype=np.int64)
    inside = (np.abs(sums[:, :drawn]) < 9).all(axis=1) & (sums[:, drawn - 1] == total)
    on = sums[inside, drawn:]
    stopped = np.abs(on) >= 9
    stopped[:, -1] = True
    left = stopped.argmax(axis=1)
    ships = on[np.arange(len(on)), left] >= np.where(left == 43, 1, 9)
    found = signs_pool().ahead(policy, drawn, total)
    assert len(on) > 1_000
    assert abs(ships.mean() - found.accepts) < FAR * sqrt(0.25 / len(on))
    error = np.std(left) / sqrt(len(on))
    assert abs((left + 1).mean() - found.samples) < FAR * error
    assert abs(values[inside].mean() - signs_pool().given(drawn, total).mean) < FAR * np.std(
        values[inside]
    ) / sqrt(len(on))


@pytest.mark.parametrize("factor", [1.0, 2.0])
def test_normal_tests_from_a_position_end_as_forecast(factor: float) -> None:
    """Values are drawn given the test so far, samples from there to the limits, in batches."""
    rng, noise, size = np.random.default_rng(8), 5.0, 7
    pool = FittedPool(Gaussian(noise), VALUES * 10.0, WEIGHTS, factor, 100)
    policy = band(60, 45.0)
    drawn, total = 14, 10.0
    values = rng.choice(pool.values, 4_000, p=pool.given(drawn, total).weights)
    days = -(-(60 - drawn) // size)
    steps = rng.normal(size * values[:, None], noise * sqrt(factor * size), (4_000, days))
    left = at_ends(policy, drawn, Pace(drawn, size, size))
    assert left.looks.tolist() == [drawn + size * day for day in range(1, days + 1)]
    dense, so_far = policy.dense(), (drawn, total)
    ends = [run_on_periods(dense, [so_far, *((size, s) for s in row)], 0) for row in steps]
    found = pool.ahead(left, drawn, total)
    ships, samples = np.array([end[1] for end in ends]), np.array([end[0] for end in ends]) - drawn
    assert abs(ships.mean() - found.accepts) < FAR * sqrt(0.25 / len(ends))
    assert abs(samples.mean() - found.samples) < FAR * samples.std() / sqrt(len(ends))


def test_dependent_signs_last_longer_and_say_less() -> None:
    """If two samples are worth one, a position says as much as half of it."""
    half, whole = signs_pool(2.0), signs_pool()
    np.testing.assert_allclose(half.given(19, 5.0).weights, whole.given(10, 50 / 19).weights)
    assert half.given(0, 0.0).weights == pytest.approx(WEIGHTS)
    policy = band(41, 9.0)
    assert 0.0 < half.ahead(policy, 19, 5.0).samples <= 22.0


def test_a_posterior_of_many_values_has_the_interval_of_the_normal_law() -> None:
    """A wide normal pool on a fine grid: the mean of the samples, 1.96 standard errors each way."""
    values = np.linspace(-3.0, 3.0, 1_201)
    pool = FittedPool(Gaussian(2.0), values, np.full(1_201, 1 / 1_201), 1.0, 0)
    given = pool.given(100, 40.0)
    assert given.mean == pytest.approx(0.4, abs=1e-6)
    assert given.interval(0.95) == pytest.approx((0.4 - 1.96 * 0.2, 0.4 + 1.96 * 0.2), abs=1e-3)
    assert given.at_least(0.0) == pytest.approx((1 + erf(2.0 / sqrt(2.0))) / 2.0, abs=1e-4)


def learned(tests: int) -> Programme:
    """A programme under signs that has learned from some tests."""
    learner = EmpiricalBayes(Signs(), cap=64, setup_cost=20, drift=False)
    programme = Programme.create("memory:", "checkout", learner=learner, clock=Clock())
    rng = np.random.default_rng(3)
    for number in range(tests):
        task = programme.begin()
        value = 0.5 if number % 4 == 0 else -0.1
        samples = 2 * (rng.random(200) < (1 + value) / 2) - 1
        task.tell(samples.tolist())
        assert task.status == "finished"
    return programme


def test_advice_says_what_to_expect_once_some_tests_are_known() -> None:
    """Before, it says how many samples there may be at most; the figures are there in any case."""
    first = learned(0).begin().tell([1, -1])
    assert first.sentence == "Keep testing: between the limits after 2 samples, at most 62 to go"
    assert first.forecast is not None
    assert first.forecast.tests == 0
    programme = learned(20)
    task = programme.begin()
    advice = task.tell([1, -1])
    assert "forecast" not in vars(advice)  # nobody has asked for it
    found = advice.forecast
    assert found is not None
    assert found.tests >= 10
    assert 0.0 < found.ships < 1.0
    assert 0.0 < found.samples < 62.0
    assert advice.sentence == (
        f"Keep testing: between the limits after 2 samples, about {found.samples:.0f} to go, "
        f"{100 * found.ships:.0f} % of such tests ship"
    )
    fresh = programme.begin().advice
    assert fresh.sentence.startswith("Keep testing: the first look is after 1 sample, about ")


def test_a_forecast_stays_what_it_was_when_more_is_told() -> None:
    """It is computed late, from what was known when the advice was given."""
    programme = learned(12)
    task, other = programme.begin(), programme.begin()
    early, again = task.tell([1, -1], key="a"), task.tell([1, -1], key="a")
    expected = again.forecast
    task.tell([-1, 1])
    task.correct("a", [-1, -1])
    other.tell([-1] * 200)
    assert early.forecast == expected
    assert early == again


def test_who_fits_no_pool_forecasts_nothing() -> None:
    """A learner without a law says how many samples there may be at most."""
    advice = deciding(Policy([-2, -3, 1], [2, 2, 1])).begin().tell([1])
    assert advice.forecast is None
    assert advice.sentence.endswith("at most 2 to go")


def test_where_acceptances_do_not_count_none_ships() -> None:
    """The chance is that of the programme's decision, not of the policy's."""
    programme = learned(12)
    with programme._journal.state() as state:
        state.learner.state.rounds[-1].accepts = False
    found = programme.begin().tell([1, -1]).forecast
    assert found is not None
    assert found.ships == 0.0


def test_an_idea_is_worth_what_the_pool_and_its_samples_say() -> None:
    """More than nothing after gains, less than what was measured; also when the task is over."""
    programme = learned(20)
    task = programme.begin()
    before = task.worth()
    assert before is not None
    assert before.samples == 0
    task.tell([1, 1, -1, 1])
    worth = task.worth()
    assert worth is not None
    assert worth.low is not None
    assert worth.high is not None
    assert worth.helps is not None
    assert before.mean < worth.mean < 0.5
    assert worth.low < worth.mean < worth.high
    assert 0.0 < worth.helps < 1.0
    assert (worth.samples, worth.tests) == (4, programme.learner().fitted.tests)  # type: ignore[attr-defined]
    task.tell([1] * 200)
    over = task.worth()
    assert over is not None
    assert over.samples == 204
    assert over.mean > worth.mean


def test_without_a_pool_an_idea_is_worth_the_mean_of_its_samples() -> None:
    """With the interval of Student's t; none for one batch alone, nothing without samples."""
    programme = small()
    task = programme.begin()
    assert task.worth() is None
    task.tell([1, -1])  # t of one degree of freedom: 12.706
    worth = task.worth()
    assert worth is not None
    assert (worth.mean, worth.helps, worth.tests) == (0.0, None, None)
    assert worth.high == pytest.approx(12.706, abs=1e-3)
    days = deciding(fixed(100, 1)).begin()
    days.tell(Batch(10, 4))
    one = days.worth()
    assert one is not None
    assert (one.mean, one.low, one.high) == (0.4, None, None)
    days.tell(Batch(30, 0))
    two = days.worth()
    assert two is not None
    assert two.mean == 0.1
    # By hand: (4 - 1)^2 / 10 + (0 - 3)^2 / 30 = 1.2, and 12.706 * sqrt(1.2 / 40) = 2.2007.
    assert two.low == pytest.approx(0.1 - 2.2007, abs=1e-3)


def test_a_path_has_the_position_and_the_limits_at_each_look() -> None:
    """Sums without a law; the same when the task is over, without what would lie ahead."""
    programme = deciding(Policy([-2, -3, 1], [2, 2, 1]))
    first, task = programme.begin(), programme.begin("blue")
    assert [look.position for look in task.path().looks] == [None, None, None]
    task.tell([1])
    path = task.path()
    assert (path.unit, path.decided_after) == ("sum", None)
    assert [astuple(look) for look in path.looks] == [
        (1, 1.0, -2.0, 2.0),
        (2, None, -3.0, 2.0),
        (3, None, None, 1.0),
    ]
    task.tell([1, -1], key="more")
    waiting = task.path()
    assert waiting.decided_after == 2
    assert [look.position for look in waiting.looks] == [1.0, 2.0, 1.0]
    first.tell([1, 1])
    assert "blue" not in [each.name for each in programme.tasks()]
    assert task.path() == waiting
    task.correct("more", [1, 1])
    assert [look.position for look in task.path().looks] == [1.0, 2.0, 3.0]
    with refused("no task"):
        programme.task("red").path()


def test_a_path_of_batches_is_compared_where_looks_are_due() -> None:
    """At the end of a batch, with the latest look that was due; in standard errors under a law."""
    learner = EmpiricalBayes(Lift(0.1), cap=20_000, setup_cost=2_000, looks=1_000)
    programme = Programme.create("memory:", "checkout", learner=learner, clock=Clock())
    task = programme.begin()
    for day in range(3):
        task.tell(control=Batch(600, 60), treatment=Batch(600, 61), key=f"day {day}")
    path = task.path()
    assert path.unit == "standard errors"
    made = [look for look in path.looks if look.position is not None]
    assert [look.samples for look in made] == [600, 1_200, 1_800]
    noise = sqrt(2 * 0.1 * 0.9)
    assert made[2].position == pytest.approx(3.0 / (noise * sqrt(1_800)))
    assert made[0].upper is None  # no look was due
    assert made[2].lower is made[2].upper is None
    [policy] = programme.learner().peek().policies  # type: ignore[union-attr]
    assert made[1].upper == pytest.approx(policy.upper[999] / (noise * sqrt(1_200)))  # type: ignore[union-attr]
    ahead = [look.samples for look in path.looks if look.position is None]
    assert ahead == list(range(2_000, 20_001, 1_000))


def test_the_limits_of_a_task_are_kept_when_they_are_no_more_in_force() -> None:
    """The learner lets go of old boundaries; the log has those that each task was begun with."""
    programme = learned(1)
    task = programme.begin("early")
    limits = {look.samples: (look.lower, look.upper) for look in task.path().looks}
    task.tell([1, -1])
    task.tell([-1] * 200)
    for _ in range(8):
        programme.begin().tell([-1, 1] * 100)
    path = programme.task("early").path()
    assert path.decided_after is not None
    for look in path.looks:
        if look.lower is not None:
            assert (look.lower, look.upper) == limits[look.samples]
    assert any(look.lower is not None for look in path.looks)
    assert len(path.looks) <= 101


def test_a_path_of_very_many_looks_is_thinned() -> None:
    """First, last and decisive looks stay."""
    cap = 5_000
    task = deciding(Policy([-3000.0] * cap, [3000.0] * (cap - 1) + [-3000.0])).begin()
    task.tell([1] * 1_000)
    path = task.path()
    assert path.looks[0].samples == 1
    assert path.looks[-1].samples == cap
    assert [look.samples for look in path.looks if look.position is not None][-1] == 1_000
    assert len(path.looks) == 200
    task.tell([1] * 2_500)
    decided = task.path()
    assert decided.decided_after == 3_000
    assert 3_000 in [look.samples for look in decided.looks]
