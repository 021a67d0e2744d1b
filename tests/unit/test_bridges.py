"""Sums halfway between two looks: moments against integrals, sums of squares against a loop."""

from math import inf, sqrt

import numpy as np
import pytest
from scipy import integrate, stats

from dwell import InvalidInput, Policy, fixed
from dwell.fitting.dispersion import FACTORS, Dispersion, Spreads, limits_by, spreads
from dwell.kernels.bridges import moments_between
from dwell.periods import Periods, scan_periods
from dwell.wire import plain, typed


@pytest.mark.parametrize(
    ("low", "high"), [(-inf, inf), (-1.0, 0.5), (2.0, inf), (-inf, -3.0), (4.0, 4.5), (-0.01, 0.01)]
)
def test_moments_within_limits_are_their_integrals(low: float, high: float) -> None:
    """The second and the fourth moment of a normal number that is known to lie between limits."""
    ends = max(low, -12.0), min(high, 12.0)
    chance, square, fourth = (
        integrate.quad(lambda z, power=power: z**power * stats.norm.pdf(z), *ends)[0]
        for power in (0, 2, 4)
    )
    found = moments_between(low, high)
    assert found == pytest.approx((square / chance, fourth / chance), rel=1e-6, abs=1e-9)


def drawn(tests: int, seed: int) -> tuple[Periods, np.ndarray, np.ndarray, np.ndarray]:
    """Tests of 0 to 5 periods with limits that their sums keep."""
    rng = np.random.default_rng(seed)
    lengths = rng.integers(0, 6, tests)
    counts = rng.integers(1, 9, lengths.sum())
    sums = rng.normal(0.0, 2.0, lengths.sum())
    totals = np.concatenate([np.cumsum(part) for part in np.split(sums, np.cumsum(lengths)[:-1])])
    lowest = np.where(rng.random(len(sums)) < 0.3, -inf, totals - rng.exponential(2.0, len(sums)))
    highest = np.where(rng.random(len(sums)) < 0.3, inf, totals + rng.exponential(2.0, len(sums)))
    return Periods(lengths, counts, sums), rng.uniform(0.5, 2.0, tests), lowest, highest


def test_squares_are_what_a_plain_loop_finds() -> None:
    """Pairs from the end, each against the straight line between its ends, within its limits."""
    periods, variances, lowest, highest = drawn(40, seed=1)
    found = spreads(periods, variances, lowest, highest)
    for test, (start, end) in enumerate(zip(periods.starts, periods.starts[1:], strict=False)):
        pairs, squares, expected = 0, 0.0, 0.0
        for last in range(end - 1, start, -2):
            n, m = periods.counts[last - 1], periods.counts[last]
            before = periods.sums[start : last - 1].sum()
            line = before + (periods.sums[last - 1] + periods.sums[last]) * n / (n + m)
            scale = sqrt(variances[test] * n * m / (n + m))
            pairs += 1
            squares += ((before + periods.sums[last - 1] - line) / scale) ** 2
            limits = (lowest[last - 1] - line) / scale, (highest[last - 1] - line) / scale
            expected += float(stats.truncnorm(*limits).moment(2))
        assert found.found[test].tolist() == pytest.approx([pairs, squares])
        assert found.expected[test, 0] == pytest.approx(expected)


def test_a_larger_factor_is_a_wider_normal_law() -> None:
    """What is expected for a factor is what is expected for 1 with that variance, in its units."""
    periods, variances, lowest, highest = drawn(40, seed=2)
    found = spreads(periods, variances, lowest, highest)
    for kind in (3, 9):
        wider = spreads(periods, variances * FACTORS[kind], lowest, highest)
        assert found.expected[:, kind] == pytest.approx(FACTORS[kind] * wider.expected[:, 0])
        assert found.variance[:, kind] == pytest.approx(FACTORS[kind] ** 2 * wider.variance[:, 0])


def test_what_hardly_could_have_been_is_left_out() -> None:
    """Limits ten deviations from the straight line leave nothing to learn from a pair."""
    periods = Periods(np.array([2]), np.array([50, 50]), np.array([100.0, -100.0]))
    found = spreads(periods, np.ones(1), np.array([80.0, -inf]), np.full(2, inf))
    assert found.found.tolist() == [[0.0, 0.0]]
    assert not found.expected.any()


LIMITED = [
    Policy([-3.0] * 20 + [1.0], [4.0] * 20 + [1.0]),
    Policy([-inf, -inf, -1.0, -inf, -2.0, 0.0], [inf, 2.0, inf, inf, 3.0, 0.0]),
    fixed(9, 1),
]


@pytest.mark.parametrize("policy", LIMITED, ids=["every sample", "few looks", "one look"])
def test_limits_are_where_a_test_would_have_gone_another_way(policy: Policy) -> None:
    """A sum moved to anywhere within its limits changes nothing, one beyond them does."""
    periods, *_ = drawn(150, seed=6)
    lowest, highest = limits_by(periods, policy)
    went = scan_periods(periods, policy)
    inside = beyond = 0
    for test, start in enumerate(periods.starts[:-1]):
        for last in range(periods.lengths[test]):
            sums = periods.sums[start : start + periods.lengths[test]].copy()
            total = sums[: last + 1].sum()
            low, high = lowest[start + last], highest[start + last]
            assert low <= total <= high
            for moved, same in (
                (max(low, -50.0) + 1e-6, True),
                (min(high, 50.0) - 1e-6, True),
                (low - 1e-6, False),
                (high + 1e-6, False),
            ):
                if abs(moved) < inf and max(low, -50.0) + 1e-5 < min(high, 50.0):
                    other = sums.copy()
                    other[last] += moved - total
                    other[last + 1 : last + 2] -= moved - total
                    length = periods.lengths[test : test + 1]
                    counts = periods.counts[start : start + periods.lengths[test]]
                    found = scan_periods(Periods(length, counts, other), policy)
                    alike = (found.durations[0, 0], found.decisions[0, 0]) == (
                        went.durations[test, 0],
                        went.decisions[test, 0],
                    )
                    assert alike == same
                    inside, beyond = inside + same, beyond + (not same)
    assert inside > 100
    assert beyond > 50


def whole(seed: int) -> Spreads:
    periods, variances, lowest, highest = drawn(200, seed)
    return spreads(periods, variances, lowest, highest)


def test_blocks_and_single_tests_give_the_same_bits() -> None:
    """However tests are put into blocks; and the state comes back from JSON's types."""
    shown = whole(seed=3)
    block, single = Dispersion.empty(), Dispersion.empty()
    block.take(shown)
    for test in range(len(shown)):
        single.take(shown.part(test, test + 1))
    assert plain(block) == plain(single)
    assert typed(plain(block), Dispersion).measured() == block.measured()


def test_nothing_is_known_of_tests_of_one_period() -> None:
    """Whatever their number."""
    dispersion = Dispersion.empty()
    assert dispersion.measured()[:3] == (1.0, inf, False)
    periods = Periods(np.ones(9, dtype=int), np.full(9, 100), np.arange(9.0))
    dispersion.take(spreads(periods, np.ones(9), np.full(9, -inf), np.full(9, inf)))
    assert dispersion.tests == 9
    assert dispersion.measured()[:3] == (1.0, inf, False)


def test_the_standard_error_is_that_of_squares_of_normal_numbers() -> None:
    """Without limits, the factor found from n pairs has a standard error of sqrt(2 / n) of it."""
    rng = np.random.default_rng(5)
    sums, free = rng.normal(0.0, 30.0, 4000), np.full(4000, inf)
    for known, factor in ((9.0, 1.0), (3.0, 3.0)):
        dispersion = Dispersion.empty()
        periods = Periods(np.full(2000, 2), np.full(4000, 100), sums)
        dispersion.take(spreads(periods, np.full(2000, known), -free, free))
        measured = dispersion.measured()
        error = factor * sqrt(2.0 / 2000)
        assert measured.standard_error == pytest.approx(error, rel=0.2)
        assert measured.factor == pytest.approx(factor, abs=4.0 * error)
        assert measured.significant == (factor > 1.0)


@pytest.mark.parametrize("variance", [0.0, -1.0, inf, np.nan])
def test_a_variance_that_is_none_is_refused(variance: float) -> None:
    """In one sentence."""
    periods, _, lowest, highest = drawn(3, seed=4)
    with pytest.raises(InvalidInput, match="3 tests needs a finite variance > 0"):
        spreads(periods, np.array([1.0, variance, 1.0]), lowest, highest)


def test_limits_that_cross_or_are_missing_are_refused() -> None:
    """Each period has two, in order."""
    periods, variances, lowest, highest = drawn(3, seed=4)
    with pytest.raises(InvalidInput, match="lowest <= highest"):
        spreads(periods, variances, np.full_like(highest, 1.0), np.zeros_like(highest))
    with pytest.raises(InvalidInput, match="needs limits"):
        spreads(periods, variances, lowest[:-1], highest)
