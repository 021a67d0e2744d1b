"""Intervals at all n: against plain twins, published forms and measured widths; and refusals."""

import subprocess
import sys
from collections.abc import Callable
from math import inf, log, nan, sqrt
from statistics import NormalDist, mean, stdev
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import special

from dwell.estimate import (
    Bounds,
    Intervals,
    betting,
    difference,
    empirical_bernstein,
    hoeffding,
    normal,
    roi,
)
from tests.plain import betting_ends, empirical_bernstein_ends
from tests.refusals import refused
from tests.strategies import PROPERTY

Sequence = Callable[..., Intervals]
VALID = [hoeffding, empirical_bernstein, betting]
EVERY = pytest.mark.parametrize("sequence", [*VALID, normal])
EVERY_VALID = pytest.mark.parametrize("sequence", VALID)
UNIT = st.lists(st.floats(0, 1), min_size=1, max_size=60)
ALPHAS = st.sampled_from([0.001, 0.05, 0.5])


def test_the_package_is_loaded_when_it_is_first_used() -> None:
    """Importing dwell alone is enough to get at it, and it is listed."""
    code = "import dwell; assert 'estimate' in dir(dwell); print(dwell.estimate.betting.__name__)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "betting"


@given(UNIT, ALPHAS)
@PROPERTY
def test_empirical_bernstein_is_theorem_2_written_out(x: list[float], alpha: float) -> None:
    """Sums in arrays against sums in loops."""
    found = empirical_bernstein(x, alpha=alpha, low=0, high=1)
    for n, (low, high) in enumerate(empirical_bernstein_ends(x, alpha)):
        if low > high:  # the last one that is not empty stays
            break
        assert (found.low[n], found.high[n]) == pytest.approx((low, high), abs=1e-9)


@given(UNIT, ALPHAS)
@PROPERTY
def test_betting_is_theorem_3_rounded_outward(x: list[float], alpha: float) -> None:
    """Never inside what bisection finds, and outside by about the resolution at most."""
    found = betting(x, alpha=alpha, low=0, high=1, resolution=0.01)
    for n, (low, high) in enumerate(betting_ends(x, alpha)):
        if high - low < 1 / (n + 1):  # no common mean: the ends stop where they meet
            break
        for short in (low - found.low[n], found.high[n] - high):
            assert -1e-9 <= short <= 0.012 * (high - low)


def test_hoeffding_is_above_the_stitched_boundary_it_rounds() -> None:
    """Howard et al. 2021, polynomial stitching: eta = 2, s = 1.4, m = 1; alpha / 2 on a side."""
    n = np.arange(1.0, 2001.0)
    k1 = (2**0.25 + 2**-0.25) / sqrt(2)
    for alpha in (1e-4, 0.05, 0.9):
        level = np.log(special.zeta(1.4) / (alpha / 2 * log(2) ** 1.4))
        stitched = k1 * np.sqrt(n * (1.4 * np.log(np.log(2 * n)) + level))
        # Means that stay at 1/2, in a range so wide that nothing is clipped.
        found = hoeffding(np.zeros(2000), alpha=alpha, low=-50, high=50)
        assert (found.high * n >= 50 * stitched - 1e-9)[found.high < 50].all()
        assert (found.high * n <= 50 * 1.02 * stitched).all()


def test_normal_is_the_textbook_interval_and_says_what_it_is() -> None:
    """Mean, standard deviation and quantile of the standard library."""
    x = np.random.default_rng(1).uniform(-1, 3, 30)
    found = normal(x, alpha=0.1, low=-1, high=3)
    assert found.approximate
    assert (found.low[0], found.high[0]) == (-1, 3)
    for n in range(2, 31):
        error = NormalDist().inv_cdf(0.95) * stdev(x[:n]) / sqrt(n)
        expected = max(mean(x[:n]) - error, -1), min(mean(x[:n]) + error, 3)
        assert (found.low[n - 1], found.high[n - 1]) == pytest.approx(expected)
    for sequence in VALID:
        assert not sequence(x, alpha=0.1, low=-1, high=3).approximate


@EVERY
@given(x=UNIT, alpha=ALPHAS, cut=st.integers(1, 60))
@PROPERTY
def test_intervals_are_ordered_clipped_and_nested_and_know_no_future(
    sequence: Sequence, x: list[float], alpha: float, cut: int
) -> None:
    """Whatever the observations; those of the first n are the same with and without the rest."""
    whole, part = (sequence(y, alpha=alpha, low=0, high=1) for y in (x, x[:cut]))
    assert len(whole.low) == len(whole.high) == len(x)
    assert (whole.low >= 0).all()
    assert (whole.high <= 1).all()
    assert (whole.low <= whole.high).all()
    if sequence is not normal:
        assert (np.diff(whole.low) >= 0).all()
        assert (np.diff(whole.high) <= 0).all()
    assert whole.low[:cut] == pytest.approx(part.low, abs=1e-12)
    assert whole.high[:cut] == pytest.approx(part.high, abs=1e-12)


@EVERY
@pytest.mark.parametrize(("scale", "shift"), [(3.0, -7.0), (-1.0, 1.0), (-1e-3, 1e3)])
def test_intervals_move_with_the_observations(
    sequence: Sequence, scale: float, shift: float
) -> None:
    """Scaled, shifted or mirrored with their range; betting to twice its resolution."""
    x = np.random.default_rng(2).beta(1, 9, 300)
    plain = sequence(x, alpha=0.05, low=0, high=1)
    low, high = sorted((shift, scale + shift))
    moved = sequence(np.clip(scale * x + shift, low, high), alpha=0.05, low=low, high=high)
    ends = np.sort([scale * plain.low + shift, scale * plain.high + shift], axis=0)
    tolerance = 2e-3 * (ends[1] - ends[0]) if sequence is betting else 1e-9 * abs(scale)
    assert (np.abs(moved.low - ends[0]) <= tolerance).all()
    assert (np.abs(moved.high - ends[1]) <= tolerance).all()


@EVERY_VALID
def test_observations_without_a_common_mean_leave_the_last_interval(sequence: Sequence) -> None:
    """First all 0, then all 1: the intersection would be empty."""
    found = sequence(np.repeat([0.0, 1.0], 2000), alpha=0.05, low=0, high=1)
    assert (found.low <= found.high).all()
    assert found.low[-1] == found.low[-2]
    assert found.high[-1] < 0.3


# Half-widths in units of the range of Beta(2, 48) observations at alpha = 0.05 / 200, measured on
# throwaway prototypes: the project's anchors/confidence_halfwidths.csv, columns prpl_eb_cs and
# betting_cs. The former were measured before clipping to [0, 1]: up from the mean, where none is.
ANCHORS = {
    50: (0.362, 0.156),
    200: (0.091, 0.048),
    1000: (0.0184, 0.0112),
    10_000: (0.0021, 0.0016),
}


@pytest.mark.parametrize("n", ANCHORS)
def test_half_widths_are_those_that_prototypes_had(n: int) -> None:
    """The mean over ten seeds, within 5 % of what was measured there (as it was rounded)."""
    bernstein, bets = [], []
    for seed in range(10):
        x = np.random.default_rng(seed).beta(2, 48, n)
        bernstein.append(
            empirical_bernstein(x, alpha=0.05 / 200, low=0, high=1).high[-1] - x.mean()
        )
        found = betting(x, alpha=0.05 / 200, low=0, high=1)
        bets.append((found.high[-1] - found.low[-1]) / 2)
    assert (np.mean(bernstein), np.mean(bets)) == pytest.approx(ANCHORS[n], rel=0.05)


def test_a_finer_resolution_narrows_the_interval_a_little() -> None:
    """By no more than the coarser one promises."""
    x = np.random.default_rng(0).beta(2, 8, 500)
    coarse, fine = (betting(x, alpha=0.05, low=0, high=1, resolution=r) for r in (0.05, 1e-4))
    gained = (coarse.high - coarse.low) / (fine.high - fine.low)
    assert (gained > 1 - 1e-4).all()
    assert 1.0 < gained[-1] < 1.12


BAD: list[tuple[dict[str, Any], tuple[object, ...]]] = [
    *(({"alpha": bad}, ("alpha", bad)) for bad in (0, 1, -0.1, 2, nan, "low", None)),
    *(({"observations": [0.5, bad]}, ("observations", bad, 2)) for bad in (nan, inf, -inf, 1.5)),
    *(({"observations": bad}, ("observations", "shape")) for bad in ([], [[0.5]], 0.5)),
    *(({"observations": bad}, ("observations", "must be")) for bad in ("many", ["x"], [10**400])),
    ({"low": 1, "high": 1}, ("low", "high", 1.0)),
    ({"low": 2, "high": 1}, ("low", "high", 2.0)),
    ({"low": -1.7e308, "high": 1.7e308}, ("low", "high", "finite")),
    *(({"low": bad}, ("low", bad)) for bad in (nan, -inf, "none", None)),
    *(({"high": bad}, ("high", bad)) for bad in (nan, inf, "none", None)),
]


@EVERY
@pytest.mark.parametrize(("bad", "named"), BAD)
def test_bad_observations_and_ranges_are_refused(
    sequence: Sequence, bad: dict[str, Any], named: tuple[object, ...]
) -> None:
    """The value is named, and where it stood."""
    with refused(*named):
        sequence(**{"observations": [0.5], "alpha": 0.05, "low": 0, "high": 1, **bad})


@pytest.mark.parametrize("resolution", [0, 1, -1, nan, 1e-7, "fine"])
def test_a_resolution_that_cannot_be_worked_with_is_refused(resolution: Any) -> None:
    """Too fine a one would never be done."""
    with refused("resolution", resolution):
        betting([0.5], alpha=0.05, low=0, high=1, resolution=resolution)


@EVERY
@pytest.mark.parametrize("alpha", [1e-310, 5e-324])
def test_an_alpha_however_small_can_be_worked_with(sequence: Sequence, alpha: float) -> None:
    """1 / alpha may be beyond floating point and alpha / 2 be 0; its logarithm is neither."""
    found = sequence([0.1, 0.2] * 2000, alpha=alpha, low=0, high=1)
    assert 0.05 < found.high[-1] < 1


def drawn(seed: int, tasks: int = 200, cap: int = 5) -> tuple[Any, Any]:
    rng = np.random.default_rng(seed)
    return rng.uniform(-1, 2, tasks), rng.integers(1, cap + 1, tasks)


@EVERY
def test_the_roi_interval_is_what_both_intervals_allow(sequence: Any) -> None:
    """Each at alpha / 2, with the set-up in the cost; nested as they are."""
    rewards, durations = drawn(1)
    found = roi(rewards, durations, alpha=0.1, bound=2, cap=5, setup_cost=0.5, sequence=sequence)
    reward = sequence(rewards, alpha=0.05, low=-2, high=2)
    cost = sequence(durations, alpha=0.05, low=1, high=5)
    bounds = Bounds(reward.low, reward.high, 0.5 + cost.low, 0.5 + cost.high)
    assert found.low.tolist() == bounds.roi_low.tolist()
    assert found.high.tolist() == bounds.roi_high.tolist()
    assert found.approximate == (sequence is normal)
    if sequence is not normal:
        assert (np.diff(found.low) >= 0).all()
        assert (np.diff(found.high) <= 0).all()


def test_the_cost_of_a_policy_that_draws_one_sample_is_known() -> None:
    """Its ROI interval is that of its reward."""
    rewards, durations = drawn(2, cap=1)
    found = roi(rewards, durations, alpha=0.1, bound=2, cap=1, setup_cost=1)
    reward = empirical_bernstein(rewards, alpha=0.05, low=-2, high=2)
    assert found.low.tolist() == (reward.low / 2).tolist()
    assert found.high.tolist() == (reward.high / 2).tolist()


def compared(swap: bool = False, **changes: Any) -> Any:
    """A policy that draws 5 samples and one that draws 2, with the same rewards."""
    rewards, _ = drawn(3, 400)
    one, other = (rewards, np.full(400, 5), 5), (rewards, np.full(400, 2), 2)
    if swap:
        one, other = other, one
    arguments = {
        "rewards": one[0],
        "durations": one[1],
        "other_rewards": other[0],
        "other_durations": other[1],
        **{"roi_low": 0.1, "roi_high": 0.4, "alpha": 0.05, "bound": 2},
        **{"cap": one[2], "other_cap": other[2], **changes},
    }
    return difference(**arguments)


def test_a_policy_that_costs_more_for_the_same_is_worse() -> None:
    """It loses 3 t per task, t between 0.1 and 0.4: seen from some task on, and for good."""
    found = compared()
    assert (found.low <= -3 * 0.4).all()
    assert (found.high >= -3 * 0.1 - 1e-12).all()
    assert not found.worse[0]
    assert found.worse[-1]
    assert (np.diff(found.worse.astype(int)) >= 0).all()
    assert not found.other_worse.any()


def test_a_comparison_the_other_way_round_is_its_mirror_image() -> None:
    """What makes one worse makes the other one better."""
    one, other = compared(), compared(swap=True)
    assert one.low == pytest.approx(-other.high)
    assert one.worse.tolist() == other.other_worse.tolist()


def test_a_comparison_covers_every_roi_in_between() -> None:
    """What holds at both ends holds between them; a negative ROI turns the line around."""
    whole = compared(roi_low=-0.3, roi_high=0.4)
    for best in (-0.3, 0.4):
        part = compared(roi_low=best, roi_high=best)
        assert (whole.low <= part.low).all()
        assert (whole.high >= part.high).all()
    assert not whole.worse.any()
    assert compared(roi_low=-0.3, roi_high=-0.1).other_worse[-1]


BAD_PAIRS: list[tuple[dict[str, Any], tuple[object, ...]]] = [
    ({"rewards": [0.5, nan]}, ("rewards", nan, 2)),
    ({"rewards": [-3.0, 0.5]}, ("rewards", -3.0, 1)),
    ({"durations": [1, 4]}, ("durations", 4.0, 2)),
    ({"durations": [0, 1]}, ("durations", 0.0, 1)),
    ({"durations": [1]}, ("same tasks", "2, 1")),
    ({"alpha": 0}, ("alpha", 0)),
    ({"bound": 0}, ("bound", 0)),
    ({"bound": inf}, ("bound", inf)),
    ({"cap": 0}, ("cap", 0)),
    ({"cap": 1.5}, ("cap", 1.5)),
]


@pytest.mark.parametrize(("bad", "named"), [*BAD_PAIRS, ({"setup_cost": -1}, ("set-up cost", -1))])
def test_bad_rewards_and_durations_are_refused(
    bad: dict[str, Any], named: tuple[object, ...]
) -> None:
    """For the ROI of one policy."""
    good = {"rewards": [0, 1], "durations": [1, 3], "alpha": 0.05, "bound": 2, "cap": 3}
    with refused(*named):
        roi(**{**good, **bad})


@pytest.mark.parametrize(
    ("bad", "named"),
    [
        *BAD_PAIRS,
        ({"other_rewards": [0.5, 9]}, ("other_rewards", 9.0, 2)),
        ({"other_durations": [1, 3]}, ("other_durations", 3.0, 2)),
        ({"other_durations": [1, 2, 1]}, ("same tasks", 3)),
        ({"other_cap": -1}, ("other_cap", -1)),
        ({"roi_low": 0.3}, ("roi_low", "roi_high", 0.3, 0.2)),
        ({"roi_low": nan}, ("roi_low", nan)),
        ({"roi_high": inf}, ("roi_high", inf)),
    ],
)
def test_bad_pairs_are_refused(bad: dict[str, Any], named: tuple[object, ...]) -> None:
    """For the comparison of two."""
    good = {
        **{"rewards": [0, 1], "durations": [1, 3], "bound": 2, "cap": 3, "alpha": 0.05},
        **{"other_rewards": [0, 1], "other_durations": [1, 2], "other_cap": 2},
        **{"roi_low": 0.1, "roi_high": 0.2},
    }
    with refused(*named):
        difference(**{**good, **bad})
