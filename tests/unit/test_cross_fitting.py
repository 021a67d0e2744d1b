"""Cross-fitting: a choice is scored by tests that had no part in it, by a plain twin."""

from typing import NamedTuple

import numpy as np
import pytest
from scipy import stats

from dwell.arrays import FloatArray
from dwell.history.replay.cross_fitting import Corrected, cross_fitted
from dwell.history.replay.scores import Scores

SETUP = 5.0


class Past(NamedTuple):
    """What policies earned in tests and how long they ran; and the current rule."""

    earned: FloatArray
    drawn: FloatArray
    earned_now: FloatArray
    drawn_now: FloatArray


def past(tests: int, policies: int = 4, seed: int = 0) -> Past:
    rng = np.random.default_rng(seed)
    shape = (policies, tests)
    drawn = rng.integers(1, 20, shape).astype(float)
    earned = rng.normal(0.3, 1.0, shape) * (rng.random(shape) < 0.5)
    return Past(earned, drawn, rng.normal(0.1, 1.0, tests), np.full(tests, 25.0))


def corrected(of: Past, alpha: float = 0.05) -> Corrected:
    scores = [Scores(*pair, 20, SETUP) for pair in zip(of.earned, of.drawn, strict=True)]
    return cross_fitted(scores, Scores(of.earned_now, of.drawn_now, None, SETUP), alpha)


def best(earned: FloatArray, paid: FloatArray) -> int:
    return int(np.argmax(earned.sum(axis=1) / paid.sum(axis=1)))


def plain(of: Past) -> tuple[float, FloatArray, tuple[int, ...]]:
    """The figure, how each test moves it, and what was chosen: test by test."""
    earned, paid = of.earned, SETUP + of.drawn
    tests = earned.shape[1]
    folds = min(5, tests)
    in_turn = np.arange(tests) % folds
    again = [np.random.default_rng(repeat).permutation(in_turn) for repeat in range(1, 20)]
    ways = [in_turn, *again] if tests > folds else [in_turn]
    chosen, ratios, moved = [], [], np.zeros(tests)
    for fold in ways:
        for part in range(folds):
            own = fold == part
            chosen.append(best(earned[:, ~own], paid[:, ~own]))
            ratios.append(earned[chosen[-1], own].sum() / paid[chosen[-1], own].sum())
    roi = float(np.mean(ratios))
    for place, (k, ratio) in enumerate(zip(chosen, ratios, strict=True)):
        own = ways[place // folds] == place % folds
        for test in range(tests):
            if own[test]:
                moved[test] += (earned[k, test] - roi * paid[k, test]) / paid[k, own].mean()
            elif tests > 2:
                left = ~own & (np.arange(tests) != test)
                other = best(earned[:, left], paid[:, left])
                without = earned[other, own].sum() / paid[other, own].sum()
                moved[test] += (tests - 1) * (ratio - without) / folds
    return roi, moved / len(ways), tuple(chosen)


def standard_error(moved: FloatArray) -> float:
    return float(moved.std(ddof=1) / np.sqrt(len(moved)))


@pytest.mark.parametrize("tests", [2, 3, 5, 6, 7, 31])
def test_the_choice_is_scored_by_tests_that_it_did_not_see(tests: int) -> None:
    """Chosen on four fifths, scored on the other, for all ways; errors know of both."""
    for seed in range(5):
        of = past(tests, seed=seed)
        roi, moved, chosen = plain(of)
        found = corrected(of)
        assert found.chosen == chosen
        assert found.roi == pytest.approx(roi)
        assert found.error == pytest.approx(standard_error(moved))
        paid_now = SETUP + of.drawn_now
        now = of.earned_now.sum() / paid_now.sum()
        moved_now = (of.earned_now - now * paid_now) / paid_now.mean()
        assert found.gain == pytest.approx(roi - now)
        assert found.gain_error == pytest.approx(standard_error(moved - moved_now))


def test_many_tests_are_left_out_a_few_at_a_time() -> None:
    """Every thousandth test goes with the first: sums over them are as good as tests."""
    of = past(2000)
    together = Past(*(each[..., :1000] + each[..., 1000:] for each in of))
    # What a group of two tests costs has two set-ups.
    together = together._replace(drawn=together.drawn + SETUP, drawn_now=together.drawn_now + SETUP)
    found, wanted = corrected(of), corrected(together)
    assert found.chosen == wanted.chosen
    for name in ("roi", "error", "gain", "gain_error", "reach"):
        assert getattr(found, name) == pytest.approx(getattr(wanted, name))


def test_one_policy_is_no_choice() -> None:
    """Then the error is that of a ratio of means, to the second order."""
    of = past(200, policies=1)
    found = corrected(of)
    paid = SETUP + of.drawn[0]
    ratio = of.earned[0].sum() / paid.sum()
    assert found.roi == pytest.approx(ratio, rel=0.05)
    influence = (of.earned[0] - ratio * paid) / paid.mean()
    assert found.error == pytest.approx(standard_error(influence), rel=0.05)


def test_intervals_are_wider_for_few_tests() -> None:
    """By the quantiles of Student's t."""
    for tests, alpha in ((10, 0.05), (60, 0.1)):
        found = corrected(past(tests), alpha)
        assert found.reach == pytest.approx(stats.t.ppf(1 - alpha / 2, tests - 1))
        assert found.roi_high - found.roi == pytest.approx(found.reach * found.error)
        assert found.gain - found.gain_low == pytest.approx(found.reach * found.gain_error)
