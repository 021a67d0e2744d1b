"""Cross-fitting: what the chosen policy earns on tests that it was not chosen by.

A policy is chosen by what it is promised to earn: by what each accepted test is worth given all of
its samples and a law of values that is fitted to the same tests (`promises`), less one standard
error. That is less noisy than what is earned by the samples after a decision, so the luckiest of
hundreds of policies wins less often. Very short tests accept nearly blindly: their ROI hangs on the
mean of all values, and can be large either way. So that they do not win by what is not known of it,
a policy must be about as sure to earn as the surest is, by what accepted tests measured: within one
standard error of it, or three above 0. What is then earned is told by samples after decisions
alone, which are right whatever the law.

Tests are put into 20 groups. A policy is chosen on four fifths of them and scored on the other
fifth, with each fifth in turn; and all that again with other fifths, so that the figure does not
hang on how groups were dealt out. What counts is the mean of the ROIs of all fifths. Tests are not
pooled: what one fifth earns has a part in what the others choose, so that pooled costs would favour
fifths that earn much.

A group has a part in the figure in two ways: it is scored, and it has a say in what is chosen for
other groups. Errors know of both. They are those of the jackknife (Efron, Stein 1981): how the
figure moves if a group is left out, choices included. Without the second part they are too small.
Groups rather than single tests are left out since a choice is no smooth function of tests: where
two policies are nearly as good, single tests change it seldom and by much, which says little about
how uncertain it is (Shao, Wu 1989).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from dwell.arrays import BoolArray, FloatArray, IntArray
from dwell.history.replay.promises import Promises
from dwell.history.replay.scores import Scores, error_of, student_quantile

_FOLDS = 5
# Chosen on 1,000 logs each of 30, 60 and 120 tests with samples of +-1. The shares in
# docs/evaluate.md are of other logs, some of normal samples.
_REPEATS = 20
_GROUPS = 20
# By how many standard errors a promise is lessened: of 0, 0.5, 1, 1.5 and 2 the best on made-up
# logs of 100 and 1,000 tests of four worlds, and on headline tests nearly as good as none.
_ERRORS = 1.0
# How many standard errors above 0 what a policy earns must be: so many, or so many fewer than that
# of the surest. Chosen on made-up logs of 100 tests and on halves of headline tests.
_SURE, _LESS_SURE = 3.0, 1.0


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


def cross_fitted(
    scores: Sequence[Scores], current: Scores, alpha: float, promises: Promises | None = None
) -> Corrected:
    """Choose on some tests, score on others.

    Args:
        scores: What tests say of each policy.
        current: What they say of the current rule.
        alpha: How often the interval for the ROI may miss, and that for the gain.
        promises: What policies are promised to earn, by which they are chosen; None to choose them
            by what they earned.
    """
    tests = len(current.rewards)
    count = min(tests, _GROUPS)
    earned, paid = _by_group(scores, count)
    folds = min(_FOLDS, count)
    # Where each group is a part of its own, there is one way to deal them out.
    repeats = _REPEATS if count > folds else 1
    own = [
        _dealt(count, folds, repeat) == np.arange(folds)[:, np.newaxis] for repeat in range(repeats)
    ]
    promised = np.broadcast_to(earned, (repeats, folds, *earned.shape))
    measured = None
    if promises is not None:
        # A law for each part, fitted to the tests of the others.
        elsewhere = ~np.concatenate(own)[:, np.arange(tests) % count]
        promised = promises.by_group(elsewhere, count).reshape(promised.shape)
        measured = promises.measured_by_group(count)
    ways = [_Way.of(earned, paid, *each, measured) for each in zip(own, promised, strict=True)]
    roi = float(np.mean([way.rois for way in ways]))
    # Around the mean of all: a part of one group would not be off its own.
    moved = np.mean([way.earned - roi * way.paid + way.say for way in ways], axis=0)
    ratio = current.ratio
    (earned_now,), (paid_now,) = _by_group([current], count)
    moved_now = (earned_now - ratio * paid_now) / paid_now.mean()
    return Corrected(
        roi,
        error_of(moved),
        roi - ratio,
        error_of(moved - moved_now),
        student_quantile(alpha / 2.0, count),
        tuple(int(best) for way in ways for best in way.chosen),
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


def cautious_scores(scores: Sequence[Scores], promises: Promises) -> FloatArray:
    """What policies are promised per cost, less a standard error: the highest is chosen.

    Args:
        scores: What tests say of each policy.
        promises: What policies are promised to earn.
    """
    tests = len(scores[0].rewards)
    count = min(tests, _GROUPS)
    _, paid = _by_group(scores, count)
    promised = promises.by_group(np.ones((1, tests), dtype=np.bool_), count)
    sums = _moments(promised, paid, promises.measured_by_group(count)).sum(axis=-1)
    found: FloatArray = _ranked(sums)[0]
    return found


def _moments(promised: FloatArray, paid: FloatArray, measured: FloatArray | None) -> FloatArray:
    """What sums over groups need: what is promised and paid; with what was measured, squares."""
    paid = np.broadcast_to(paid, promised.shape)
    if measured is None:
        return np.stack([promised, paid])
    measured = np.broadcast_to(measured, promised.shape)
    ones = np.ones(promised.shape)
    squares = [promised**2, promised * paid, paid**2, measured, measured**2, ones]
    return np.stack([promised, paid, *squares])


def _ranked(sums: FloatArray) -> FloatArray:
    """What policies (the second axis) are chosen by, from sums over groups.

    Without what was measured, ratios; with it, ratios less a standard error, and what promises
    nothing, or is not as sure to earn as others are, is last.
    """
    promised, paid, *squares = sums
    # What is no number is said of a part's own groups, which have no say in it.
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio: FloatArray = promised / paid
        if not squares:
            return ratio
        promised_squares, products, paid_squares, measured, measured_squares, count = squares
        of_all = count / np.maximum(count - 1.0, 1.0)
        apart = promised_squares - 2.0 * ratio * products + ratio**2 * paid_squares
        cautious = ratio - _ERRORS * np.sqrt(np.maximum(of_all * apart, 0.0)) / paid
        noise = of_all * (measured_squares - measured**2 / count)
        above = promised / np.sqrt(np.fmax(noise, np.finfo(np.float64).tiny))
        wanted = np.minimum(_SURE, above.max(axis=1, keepdims=True) - _LESS_SURE)
    found: FloatArray = np.where((promised > 0.0) & (above >= wanted), cautious, -np.inf)
    return found


class _Way(NamedTuple):
    """A way to deal groups out to parts.

    Attributes:
        chosen: What the other parts choose for each.
        rois: Its ROI there.
        earned: What each group earned by what was chosen for its part, per cost of a group there …
        paid: … and what that cost.
        say: How much lower the mean of all ROIs is if a group has no say in choices, on the
            jackknife's scale.
    """

    chosen: IntArray
    rois: FloatArray
    earned: FloatArray
    paid: FloatArray
    say: FloatArray

    @classmethod
    def of(
        cls,
        earned: FloatArray,
        paid: FloatArray,
        own: BoolArray,
        promised: FloatArray,
        measured: FloatArray | None,
    ) -> "_Way":
        """Choose and score; `own` says which groups (columns) each part (a row) has.

        What is promised is by part, policy and group; what was measured by policy and group.
        """
        parts, count = own.shape
        part = np.arange(parts)
        earned_there, paid_there = own @ earned.T, own @ paid.T
        moments = _moments(promised, paid, measured)
        elsewhere = np.einsum("pg,mpkg->mpk", ~own, moments)
        chosen = _ranked(elsewhere).argmax(axis=1)
        rois = earned_there / paid_there
        group_cost = (paid_there[part, chosen] / own.sum(axis=1))[:, np.newaxis]
        say = np.zeros(count)
        if count > 2:  # of two groups, one chooses alone
            # What is no number is said of a part's own groups, which have no say in it.
            left = _ranked(elsewhere[..., np.newaxis] - moments)
            without = rois[part[:, np.newaxis], left.argmax(axis=1)]
            fall = np.where(own, 0.0, rois[part, chosen][:, np.newaxis] - without)
            say = (count - 1) * fall.mean(axis=0)
        return cls(
            chosen,
            rois[part, chosen],
            (own * earned[chosen] / group_cost).sum(axis=0),
            (own * paid[chosen] / group_cost).sum(axis=0),
            say,
        )
