"""Evaluation: what each policy would have earned on past tests, and how sure we are.

Tests are the unit: each gives every policy one reward and one duration. Intervals hold for all
policies at once. The policy with the highest ROI on these tests looks better than it is, since it
was chosen for that; `corrected` is its ROI by tests that the choice did not see.
"""

from dataclasses import dataclass
from math import sqrt
from typing import Literal

import numpy as np

from dwell import checks
from dwell.arrays import FloatArray, IntArray
from dwell.errors import InvalidInput
from dwell.estimate.sequences import betting, empirical_bernstein
from dwell.history.certainty import Approximate, Bootstrap, Certainty, Range, Seen, Sequential
from dwell.history.replay import Replay
from dwell.policies import Policies

Method = Literal["betting", "bernstein", "normal", "bootstrap"]
_METHODS: tuple[Method, ...] = ("betting", "bernstein", "normal", "bootstrap")
_FOLDS = 5
_RESAMPLES = 2000


@dataclass(frozen=True, slots=True)
class Corrected:
    """The ROI of choosing the best policy on some tests and running it on others.

    Attributes:
        roi: Reward per cost.
        error: Its standard error.
        chosen: What was chosen without each part of the tests.
    """

    roi: float
    error: float
    chosen: tuple[int, ...]


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
        roi_low: Lower ends of ROI intervals that hold for all policies at once …
        roi_high: … and upper ends.
        approximate: Whether they hold only roughly.
        best: The policy with the highest ROI; None if none earns anything.
        alike: The policies that these tests do not show to be worse than the best.
        corrected: What the best earns on tests that it was not chosen by.
    """

    policies: Policies
    setup_cost: float
    tests: int
    reward: FloatArray
    cost: FloatArray
    accept_rate: FloatArray
    saved: FloatArray
    cut: IntArray
    roi_low: FloatArray
    roi_high: FloatArray
    approximate: bool
    best: int | None
    alike: tuple[int, ...]
    corrected: Corrected

    @property
    def roi(self) -> FloatArray:
        """Reward per cost: a ratio of means."""
        return self.reward / self.cost


def evaluated(
    replayed: Replay,
    *,
    setup_cost: float = 0.0,
    alpha: float = 0.05,
    method: Method = "bernstein",
    bound: float = 1.0,
    rng: np.random.Generator | None = None,
) -> Evaluation:
    """What each policy would have earned.

    Args:
        replayed: The policies on the tests.
        setup_cost: What each test costs besides its samples.
        alpha: All intervals hold at once with probability at least 1 - alpha.
        method: "betting" and "bernstein" need no more than that observations lie in
            [-bound, bound]; "normal" and "bootstrap" hold roughly, for many tests.
        bound: See above.
        rng: For "bootstrap"; the same resamples each time by default.

    Example:
        >>> import numpy as np
        >>> from dwell import Atoms, Signs, World, fixed
        >>> from dwell.history.replay import replay
        >>> _, samples = World(Atoms([-0.5, 0.5]), Signs()).sample(500, 20, rng=0)
        >>> policies = [fixed(1, 1), fixed(8, 2)]
        >>> found = evaluated(replay(samples.ravel(), np.full(500, 20), policies), setup_cost=5)
        >>> found.best, found.alike, found.roi.round(3).tolist()
        (0, (0, 1), [0.021, 0.017])
    """
    setup_cost = checks.not_negative("set-up cost", setup_cost)
    alpha, bound = checks.probability("alpha", alpha), checks.positive("bound", bound)
    if method not in _METHODS:
        raise InvalidInput(
            f"method must be one of {', '.join(_METHODS)}, got {checks.shown(method)}"
        )
    if len(replayed) < 2:
        raise InvalidInput(f"an evaluation needs at least 2 tests, got {len(replayed)}")
    policies = replayed.policies
    count = len(policies)
    seen = [
        Seen(replayed.rewards(k), replayed.durations(k).astype(np.float64), policies.caps[k])
        for k in range(count)
    ]
    # Half of alpha for the intervals, half for the comparisons, shared by all policies.
    certainty = _certainty(method, alpha / (2.0 * count), bound, len(replayed), rng)
    intervals = [certainty.roi(one, setup_cost) for one in seen]
    reward = np.array([one.rewards.mean() for one in seen])
    cost = setup_cost + np.array([one.durations.mean() for one in seen])
    best = int(np.argmax(reward / cost)) if (reward > 0.0).any() else None
    alike: tuple[int, ...] = ()
    if best is not None:
        of_best = Range(
            max(0.0, *(interval.low for interval in intervals)),
            max(interval.high for interval in intervals),
        )
        alike = tuple(
            k
            for k in range(count)
            if k == best or not certainty.worse(seen[k], seen[best], setup_cost, of_best)
        )
    return Evaluation(
        policies=policies,
        setup_cost=setup_cost,
        tests=len(replayed),
        reward=reward,
        cost=cost,
        accept_rate=np.array([replayed.accepts(k).mean() for k in range(count)]),
        saved=1.0 - (cost - setup_cost) / replayed.lengths.mean(),
        cut=np.array([int(replayed.cut(k).sum()) for k in range(count)]),
        roi_low=np.array([interval.low for interval in intervals]),
        roi_high=np.array([interval.high for interval in intervals]),
        approximate=not isinstance(certainty, Sequential),
        best=best,
        alike=alike,
        corrected=_cross_fitted(seen, setup_cost),
    )


def _certainty(
    method: Method, alpha: float, bound: float, tests: int, rng: np.random.Generator | None
) -> Certainty:
    match method:
        case "betting":
            return Sequential(betting, alpha, bound)
        case "bernstein":
            return Sequential(empirical_bernstein, alpha, bound)
        case "normal":
            return Approximate(alpha)
        case "bootstrap":
            generator = rng or np.random.default_rng(0)
            again = generator.multinomial(tests, np.full(tests, 1.0 / tests), size=_RESAMPLES)
            return Bootstrap(alpha, again.astype(np.float64))


def _cross_fitted(seen: list[Seen], setup_cost: float) -> Corrected:
    """Choose on all tests but every fifth, score on those; and so on with each fifth."""
    rewards = np.stack([one.rewards for one in seen])
    costs = setup_cost + np.stack([one.durations for one in seen])
    fold = np.arange(rewards.shape[1]) % _FOLDS
    earned, paid = np.empty(len(fold)), np.empty(len(fold))
    chosen = []
    for part in range(min(_FOLDS, len(fold))):
        others, own = fold != part, fold == part
        best = int(np.argmax(rewards[:, others].sum(axis=1) / costs[:, others].sum(axis=1)))
        chosen.append(best)
        earned[own], paid[own] = rewards[best, own], costs[best, own]
    ratio = float(earned.sum() / paid.sum())
    error = float((earned - ratio * paid).std(ddof=1)) / (float(paid.mean()) * sqrt(len(fold)))
    return Corrected(ratio, error, tuple(chosen))
