"""Cross-fitting: what the best policy earns on tests that it was not chosen by.

A policy is chosen on four fifths of the tests and scored on the other fifth, with each fifth in
turn; and all that again with other fifths, so that the figure does not hang on how tests were dealt
out. What counts is the mean of the ROIs of all fifths. Tests are not pooled: what one fifth earns
has a part in what the others choose, so that pooled costs would favour fifths that earn much.

A test has a part in the figure in two ways: it is scored, and it has a say in what is chosen for
other tests. Errors know of both. They are those of the jackknife (Efron, Stein 1981): how the
figure moves if a test is left out, choices included. Without the second part they are too small,
and where few tests decide between policies much too small.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from dwell.arrays import BoolArray, FloatArray, IntArray
from dwell.history.replay.scores import Scores, error_of, student_quantile

_FOLDS = 5
_REPEATS = 20
# More tests than this are left out a few at a time.
_MOST_GROUPS = 1000


@dataclass(frozen=True, slots=True)
class Corrected:
    """The ROI of choosing the best policy on some tests and running it on others.

    Attributes:
        roi: Reward per cost.
        error: Its standard error.
        gain: How much higher it is than the current rule's ROI on the same tests.
        gain_error: Its standard error.
        reach: So many standard errors to either side, intervals end: a quantile of Student's t.
        chosen: What was chosen without each part of the tests, for all ways to deal them out.

    Example:
        >>> found = Corrected(0.25, 0.0625, 0.125, 0.03125, 2.0, (3, 3, 1, 3, 3))
        >>> found.roi_low, found.roi_high, found.gain_low, found.gain_high
        (0.125, 0.375, 0.0625, 0.1875)
    """

    roi: float
    error: float
    gain: float
    gain_error: float
    reach: float
    chosen: tuple[int, ...]

    @property
    def roi_low(self) -> float:
        """The lower end of the approximate interval for the ROI."""
        return self.roi - self.reach * self.error

    @property
    def roi_high(self) -> float:
        """And its upper end."""
        return self.roi + self.reach * self.error

    @property
    def gain_low(self) -> float:
        """The lower end of the approximate interval for the gain."""
        return self.gain - self.reach * self.gain_error

    @property
    def gain_high(self) -> float:
        """And its upper end."""
        return self.gain + self.reach * self.gain_error


def cross_fitted(scores: Sequence[Scores], current: Scores, alpha: float) -> Corrected:
    """Choose on some tests, score on others.

    Args:
        scores: What tests say of each policy.
        current: What they say of the current rule.
        alpha: How often the interval for the ROI may miss, and that for the gain.
    """
    count = min(len(current.rewards), _MOST_GROUPS)
    earned, paid = _by_group(scores, count)
    folds = min(_FOLDS, count)
    # Where each test is a part of its own, there is one way to deal them out.
    repeats = _REPEATS if count > folds else 1
    chosen, rois = [], []
    earned_there, paid_there, moved = np.zeros((3, count))
    for repeat in range(repeats):
        fold = _dealt(count, folds, repeat)
        for number in range(folds):
            own = fold == number
            best, roi, moves = _chosen_and_scored(earned, paid, own)
            chosen.append(best)
            rois.append(roi)
            cost = paid[best, own].mean()
            earned_there[own] += earned[best, own] / cost
            paid_there[own] += paid[best, own] / cost
            moved[~own] += moves / folds
    roi = float(np.mean(rois))
    # Around the mean of all: a part of one test would not be off its own.
    moved = (earned_there - roi * paid_there + moved) / repeats
    ratio = current.ratio
    (earned_now,), (paid_now,) = _by_group([current], count)
    moved_now = (earned_now - ratio * paid_now) / paid_now.mean()
    return Corrected(
        roi,
        error_of(moved),
        roi - ratio,
        error_of(moved - moved_now),
        student_quantile(alpha / 2.0, count),
        tuple(chosen),
    )


def _dealt(count: int, folds: int, repeat: int) -> IntArray:
    """Which part each group of tests belongs to: the same each time that it is asked."""
    in_turn = np.arange(count) % folds
    return in_turn if repeat == 0 else np.random.default_rng(repeat).permutation(in_turn)


def _by_group(scores: Sequence[Scores], count: int) -> tuple[FloatArray, FloatArray]:
    """What policies (rows) earned in groups of tests (columns), and what that cost."""
    earned, paid = np.empty((2, len(scores), count))
    group = np.arange(len(scores[0].rewards)) % count
    for k, one in enumerate(scores):
        earned[k] = np.bincount(group, one.rewards, count)
        paid[k] = np.bincount(group, one.costs, count)
    return earned, paid


def _chosen_and_scored(
    earned: FloatArray, paid: FloatArray, own: BoolArray
) -> tuple[int, float, FloatArray]:
    """What the other groups choose, and its ROI on our own.

    Also what each of them has to do with that by its say in the choice: how much lower the ROI is
    without it, on the jackknife's scale.
    """
    others = ~own
    earned_elsewhere = earned[:, others].sum(axis=1, keepdims=True)
    paid_elsewhere = paid[:, others].sum(axis=1, keepdims=True)
    best = int(np.argmax(earned_elsewhere / paid_elsewhere))
    rois = earned[:, own].sum(axis=1) / paid[:, own].sum(axis=1)
    if others.sum() == 1:  # without it there is no choice
        return best, float(rois[best]), np.zeros(1)
    left = (earned_elsewhere - earned[:, others]) / (paid_elsewhere - paid[:, others])
    return best, float(rois[best]), (len(own) - 1) * (rois[best] - rois[left.argmax(axis=0)])
