"""Evaluation: what each policy would have earned on past tests, and how sure we are.

Tests are the unit: each gives every policy one reward and one duration. Intervals hold for all
policies at once. The policy with the highest ROI on these tests looks better than it is, since it
was chosen for that; `corrected` is its ROI by tests that the choice did not see.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import nan
from typing import Literal, get_args, overload

import numpy as np

from dwell import checks
from dwell.arrays import FloatArray, IntArray
from dwell.errors import InvalidInput
from dwell.estimate.sequences import betting, empirical_bernstein
from dwell.history.certainty import (
    Approximate,
    Bootstrap,
    Certainty,
    Range,
    Seen,
    Sequential,
    error_of,
)
from dwell.history.end import Played
from dwell.history.replay import Replay
from dwell.policies import Policies

Sure = Literal["bernstein", "betting"]
Rough = Literal["normal", "bootstrap"]
_FOLDS = 5
_LARGEST = 1e100  # the square of which is a number, too


@dataclass(frozen=True, slots=True)
class Corrected:
    """The ROI of choosing the best policy on some tests and running it on others.

    Attributes:
        roi: Reward per cost.
        error: Its standard error.
        gain: How much higher it is than the present rule's ROI on the same tests.
        gain_error: Its standard error.
        chosen: What was chosen without each part of the tests.
    """

    roi: float
    error: float
    gain: float
    gain_error: float
    chosen: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Verdict:
    """What can be said of all policies at once.

    Attributes:
        roi_low: Lower ends of ROI intervals, an entry per policy …
        roi_high: … and upper ends.
        present: Where the present rule's ROI lies.
        gain_low: Lower ends of intervals for how much higher ROIs are than the present rule's …
        gain_high: … and upper ends.
        lead_low: Lower ends of intervals for how much higher ROIs are than that of the policy that
            is best on these tests; NaN where there is none …
        lead_high: … and upper ends.
        alike: The policies that are not shown to be worse than the best.
    """

    roi_low: FloatArray
    roi_high: FloatArray
    present: Range
    gain_low: FloatArray
    gain_high: FloatArray
    lead_low: FloatArray
    lead_high: FloatArray
    alike: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Present:
    """The present rule on past tests: reward and cost per test, and the share that it accepts."""

    reward: float
    cost: float
    accept_rate: float

    @property
    def roi(self) -> float:
        """Reward per cost."""
        return self.reward / self.cost


@dataclass(frozen=True, slots=True)
class Evaluation:
    """Policies on past tests, an entry per policy.

    Attributes:
        policies: The policies.
        setup_cost: What each test costs besides its samples.
        tests: How many tests there were.
        reward: What each policy earns per test.
        cost: What a test costs it: set-up and samples.
        accept_rate: The share of tests that it accepts.
        saved: The share of all samples that it does not draw.
        cut: How many tests ended before it had stopped, and were taken as rejected.
        present: What the present rule earns.
        best: The policy with the highest ROI; None if none earns anything.
        corrected: What the best earns on tests that it was not chosen by.
        alpha: Each verdict fails with a probability of at most alpha.
        sure: What is certain but for that; None if nobody knows how far samples may lie from 0.
        rough: What holds roughly, for many tests.
    """

    policies: Policies
    setup_cost: float
    tests: int
    reward: FloatArray
    cost: FloatArray
    accept_rate: FloatArray
    saved: FloatArray
    cut: IntArray
    present: Present
    best: int | None
    corrected: Corrected
    alpha: float
    sure: Verdict | None
    rough: Verdict

    @property
    def roi(self) -> FloatArray:
        """Reward per cost: a ratio of means."""
        return self.reward / self.cost


def evaluated(
    replay: Replay,
    present: Played,
    *,
    setup_cost: float = 0.0,
    alpha: float = 0.05,
    bound: float | None = None,
    sure: Sure = "bernstein",
    rough: Rough = "normal",
) -> Evaluation:
    """What each policy would have earned.

    Args:
        replay: The policies on the tests.
        present: The present rule on the same tests.
        setup_cost: What each test costs besides its samples.
        alpha: What a verdict says holds at once with probability at least 1 - alpha.
        bound: Samples lie in [-bound, bound]; None if nobody knows.
        sure: Which intervals are certain if they do: empirical Bernstein or betting.
        rough: Which hold roughly, for many tests: normal or bootstrap.

    Example:
        >>> import numpy as np
        >>> from dwell import Atoms, Signs, World, fixed
        >>> from dwell.history.end import AtEnd
        >>> from dwell.history.replay import replay
        >>> from dwell.history.tests import Tests
        >>> _, samples = World(Atoms([-0.5, 0.5]), Signs()).sample(500, 20, rng=0)
        >>> past = Tests(tuple(map(str, range(500))), np.full(500, 20), samples.ravel())
        >>> policies = replay(past.samples, past.lengths, [fixed(1, 1), fixed(8, 2)])
        >>> found = evaluated(policies, AtEnd().played(past), setup_cost=5, bound=1)
        >>> found.best, found.sure.alike, found.roi.round(3).tolist(), round(found.present.roi, 3)
        (0, (0, 1), [0.021, 0.017], 0.01)
    """
    setup_cost = checks.not_negative("set-up cost", setup_cost)
    alpha = checks.probability("alpha", alpha)
    bound = None if bound is None else checks.positive("bound", bound)
    for name, given, known in (("sure", sure, get_args(Sure)), ("rough", rough, get_args(Rough))):
        if given not in known:
            raise InvalidInput(f"{name} must be {' or '.join(known)}, got {checks.shown(given)}")
    if len(replay) < 2:
        raise InvalidInput(f"an evaluation needs at least 2 tests, got {len(replay)}")
    largest = max(float(np.abs(each).max()) for each in (replay.rest, present.rewards))
    if not largest <= _LARGEST:
        raise InvalidInput(
            f"samples must be at most {_LARGEST:g} in size, got means of up to {largest:g}: give "
            "them in larger units"
        )
    seen = _Sights(replay, setup_cost)
    count = len(seen)
    now = Seen(present.rewards, present.durations.astype(np.float64), present.cap, setup_cost)
    reward = np.array([one.rewards.mean() for one in seen])
    cost = setup_cost + np.array([one.durations.mean() for one in seen])
    best = int(np.argmax(reward / cost)) if (reward > 0.0).any() else None
    intervals = betting if sure == "betting" else empirical_bernstein
    return Evaluation(
        policies=replay.policies,
        setup_cost=setup_cost,
        tests=len(replay),
        reward=reward,
        cost=cost,
        accept_rate=np.array([replay.accepts(k).mean() for k in range(count)]),
        saved=1.0 - (cost - setup_cost) / replay.lengths.mean(),
        cut=np.array([int(replay.cut(k).sum()) for k in range(count)]),
        present=Present(
            float(now.rewards.mean()), float(now.costs.mean()), float(present.accepts.mean())
        ),
        best=best,
        corrected=_cross_fitted(seen, now),
        alpha=alpha,
        sure=None
        if bound is None
        else _verdict(Sequential(intervals, bound), seen, now, best, alpha),
        rough=_verdict(
            Bootstrap() if rough == "bootstrap" else Approximate(), seen, now, best, alpha
        ),
    )


@dataclass(frozen=True, slots=True)
class _Sights(Sequence[Seen]):
    """What tests say of each policy, made when it is asked for: there may be many tests."""

    replay: Replay
    setup_cost: float
    after: tuple[Seen, ...] = ()

    def __len__(self) -> int:
        return len(self.replay.policies) + len(self.after)

    @overload
    def __getitem__(self, index: int) -> Seen: ...

    @overload
    def __getitem__(self, index: slice) -> Sequence[Seen]: ...

    def __getitem__(self, index: int | slice) -> Seen | Sequence[Seen]:
        if isinstance(index, slice):
            return [self[k] for k in range(*index.indices(len(self)))]
        if not -len(self) <= index < len(self):
            raise IndexError(index)
        replay = self.replay
        index %= len(self)
        if index >= len(replay.policies):
            return self.after[index - len(replay.policies)]
        drawn = replay.durations(index).astype(np.float64)
        return Seen(replay.rewards(index), drawn, int(replay.caps[index]), self.setup_cost)


def _verdict(
    certainty: Certainty, seen: _Sights, now: Seen, best: int | None, alpha: float
) -> Verdict:
    """Half of alpha is for the intervals, a sixth each for the three comparisons."""
    *rois, present = certainty.rois(replace(seen, after=(now,)), alpha / 2.0)
    gains = certainty.gains(seen, now, present, alpha / 6.0)
    leads = [Range(nan, nan)] * len(seen)
    alike: tuple[int, ...] = ()
    if best is not None:
        # Any of them may have turned out to be the best on these tests.
        leads = certainty.gains(seen, seen[best], rois[best], alpha / (6.0 * len(seen)))
        of_best = Range(max(0.0, *(each.low for each in rois)), max(each.high for each in rois))
        worse = certainty.worse(seen, seen[best], of_best, alpha / 6.0)
        alike = tuple(k for k in range(len(seen)) if k == best or not worse[k])
    ends = (np.array(end) for ranges in (rois, gains, leads) for end in zip(*ranges, strict=True))
    roi_low, roi_high, gain_low, gain_high, lead_low, lead_high = ends
    return Verdict(roi_low, roi_high, present, gain_low, gain_high, lead_low, lead_high, alike)


def _cross_fitted(seen: _Sights, now: Seen) -> Corrected:
    """Choose on all tests but every fifth, score on those; and so on with each fifth.

    The mean of the five ROIs is what counts. Tests are not pooled: what one fifth earns has a part
    in what the others choose, so that pooled costs would favour fifths that earn much.
    """
    tests = len(now.rewards)
    folds = min(_FOLDS, tests)
    fold = np.arange(tests) % folds
    earned = np.array([np.bincount(fold, one.rewards, folds) for one in seen])
    paid = np.array([np.bincount(fold, one.costs, folds) for one in seen])
    elsewhere = earned.sum(axis=1, keepdims=True) - earned
    chosen = np.argmax(elsewhere / (paid.sum(axis=1, keepdims=True) - paid), axis=0).tolist()
    parts = [seen[best].of(fold == part) for part, best in enumerate(chosen)]
    roi = sum(part.ratio for part in parts) / folds
    # Around the mean of all: a part of one test would not be off its own.
    influence = np.empty(tests)
    for number, part in enumerate(parts):
        influence[fold == number] = (part.rewards - roi * part.costs) / part.costs.mean()
    return Corrected(
        roi,
        error_of(influence),
        roi - now.ratio,
        error_of(influence - now.influence),
        tuple(chosen),
    )
