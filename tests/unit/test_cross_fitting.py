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


def grouped(of_tests: FloatArray) -> FloatArray:
    """Sums over every twentieth test."""
    return np.stack([of_tests[..., group::20].sum(axis=-1) for group in range(20)], axis=-1)


def by_group(of: Past) -> list[FloatArray]:
    """What was earned and what it cost, by policies and now; few tests are groups themselves."""
    columns = [of.earned, SETUP + of.drawn, of.earned_now, SETUP + of.drawn_now]
    return [grouped(each) for each in columns] if len(of.earned_now) > 20 else columns


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


def plain(earned: FloatArray, paid: FloatArray) -> tuple[float, FloatArray, tuple[int, ...]]:
    """The figure, how each group moves it, and what was chosen: one by one."""
    groups = earned.shape[1]
    folds = min(5, groups)
    in_turn = np.arange(groups) % folds
    again = [np.random.default_rng(repeat).permutation(in_turn) for repeat in range(1, 20)]
    ways = [in_turn, *again] if groups > folds else [in_turn]
    chosen, ratios, moved = [], [], np.zeros(groups)
    for fold in ways:
        for part in range(folds):
            own = fold == part
            chosen.append(best(earned[:, ~own], paid[:, ~own]))
            ratios.append(earned[chosen[-1], own].sum() / paid[chosen[-1], own].sum())
    roi = float(np.mean(ratios))
    for place, (k, ratio) in enumerate(zip(chosen, ratios, strict=True)):
        own = ways[place // folds] == place % folds
        for group in range(groups):
            if own[group]:
                moved[group] += (earned[k, group] - roi * paid[k, group]) / paid[k, own].mean()
            elif groups > 2:
                left = ~own & (np.arange(groups) != group)
                other = best(earned[:, left], paid[:, left])
                without = earned[other, own].sum() / paid[other, own].sum()
                moved[group] += (groups - 1) * (ratio - without) / folds
    return roi, moved / len(ways), tuple(chosen)


def standard_error(moved: FloatArray) -> float:
    return float(moved.std(ddof=1) / np.sqrt(len(moved)))


@pytest.mark.parametrize("tests", [2, 3, 5, 6, 7, 20, 31, 400])
def test_the_choice_is_scored_by_tests_that_it_did_not_see(tests: int) -> None:
    """Chosen on four fifths, scored on the other, for all ways; errors know of both."""
    for seed in range(5):
        of = past(tests, seed=seed)
        earned, paid, earned_now, paid_now = by_group(of)
        roi, moved, chosen = plain(earned, paid)
        found = corrected(of)
        assert found.chosen == chosen
        assert found.roi == pytest.approx(roi)
        assert found.error == pytest.approx(standard_error(moved))
        now = earned_now.sum() / paid_now.sum()
        moved_now = (earned_now - now * paid_now) / paid_now.mean()
        assert found.gain == pytest.approx(roi - now)
        assert found.gain_error == pytest.approx(standard_error(moved - moved_now))


def test_one_policy_is_no_choice() -> None:
    """Then the error is that of a ratio of means over groups, to the second order."""
    of = past(2000, policies=1)
    found = corrected(of)
    (earned,), (paid,), *_ = by_group(of)
    ratio = earned.sum() / paid.sum()
    assert found.roi == pytest.approx(ratio, rel=0.02)
    assert found.error == pytest.approx(
        standard_error((earned - ratio * paid) / paid.mean()), rel=0.05
    )


def test_intervals_are_wider_for_few_tests() -> None:
    """By the quantiles of Student's t, with as many degrees of freedom as groups, less one."""
    for tests, alpha in ((10, 0.05), (20, 0.1), (600, 0.1)):
        found = corrected(past(tests), alpha)
        assert found.reach == pytest.approx(stats.t.ppf(1 - alpha / 2, min(tests, 20) - 1))
        assert found.roi_high - found.roi == pytest.approx(found.reach * found.error)
        assert found.gain - found.gain_low == pytest.approx(found.reach * found.gain_error)
