"""Evaluation: what each policy would have earned on past tests, with intervals.

Tests are the unit: each gives every policy one reward and one duration. Intervals hold for all
policies at once. The policy that is best on these tests looks better than it is, since it was
chosen for that; `corrected` is its ROI by tests that the choice did not see.
"""

from dataclasses import dataclass, replace
from math import nan
from typing import Literal, get_args

import numpy as np

from dwell import checks
from dwell.arrays import FloatArray, IntArray
from dwell.errors import InvalidInput
from dwell.estimate.sequences import betting, empirical_bernstein
from dwell.history.replay.cross_fitting import Corrected, cautious_scores, cross_fitted
from dwell.history.replay.current_rule import CurrentOutcomes
from dwell.history.replay.interval_methods import (
    BootstrapIntervals,
    IntervalMethod,
    NormalIntervals,
    Range,
    SequenceIntervals,
)
from dwell.history.replay.looked_replay import AnyReplay
from dwell.history.replay.promises import promises_of
from dwell.history.replay.scores import AllScores, Scores
from dwell.policies import Policies

Guaranteed = Literal["bernstein", "betting"]
Approximate = Literal["normal", "bootstrap"]
_LARGEST = 1e100  # its square is a finite number, too


@dataclass(frozen=True, slots=True)
class Verdict:
    """What can be said of all policies at once.

    Attributes:
        roi_low: Lower ends of ROI intervals, an entry per policy …
        roi_high: … and upper ends.
        current: Where the current rule's ROI lies; NaN in a guaranteed verdict if nobody knows how
            long its tests may be.
        gain_low: Lower ends of intervals for how much higher ROIs are than the current rule's, NaN
            as well then …
        gain_high: … and upper ends.
        lead_low: Lower ends of intervals for how much higher ROIs are than that of the policy that
            is best on these tests; NaN where there is none …
        lead_high: … and upper ends.
        indistinguishable: The policies that are not shown to be worse than the best.
    """

    roi_low: FloatArray
    roi_high: FloatArray
    current: Range
    gain_low: FloatArray
    gain_high: FloatArray
    lead_low: FloatArray
    lead_high: FloatArray
    indistinguishable: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class CurrentFigures:
    """The current rule on past tests: reward and cost per test, and the share that it accepts."""

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
        truncated: How many tests ended before it had stopped, of what policies may see.
        current: What the current rule earns.
        promised: What each is promised per test by all samples of those that it accepts, and the
            law of values that fits; what it earns where policies were given.
        ranking: What it is chosen by: what it is promised per cost, less a standard error, and
            nothing if it is not about as sure to earn as the surest; the ROI where policies were
            given.
        best: The policy with the highest ranking; None if none earns anything.
        corrected: What the one chosen so earns on tests that it was not chosen by.
        alpha: Each verdict fails with a probability of at most alpha.
        guaranteed: What holds for any number of tests; None if nobody knows how far samples may lie
            from 0, or how many a policy may draw: with batches, a period more than its cap.
        approximate: What holds approximately, for many tests.
    """

    policies: Policies
    setup_cost: float
    tests: int
    reward: FloatArray
    cost: FloatArray
    accept_rate: FloatArray
    saved: FloatArray
    truncated: IntArray
    current: CurrentFigures
    promised: FloatArray
    ranking: FloatArray
    best: int | None
    corrected: Corrected
    alpha: float
    guaranteed: Verdict | None
    approximate: Verdict

    @property
    def roi(self) -> FloatArray:
        """Reward per cost: a ratio of means."""
        return self.reward / self.cost

    @property
    def lead(self) -> FloatArray:
        """How much higher each ROI is than that of the best; than the highest if none is."""
        roi = self.roi
        lead: FloatArray = roi - (roi.max() if self.best is None else roi[self.best])
        return lead


def evaluated(
    replay: AnyReplay,
    current: CurrentOutcomes,
    *,
    setup_cost: float = 0.0,
    alpha: float = 0.05,
    bound: float | None = None,
    longest: int | None = None,
    guaranteed: Guaranteed = "bernstein",
    approximate: Approximate = "normal",
) -> Evaluation:
    """What each policy would have earned.

    Args:
        replay: The policies on the tests.
        current: The current rule on the same tests.
        setup_cost: What each test costs besides its samples.
        alpha: What a verdict says holds at once with probability at least 1 - alpha.
        bound: Samples lie in [-bound, bound]; None if nobody knows.
        longest: No test has more samples than this, nor ever will; None if nobody knows. The
            longest of these tests is no such bound.
        guaranteed: Which intervals hold for any number of tests if they do: empirical Bernstein or
            betting.
        approximate: Which hold approximately, for many tests: normal or bootstrap.

    Example:
        >>> import numpy as np
        >>> from dwell import Atoms, Signs, World, fixed
        >>> from dwell.history.reading.blocks import SampleBlock
        >>> from dwell.history.replay.current_rule import AtEnd
        >>> from dwell.history.replay.replay import replay_block
        >>> _, samples = World(Atoms([-0.5, 0.5]), Signs()).sample(500, 20, rng=0)
        >>> block = SampleBlock(tuple(map(str, range(500))), np.full(500, 20), samples.ravel())
        >>> policies = replay_block(block, [fixed(1, 1), fixed(8, 2)])
        >>> found = evaluated(policies, AtEnd().on(block), setup_cost=5, bound=1)
        >>> found.best, found.guaranteed.indistinguishable
        (0, (0, 1))
        >>> found.roi.round(3).tolist(), round(found.current.roi, 3)
        ([0.021, 0.017], 0.01)
    """
    setup_cost = checks.not_negative("set-up cost", setup_cost)
    alpha = checks.probability("alpha", alpha)
    bound = None if bound is None else checks.positive("bound", bound)
    for name, given, known in (
        ("guaranteed", guaranteed, get_args(Guaranteed)),
        ("approximate", approximate, get_args(Approximate)),
    ):
        if given not in known:
            raise InvalidInput(f"{name} must be {' or '.join(known)}, got {checks.shown(given)}")
    if len(replay) < 2:
        raise InvalidInput(f"an evaluation needs at least 2 tests, got {len(replay)}")
    largest = max(replay.largest, float(np.abs(current.rewards).max()))
    if not largest <= _LARGEST:
        raise InvalidInput(
            f"samples must be at most {_LARGEST:g} in size, got means of up to {largest:g}: give "
            "them in larger units"
        )
    longest = _longest(longest, replay)
    scores = AllScores(replay, setup_cost, longest)
    count = len(scores)
    cap = min((cap for cap in (current.cap, longest) if cap is not None), default=None)
    of_current = Scores(current.rewards, current.durations.astype(np.float64), cap, setup_cost)
    reward = np.array([one.rewards.mean() for one in scores])
    cost = setup_cost + np.array([one.durations.mean() for one in scores])
    promises = promises_of(replay)
    promised = reward if promises is None else promises.rewards
    earns = (reward > 0.0).any() and (promised > 0.0).any()
    ranking = reward / cost if promises is None else cautious_scores(scores, promises)
    best = int(np.argmax(ranking)) if earns else None
    approximate_method = BootstrapIntervals() if approximate == "bootstrap" else NormalIntervals()
    guaranteed_verdict = None
    if bound is not None and scores[0].cap is not None:
        sequence = betting if guaranteed == "betting" else empirical_bernstein
        guaranteed_verdict = _verdict(
            SequenceIntervals(sequence, bound), scores, of_current, best, alpha
        )
    return Evaluation(
        policies=replay.policies,
        setup_cost=setup_cost,
        tests=len(replay),
        reward=reward,
        cost=cost,
        accept_rate=np.array([replay.accepts(k).mean() for k in range(count)]),
        saved=1.0 - (cost - setup_cost) / replay.lengths.mean(),
        truncated=np.array([round(float(replay.truncated(k).sum())) for k in range(count)]),
        current=CurrentFigures(
            float(of_current.rewards.mean()),
            float(of_current.costs.mean()),
            float(current.accepts.mean()),
        ),
        promised=promised,
        ranking=ranking,
        best=best,
        corrected=cross_fitted(scores, of_current, alpha, promises),
        alpha=alpha,
        guaranteed=guaranteed_verdict,
        approximate=_verdict(approximate_method, scores, of_current, best, alpha),
    )


def _longest(given: int | None, replay: AnyReplay) -> int | None:
    """How long tests are at most, if that is declared, and these do not belie it."""
    if given is None:
        return None
    longest, seen = checks.count("longest", given), int(replay.lengths.max())
    if seen > longest:
        raise InvalidInput(
            f"longest must be at least {seen:,}, as many samples as a test of the log has, got "
            f"{longest:,}"
        )
    return longest


def _verdict(
    method: IntervalMethod, scores: AllScores, current: Scores, best: int | None, alpha: float
) -> Verdict:
    """Half of alpha is for the intervals, a sixth each for the three comparisons."""
    *rois, of_current = method.rois(replace(scores, after=(current,)), alpha / 2.0)
    gains = method.gains(scores, current, of_current, alpha / 6.0)
    leads = [Range(nan, nan)] * len(scores)
    indistinguishable: tuple[int, ...] = ()
    if best is not None:
        # Any of them may have turned out to be the best on these tests.
        leads = method.gains(scores, scores[best], rois[best], alpha / (6.0 * len(scores)))
        of_best = Range(max(0.0, *(each.low for each in rois)), max(each.high for each in rois))
        worse = method.worse(scores, scores[best], of_best, alpha / 6.0)
        indistinguishable = tuple(k for k in range(len(scores)) if k == best or not worse[k])
    ends = (np.array(end) for ranges in (rois, gains, leads) for end in zip(*ranges, strict=True))
    roi_low, roi_high, gain_low, gain_high, lead_low, lead_high = ends
    return Verdict(
        roi_low, roi_high, of_current, gain_low, gain_high, lead_low, lead_high, indistinguishable
    )
