"""Small runs of every kernel against plain twins, with the compiler on and off.

These tests run twice: once compiled like everything else, and once with the compiler switched off,
so that the lines inside the kernels count as covered.
"""

from dataclasses import replace
from math import erfc, inf, log

import numpy as np
import pytest

from dwell import (
    Atoms,
    Beta,
    Cape,
    Gaussian,
    Lift,
    Normal,
    Policies,
    Policy,
    Signs,
    World,
    exact,
    fixed,
    hoeffding,
    simulate,
)
from dwell.kernels.betting import log_capital, means_ruled_out
from dwell.kernels.climbing import climb, means_after
from dwell.kernels.crossing import tail_means
from dwell.kernels.drawing import draw_signs
from dwell.kernels.lattice_induction import (
    first_position,
    improve_lattice,
    induct_lattice,
    means_on_lattice,
)
from dwell.kernels.normal_induction import induct_gaussian
from dwell.kernels.pool_induction import even_sums, induct_pool
from dwell.kernels.pool_walk import spacings_for, walk_pool, walk_values
from dwell.kernels.rest import rest_means
from dwell.laws import Lattice
from dwell.outcomes import scan
from dwell.records import oversampled
from tests.plain import (
    CapeTwin,
    best_limits_of_one_class,
    betting_ends,
    enumerate_sequences,
    plug_in_bets,
    record_task,
    run_policy,
)


@pytest.mark.parametrize("kind", [np.int8, np.float64])
def test_the_scan_stops_where_the_plain_loop_stops(kind: type[np.generic]) -> None:
    """Rows of unequal length, nested caps, steps larger than 1, whole and real numbers."""
    rng = np.random.default_rng(1)
    wide = Policy(-np.arange(3.0, 33.0), np.arange(3.0, 33.0))
    policies = Policies([fixed(3, 1), wide.truncated(9), wide.truncated(20), wide])
    rows = [rng.integers(-2, 4, length).astype(kind) for length in (0, 1, 7, 8, 9, 25, 30, 40, 64)]
    outcomes = scan(np.concatenate(rows), policies, lengths=[len(row) for row in rows])
    for task, row in enumerate(rows):
        for column, policy in enumerate(policies):
            assert isinstance(policy, Policy)
            expected = run_policy(policy, row.tolist())
            ours = outcomes.durations[task, column], outcomes.decisions[task, column]
            assert ours == expected


def test_tail_means_are_means_of_columns() -> None:
    """Of whole and of real numbers."""
    samples = np.array([[1, 1, -1, 1], [0, -1, -1, -1]], dtype=np.int8)
    assert tail_means(samples, 1, 4).tolist() == [pytest.approx(1 / 3), -1.0]
    assert tail_means(samples.astype(float), 2, 4).tolist() == [0.0, -1.0]


def test_lattice_walks_are_sums_over_all_sequences() -> None:
    """Signs and lifts, known values and a conjugate prior."""
    policy = Policy([-2, -2, -1, -9, 1], [2, 3, 2, np.inf, 1])
    signs = {-1: (0.5, -0.5), 1: (0.5, 0.5)}
    prior = [(-0.4, 0.5), (1.0, 0.5)]
    ours = exact(policy, World(Atoms([-0.4, 1.0]), Signs()))
    assert ours.reward[0] == pytest.approx(enumerate_sequences(policy, signs, prior).reward)
    minus, plus = (0.21, -0.3), (0.21, 0.7)
    lifts = {-1: minus, 0: (1 - 0.42, -0.4), 1: plus}
    ours = exact(policy, World(Atoms([-0.2, 0.6]), Lift(0.3)))
    prior = [(-0.2, 0.5), (0.6, 0.5)]
    assert ours.cost[0] == pytest.approx(enumerate_sequences(policy, lifts, prior).cost)
    uniform = exact(fixed(1, 1), World(Beta(1, 1), Signs()))
    assert uniform.roi[0] == pytest.approx(1 / 6)


def test_mass_too_small_to_matter_is_dropped_without_a_trace() -> None:
    """A value near 1 puts next to nothing on the low sums of a long fixed test."""
    table = exact(fixed(60, 0), World(Atoms([0.99]), Signs()))
    assert table.accept_rate[0] == pytest.approx(1.0, abs=1e-12)


def test_gaussian_walks_leave_nothing_behind() -> None:
    """Probabilities sum to 1, whether all tasks stop early, late or in between."""
    policies = hoeffding([1, 4, 8], c=0.35, tasks=100, delta=0.05)
    for prior in (Normal(0, 0.5), Atoms([0.0]), Atoms([50.0]), Atoms([4.0])):
        table = exact(policies, World(prior, Gaussian(1.0)))
        for index in range(3):
            assert table.profile(index).probability.sum() == pytest.approx(1, abs=1e-12)
    wide = exact(Policy([-90] * 9 + [0], [90] * 9 + [0]), World(Atoms([0.0]), Gaussian(1.0)))
    assert wide.accept_rate[0] == pytest.approx(0.5)
    far = exact(Policy([5, 6], [9, 6]), World(Atoms([-90.0]), Gaussian(1.0)))
    assert far.cost[0] == pytest.approx(1.0)


@pytest.mark.parametrize("plus", [0.0, 0.1, 0.25, 0.5, 0.7, 255.5 / 256, 1.0])
@pytest.mark.parametrize("minus", [0.0, 0.002, 0.3, 0.5])
def test_first_bytes_settle_what_they_can(plus: float, minus: float) -> None:
    """A byte stands for an interval of uniform numbers: it ties if a threshold lies inside."""
    if plus + minus > 1.0:
        plus = 1.0 - minus
    not_minus = plus if minus == 0.5 else 1.0 - minus
    every_byte = np.arange(256, dtype=np.uint8)[None, :]
    drawn, tied = np.empty((1, 256), dtype=np.int8), np.empty(256, dtype=np.int64)
    ties = draw_signs(every_byte, np.array([plus]), np.array([not_minus]), drawn, tied)
    for byte in range(256):
        low, high = byte / 256, (byte + 1) / 256
        inside = low < plus < high or low < not_minus < high
        # The last byte also ties with a threshold of 1, which no uniform number reaches.
        assert (byte in tied[:ties]) == (inside or (byte == 255 and not_minus == 1.0 > plus))
        if not inside:
            assert drawn[0, byte] == (1 if high <= plus else -1 if low >= not_minus else 0)


def test_estimates_may_differ_from_policy_to_policy() -> None:
    """One estimate for all and the same one for each give the same sums; a block ends in time."""
    policies = Policies([fixed(1, 1), fixed(2, 1)])
    rows = World(Atoms([0.3]), Signs()).sample(30, 4, rng=2)[1]
    records = oversampled(rows, policies)
    assert records.estimates is not None
    each = replace(records, estimates=np.repeat(records.estimates, 2, axis=1))
    learners = [Cape(policies, tasks=20, exploration_cap=20, announce=False) for _ in range(2)]
    for learner, block in zip(learners, (records, each), strict=True):
        design = learner.begin(20)
        assert design is not None
        assert learner.learn(design, block.first(20)) == 20
    assert learners[0].to_json() == learners[1].to_json()


def test_elimination_drops_what_the_twin_drops() -> None:
    """Earning and losing policies, until one is left or the exploration ends."""
    policies = Policies([fixed(samples, threshold=-3) for samples in (1, 2)])
    for value, cap in ((1.0, 400), (-1.0, 400), (0.0, 120)):
        world = World(Atoms([value]), Signs())
        rows = world.sample(cap, 4, rng=5)[1]
        twin = CapeTwin(policies, 0.05, cap)
        twin.run(rows.tolist())
        learner = Cape(policies, tasks=cap, exploration_cap=cap, announce=False)
        run = simulate(learner, world, tasks=cap, rng=np.random.default_rng(5))
        if value:
            assert run.known.candidates == tuple(twin.candidates)
            assert run.explored == twin.explored
        else:
            assert run.known.candidates == (0, 1)


@pytest.mark.parametrize("kind", [np.int8, np.float64])
@pytest.mark.parametrize("extras", [0, 1, 3])
def test_means_after_stops_are_those_of_the_plain_loop(extras: int, kind: type[np.generic]) -> None:
    """A column per policy; rows that end too soon leave their means alone, and say so."""
    rng = np.random.default_rng(4)
    wide = Policy([-2, -3, -3, 0], [2, 2, 3, 0])
    policies = Policies([fixed(1, 0), wide.truncated(2), fixed(3, -9), wide])
    rows = rng.integers(-1, 2, (60, 6)).astype(kind)
    outcomes = scan(rows, policies)
    means, drawn = np.zeros((60, 4)), np.empty(60, dtype=np.int64)
    each = np.full(len(rows), extras)
    means_after(rows, outcomes.durations, outcomes.decisions, each, means, drawn)
    for task, row in enumerate(rows.tolist()):
        expected = record_task(policies, row, extras)
        assert drawn[task] == expected.drawn
        if expected.drawn <= 6:
            assert means[task].tolist() == pytest.approx(expected.means)
    assert bool((drawn > 6).any()) == (extras > 2)


def test_one_mean_serves_policies_that_accept_together() -> None:
    """Filled by whichever of them accepts."""
    durations = np.array([[1, 2], [1, 1], [1, 2]], dtype=np.int32)
    decisions = np.array([[0, 1], [1, 1], [0, 0]], dtype=np.int8)
    rows = np.array([[1, 1, -1, 1], [1, 0, 1, 0], [1, 1, 1, 1]], dtype=np.int8)
    means, drawn = np.zeros((3, 1)), np.empty(3, dtype=np.int64)
    means_after(rows, durations, decisions, np.full(len(rows), 2), means, drawn)
    assert (means[:, 0].tolist(), drawn.tolist()) == ([0.0, 0.5, 0.0], [4, 3, 2])


@pytest.mark.parametrize("width", [0, 1, 3], ids=["no estimates", "one for all", "one for each"])
def test_climbing_adds_up_differences_of_neighbours(width: int) -> None:
    """Three columns, the second on the first, in a table of five rungs; sums go on from before."""
    rng = np.random.default_rng(6)
    columns, below = np.array([0, 2, 3]), np.array([-1, 0, -1])
    durations = np.cumsum(rng.integers(1, 4, (40, 3)), axis=1).astype(np.int32)
    decisions = np.maximum.accumulate(rng.integers(0, 2, (40, 3)), axis=1).astype(np.int8)
    estimates = rng.normal(size=(40, width))
    sums = rng.random((8, 5))
    expected = sums.copy()
    for task in range(40):
        for j, rung in enumerate(columns):
            duration, accepted = int(durations[task, j]), int(decisions[task, j])
            if below[j] >= 0:
                duration -= int(durations[task, below[j]])
                accepted -= int(decisions[task, below[j]])
            reward = accepted * estimates[task, min(j, width - 1)] if width else 0.0
            deviation = duration - expected[3, rung]
            added = [1, accepted, duration, 0, deviation**2, width > 0, reward, reward**2]
            expected[:, rung] += added
    climb(durations, decisions, estimates, columns, below, sums)
    np.testing.assert_allclose(sums, expected, rtol=1e-12)


@pytest.mark.parametrize("mean", [0.04, 0.5, 0.99])
def test_bets_rule_out_what_bisection_finds_but_for_the_rounding(mean: float) -> None:
    """Never more than the exact capital does, and hardly less."""
    observations = np.random.default_rng(3).beta(4 * mean, 4 * (1 - mean), 40)
    bets = np.array(plug_in_bets(observations.tolist(), 0.1)[1])
    exact_ends = np.array(betting_ends(observations.tolist(), 0.1))
    width = exact_ends[:, 1] - exact_ends[:, 0]
    for resolution in (0.05, 0.01):
        reached = means_ruled_out(observations, bets, log(2 / 0.1), resolution)
        for short in (exact_ends[:, 0] - reached[:, 0], 1 - reached[:, 1] - exact_ends[:, 1]):
            assert (short >= -1e-9).all()
            assert (short <= 1.2 * resolution * width).all()


def test_ends_that_meet_stay_where_they_met() -> None:
    """Observations without a common mean rule out every mean; both ends stop side by side."""
    observations = np.repeat([0.0, 1.0], 60)
    bets = np.array(plug_in_bets(observations.tolist(), 0.5)[1])
    reached = means_ruled_out(observations, bets, log(2 / 0.5), 0.1)
    assert 0.0 <= 1 - reached[-1].sum() <= 0.1
    assert (np.diff(reached, axis=0) >= 0.0).all()


def test_a_capital_beyond_floating_point_is_kept_as_a_logarithm() -> None:
    """Lost and won again: 1,500 factors of 1/2, then as many of 3/2; or up to the goal."""
    observations, bets = np.repeat([0.0, 1.0], 1500), np.ones(3000)
    assert log_capital(observations, bets, 0.5, inf) == pytest.approx(1500 * log(0.75))
    assert log_capital(observations[:1500], bets, 0.5, 5.0) == pytest.approx(1500 * log(0.5))
    assert log_capital(observations[1500:], bets, 0.5, 1e4) == pytest.approx(1500 * log(1.5))
    assert log_capital(observations[1500:], bets, 0.5, 600.0) == inf


def test_means_on_a_lattice_are_those_of_bayes() -> None:
    """After d samples with a sum, the mean of the value is that of Bayes' rule."""
    values, weights, moves = np.array([-0.5, 0.2, 0.9]), np.array([0.5, 0.3, 0.2]), Signs().moves
    means = means_on_lattice(values, weights, 2, moves, 6, 6)
    for d in range(7):
        for ups in range(d + 1):
            likelihood = weights * ((1 + values) / 2) ** ups * ((1 - values) / 2) ** (d - ups)
            assert means[d, ups] == pytest.approx(likelihood @ values / likelihood.sum())
        # Beyond what can be reached there is what is nearest.
        assert means[d, d:].tolist() == [means[d, d]] * (7 - d)


def test_means_may_leave_out_sums_that_nobody_reaches() -> None:
    """With room for sums up to 4 only, the means near 0 are what they are with room for all."""
    values, weights, moves = np.array([-0.02, 0.02]), np.array([0.6, 0.4]), Lift(0.05).moves
    wide = means_on_lattice(values, weights, 1, moves, 12, 12)
    narrow = means_on_lattice(values, weights, 1, moves, 4, 12)
    for d in range(13):
        for total in range(-min(d, 2), min(d, 2) + 1):
            row = narrow[d, total + d - first_position(d, 1, 4)]
            assert row == pytest.approx(wide[d, total + d], rel=1e-3)


@pytest.mark.parametrize("law", [Signs(), Lift(0.3)])
def test_induction_on_a_lattice_is_what_a_plain_recursion_finds(law: Lattice) -> None:
    """Sums are dropped, kept and shipped as by the worth of every position."""
    values, weights, cap, price = np.array([-0.2, 0.3]), np.array([0.6, 0.4]), 7, 0.004
    means = means_on_lattice(values, weights, law.stride, law.moves, cap, cap)
    lower, upper = np.empty(cap), np.empty(cap)
    nothing = np.zeros(cap + 1)
    induct_lattice(means, cap, nothing, nothing, law.stride, law.moves, price, lower, upper)
    reach = 3 - law.stride
    worth = np.maximum(means[cap], 0.0)[: reach * cap + 1]
    for d in range(cap - 1, 0, -1):
        mean = means[d, : reach * d + 1]
        chances = law.moves[: reach + 1, :1] + law.moves[: reach + 1, 1:] * mean
        onward = sum(chances[k] * worth[k : k + len(mean)] for k in range(reach + 1)) - price
        sums = law.stride * np.arange(len(mean)) - d
        goes_on = onward > np.maximum(mean, 0.0)
        assert ((sums > lower[d - 1]) & (sums < upper[d - 1])).tolist() == goes_on.tolist()
        assert (mean[sums >= upper[d - 1]] > 0.0).all()
        worth = np.maximum(onward, np.maximum(mean, 0.0))


def test_improving_raises_what_a_policy_is_worth_until_it_cannot() -> None:
    """From boundaries chosen badly, each sweep is worth more, and the last changes nothing."""
    law, price = Lift(0.4), 0.01
    values, weights = np.array([-0.3, 0.1, 0.5]), np.array([0.5, 0.3, 0.2])
    world = World(Atoms(values.tolist(), weights.tolist()), law)
    lower, upper = np.array([-2.0, -3.0, -4.0, 3.0]), np.array([2.0, 3.0, 4.0, 3.0])
    worth = [-np.inf]
    while improve_lattice(values, weights, law.stride, law.moves, price, lower, upper):
        table = exact(Policy(lower, upper), world)
        worth.append(float(table.reward[0] - price * table.cost[0]))
        assert worth[-1] > worth[-2]
    assert len(worth) > 1


def test_normal_induction_puts_boundaries_where_looking_on_is_worth_nothing() -> None:
    """With two looks, the first has its boundaries where one more sample just pays its price."""
    prior_variance, noise, price = 1.0, 1.5, 0.05
    looks = np.array([1, 2])
    variance = 1.0 / (1.0 / prior_variance + looks / noise**2)
    slope = variance / noise**2
    intercept = variance * -0.2 / prior_variance
    constant = 0.5 * np.log(variance) - 0.02 + intercept**2 / (2 * variance)
    evidence = np.stack([constant, intercept * slope / variance, slope**2 / (2 * variance)], axis=1)
    lower, upper = np.empty(2), np.empty(2)
    nodes, rule = np.polynomial.legendre.leggauss(10)
    induct_gaussian(
        looks,
        noise,
        intercept[:, None],
        slope[:, None],
        variance[:, None],
        evidence[:, None, :],
        -intercept / slope,
        np.array([[-30.0, 30.0]] * 2),
        price,
        9.0,
        (nodes + 1) / 2,
        rule / 2,
        3.0,
        lower,
        upper,
    )
    assert lower[1] == upper[1] == pytest.approx(-intercept[1] / slope[1])
    spread = np.sqrt(variance[0] - variance[1])  # of the mean that the second look will find
    for edge, at_once in ((lower[0], 0.0), (upper[0], intercept[0] + slope[0] * upper[0])):
        mean = intercept[0] + slope[0] * edge
        density = np.exp(-0.5 * (mean / spread) ** 2) / np.sqrt(2 * np.pi)
        onward = spread * density + mean * 0.5 * erfc(-mean / spread / np.sqrt(2)) - price
        assert onward == pytest.approx(at_once, abs=1e-9)
    assert lower[0] < upper[0]


@pytest.mark.parametrize(
    ("looks", "drifts", "price"),
    [
        ([2, 4, 6, 8], [-0.7, 0.0, 0.4, 0.9], 0.01),
        ([1, 6, 8, 12], [-0.5, 0.6], 0.005),  # a step so long that likelihoods may overflow
        ([3, 4], [-0.5, 0.3], 0.3),  # samples so dear that nobody goes on
        ([1, 2, 3], [-3.0, -0.1, 2.0], 0.02),  # drifts beside which the noise is small
    ],
)
def test_pool_induction_finds_the_limits_that_posteriors_on_a_fine_grid_find(
    looks: list[int], drifts: list[float], price: float
) -> None:
    """To within a step of the grid."""
    values, weights = np.array(drifts), np.full(len(drifts), 1 / len(drifts))
    sums = np.linspace(-30, 30, 1201)
    expected = np.array(best_limits_of_one_class(values, weights, looks, price, sums))
    when, spacings = np.array(looks), np.array([0.3 * 2.0 ** (k % 2) for k in range(len(looks))])
    even = even_sums(when, values, weights, weights * values)
    lower, upper = np.empty(len(looks)), np.empty(len(looks))
    induct_pool(when, spacings, values, weights, weights * values, even, price, lower, upper)
    assert lower == pytest.approx(expected[:, 0], abs=0.051)
    assert upper == pytest.approx(expected[:, 1], abs=0.051)


@pytest.mark.parametrize("far", [0.0, 50.0])
def test_pool_walks_give_the_exact_rates(far: float) -> None:
    """Of drifts below and above 0; also under limits beyond all sums."""
    looks, spacings = np.array([2, 4, 8]), np.array([0.25, 0.25, 0.5])
    drifts, lower, upper = (
        np.array([-0.8, 0.0, 1.0]),
        [-1.0, -0.5 - far, 0.3],
        [2.5, 2.0 + far, 0.3],
    )
    accept, samples = np.empty(3), np.empty(3)
    walk_pool(looks, spacings, drifts, np.array(lower), np.array(upper), accept, samples)
    boundaries = np.full((2, 8), inf)
    boundaries[0] = -inf
    boundaries[:, looks - 1] = lower, upper
    for j, drift in enumerate(drifts):
        table = exact(Policy(*boundaries), World(Atoms([drift]), Gaussian(1)))
        assert accept[j] == pytest.approx(table.accept_rate[0], abs=1e-5)
        assert samples[j] == pytest.approx(table.cost[0], rel=1e-5)


def test_spacings_are_as_fine_as_steps_and_drifts_ask_for() -> None:
    """As plain numpy has it: of the least one, the largest power of 2 that is fine enough."""
    rng = np.random.default_rng(5)
    for _ in range(20):
        looks = np.cumsum(rng.integers(1, 5_000, rng.integers(1, 20)))
        drifts = rng.normal(0.0, rng.choice([0.0, 0.01, 2.0]), 5)
        gaps = np.diff(looks, prepend=0).astype(float)
        steps = np.sqrt(np.minimum(gaps, np.append(gaps[1:], inf)))
        steepest = np.minimum(np.abs(drifts).max(), 4.0 / np.sqrt(looks))
        widest = np.minimum(0.35 * steps, 0.5 / np.maximum(steepest, 1e-300))
        expected = widest.min() * 2.0 ** np.floor(np.log2(widest / widest.min()) + 1e-9)
        assert spacings_for(looks, drifts) == pytest.approx(expected, rel=1e-12)


def test_values_far_apart_are_walked_as_if_alone() -> None:
    """In any order; 40 standard errors are farther than one walk bears."""
    looks, lower, upper = np.array([4, 25]), np.array([-1.0, 0.5]), np.array([2.0, 0.5])
    values = np.array([8.0, -0.3, 0.1, -8.0, 0.4])
    accept, samples = np.empty(5), np.empty(5)
    walk_values(looks, values, lower, upper, accept, samples)
    for j, value in enumerate(values):
        alone = np.empty(1), np.empty(1)
        walk_values(looks, np.array([value]), lower, upper, *alone)
        assert (accept[j], samples[j]) == pytest.approx((alone[0][0], alone[1][0]), abs=1e-4)
    assert accept[[0, 3]] == pytest.approx([1.0, 0.0], abs=1e-9)


def test_rest_means_are_means_of_what_follows() -> None:
    """After an acceptance all later samples count, and nothing where there was none."""
    samples = np.array([1.0, 2.0, 4.0, 8.0, 1.0, 3.0])
    means = np.full((2, 2), 9.0)
    durations = np.array([[1, 3], [1, 1]], dtype=np.int32)
    decisions = np.array([[1, 1], [0, 1]], dtype=np.int8)
    rest_means(samples, np.array([0, 4, 6]), durations, decisions, means)
    assert means == pytest.approx(np.array([[14 / 3, 8.0], [0.0, 3.0]]))
