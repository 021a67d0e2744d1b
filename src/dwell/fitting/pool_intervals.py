"""Intervals for what the pool of ideas is: its mean, the share of ideas that help, their mean.

They are by the profile likelihood: a number t is within the interval if some pool with T.w = t is
almost as likely as the most likely one, on the log scale by a drop of no more than 1.92: 95 %, if a
likelihood ratio has its usual law in the limit. For the mean it has. For what hangs on whether
values are above 0 it has not, as values near 0 can be told from it in many ways: there the drop is
6, at which intervals cover; docs/empirical_bayes.md has how often. So it is where the same tests
have chosen of which rule and when it is asked what it earns. The pool may have any shape, and tests
may have been stopped for any reason. But a few tests never rule out that some idea is worth a
million, and then the mean might be anything: no idea is supposed to be worth more than three times
what any test leaves open.

With L[i, j] the likelihood of a kind of tests, of which there are c[i], and n tests in all,
M(theta) = max over v of sum_i c_i log sum_j L_ij v_j / (1 + theta T_j) is a fit like any other, its
columns scaled. As v_j = w_j (1 + theta T_j) / (1 + theta t) are weights wherever T.w = t, no pool
with T.w = t is likelier than M(theta) + n log(1 + theta t), for any theta at which no column
changes its sign; and for one theta one is as likely (Owen 1988 has this for means of observations).
So each theta rules numbers out, and the end of the interval is where the best of them does. That is
where the weights, w_j ~ v_j / (1 + theta T_j), are less likely by exactly 1.92.
"""

from dataclasses import dataclass
from math import expm1, inf, sqrt
from typing import NamedTuple

import numpy as np

from dwell.arrays import BoolArray, FloatArray
from dwell.fitting.npmle import Climbed, climb

_DROP = 1.92  # half the 95 % point of chi-square with one degree of freedom
# Where no idea helped, the best pool was likelier by more than 4 in at most 4 % of histories (45
# settings, the hardest being ideas at 0 whose tests stop at 1.5 to 2 standard errors); if a learner
# chose how to test, by more than 6 in 4 %.
SURE = 6.0
_ROUNDS, _RATIO_ROUNDS = 12, 12
_CLOSE = 0.02  # of the root of the drop: ends are then right to 1e-4 of their distance
_SETTLED = 1e-4
_REACH, _LEFT_OPEN = 3.0, -2.0  # times what tests leave open: values within 2 standard errors
_FARTHEST = 0.999  # of x: at 1, what no test shows any of may have any weight


class Interval(NamedTuple):
    """An interval.

    Attributes:
        low: Its lower end.
        high: Its upper end.
    """

    low: float
    high: float


@dataclass(frozen=True, slots=True)
class PoolIntervals:
    """What tests say of the pool, whatever its shape.

    Attributes:
        mean: Of the mean value of ideas.
        helpful: Of the share of ideas that help. Ideas at exactly 0 do not help; but no test tells
            them from ideas that help by next to nothing, so the upper end counts these as well.
        helpful_mean: Of the mean value of ideas that help; from 0 to the largest value there may
            be if perhaps none helps.
        gain: Of the mean over all ideas of what each would add, if those that harm were dropped
            and those that help shipped: what no rule can exceed.
        evidence: By how much the most likely pool is likelier than any in which no idea helps, on
            the log scale.
    """

    mean: Interval
    helpful: Interval
    helpful_mean: Interval
    gain: Interval
    evidence: float


def pool_intervals(
    log_likelihood: FloatArray, counts: FloatArray, values: FloatArray
) -> PoolIntervals:
    """Intervals for the pool.

    Args:
        log_likelihood: A row per kind of test, a column per value.
        counts: How many tests there are of each kind.
        values: The values, in order.

    Example:
        >>> values = np.array([-1.0, 0.0, 1.0])
        >>> sure = np.log([[0.98, 0.01, 0.01], [0.01, 0.01, 0.98]])
        >>> found = pool_intervals(sure, np.array([30.0, 10.0]), values)
        >>> [round(end, 2) for end in found.helpful], [round(end, 2) for end in found.mean]
        ([0.06, 0.39], [-0.75, -0.21])
    """
    within = within_reach(log_likelihood, counts, values)
    values = values[within]
    likelihood = _Likelihood.of(log_likelihood[:, within], counts)
    helps, least, most = values > 0.0, float(values[0]), float(values[-1])
    anything = Interval(0.0, max(0.0, most))
    if likelihood is None:
        return PoolIntervals(Interval(least, most), Interval(0.0, 1.0), anything, anything, 0.0)
    evidence = likelihood.drop_to(~helps)
    share, harmless = helps.astype(np.float64), (values >= 0.0).astype(np.float64)
    gain = np.maximum(values, 0.0)
    return PoolIntervals(
        mean=Interval(likelihood.least(values, _DROP), likelihood.most(values, _DROP)),
        helpful=Interval(likelihood.least(share, SURE), likelihood.most(harmless, _DROP)),
        # If perhaps none helps, what those that help are worth may be anything.
        helpful_mean=_helpful_mean(likelihood, values) if evidence > SURE else anything,
        gain=Interval(likelihood.least(gain, SURE), likelihood.most(gain, _DROP)),
        evidence=evidence,
    )


def functional_interval(
    log_likelihood: FloatArray, counts: FloatArray, functional: FloatArray
) -> tuple[float, Interval]:
    """The mean over the pool of a function that the same tests have chosen, as what a rule earns.

    Args:
        log_likelihood: A row per kind of test, a column per value.
        counts: How many tests there are of each kind.
        functional: The function at each value.

    Returns:
        What it is by the most likely pool, and its interval.

    Example:
        >>> sure = np.log([[0.98, 0.01, 0.01], [0.01, 0.01, 0.98]])
        >>> counts, values = np.array([30.0, 10.0]), np.array([-1.0, 0.0, 1.0])
        >>> estimate, interval = functional_interval(sure, counts, values)
        >>> round(estimate, 2), [round(end, 2) for end in interval]
        (-0.51, [-0.87, 0.04])
    """
    likelihood = _Likelihood.of(log_likelihood, counts)
    if likelihood is None:
        least, most = float(functional.min()), float(functional.max())
        return (least + most) / 2.0, Interval(least, most)
    estimate = float(likelihood.weights(likelihood.best) @ functional)
    ends = (search(functional, SURE) for search in (likelihood.least, likelihood.most))
    return estimate, Interval(*ends)


def within_reach(log_likelihood: FloatArray, counts: FloatArray, values: FloatArray) -> BoolArray:
    """Which values are not out of all proportion to what tests leave open; all without a test.

    Args:
        log_likelihood: A row per kind of test, a column per value.
        counts: How many tests there are of each kind.
        values: The values.

    Example:
        >>> logs, one = np.array([[-9.0, 0.0, -9.0, -99.0]]), np.ones(1)
        >>> within_reach(logs, one, np.array([-1.0, 0.0, 1.0, 9.0])).tolist()
        [True, True, True, False]
    """
    open_to = (log_likelihood[counts > 0.0] >= _LEFT_OPEN).any(axis=0)
    if not open_to.any():
        return np.ones(len(values), dtype=np.bool_)
    sizes = np.abs(values)
    # Whatever tests say, more than one value is.
    largest = max(float(sizes[open_to].max()), float(np.sort(sizes)[min(1, len(sizes) - 1)]))
    within: BoolArray = sizes <= _REACH * largest
    return within


def _helpful_mean(likelihood: "_Likelihood", values: FloatArray) -> Interval:
    """The interval for the mean of values that help, by Dinkelbach's iteration.

    A mean r is within it if some pool that is likely enough has sum w_j (v_j - r) = 0 over them.
    """
    ends = []
    for sign, helps in ((-1.0, values >= 0.0), (1.0, values > 0.0)):
        weights = likelihood.weights(likelihood.best)
        mean = float(weights[helps] @ values[helps] / weights[helps].sum())
        for _ in range(_RATIO_ROUNDS):
            beyond = sign * np.where(helps, values - mean, 0.0)
            end, weights = likelihood.farthest(beyond, SURE)
            share = float(weights[helps].sum())
            # Hardly any helps, and those may be worth anything.
            step = sign * end / share if share > 0.0 else sign * inf
            before, mean = mean, min(max(mean + step, 0.0), float(values[-1]))
            if abs(mean - before) <= _SETTLED * abs(mean):
                break
        ends.append(mean)
    return Interval(*ends)


class _Farthest(NamedTuple):
    """The largest T.w of pools that are likely enough.

    Attributes:
        end: T.w, or slightly more.
        weights: The weights of one that has it.
    """

    end: float
    weights: FloatArray


@dataclass(frozen=True, slots=True)
class _Likelihood:
    """The likelihood of tests under values, and the best weights.

    Attributes:
        logs: A row per kind of test, a column per value.
        table: The same, not on the log scale.
        counts: How many tests there are of each kind.
        best: The most likely pool.
    """

    logs: FloatArray
    table: FloatArray
    counts: FloatArray
    best: Climbed

    @classmethod
    def of(cls, log_likelihood: FloatArray, counts: FloatArray) -> "_Likelihood | None":
        """Of kinds of which there are any; None if there are none."""
        some = counts > 0.0
        if not some.any():
            return None
        logs, counts = log_likelihood[some], counts[some]
        logs = logs - logs.max(axis=1, keepdims=True)
        table = np.exp(logs)
        return cls(logs, table, counts, climb(table, counts))

    def weights(self, found: Climbed) -> FloatArray:
        """The weights of all values."""
        weights = np.zeros(self.table.shape[1])
        weights[found.support] = found.weights
        return weights

    def drop_to(self, columns: BoolArray) -> float:
        """By how much less likely the best pool of some values is."""
        if columns.all():
            return 0.0
        if not columns.any():
            return inf
        found, offset = self._only(columns)
        return max(0.0, self.best.height - found.height - offset)

    def _only(self, columns: BoolArray) -> tuple[Climbed, float]:
        """The best pool of some values, with what its height lacks."""
        logs = self.logs[:, columns]
        highest = logs.max(axis=1)
        found = climb(np.exp(logs - highest[:, None]), self.counts)
        return found, float(np.einsum("i,i->", self.counts, highest))

    def least(self, functional: FloatArray, drop: float) -> float:
        """The least T.w of pools that are less likely by no more than the drop."""
        return 0.0 - self.farthest(-functional, drop).end

    def most(self, functional: FloatArray, drop: float) -> float:
        """The largest."""
        return self.farthest(functional, drop).end

    def farthest(self, functional: FloatArray, drop: float) -> _Farthest:
        """The largest T.w of pools that are less likely by no more than the drop."""
        greatest = float(functional.max())
        top = functional == greatest
        if top.all():
            return _Farthest(greatest, self.weights(self.best))
        found, offset = self._only(top)
        if self.best.height - found.height - offset <= drop:
            weights = np.zeros(len(functional))
            weights[np.flatnonzero(top)[found.support]] = found.weights
            return _Farthest(greatest, weights)
        center = float(self.best.weights @ functional[self.best.support])
        # T.w - center, in units of its greatest: theta is then -x, and x between 0 and 1.
        scaled = (functional - center) / (greatest - center)
        end, weights = self._search(scaled, drop)
        return _Farthest(center + (greatest - center) * end, weights)

    def _search(self, scaled: FloatArray, drop: float) -> _Farthest:
        """The same by one theta after the other, for a functional that is at most 1."""
        tests = float(self.counts.sum())
        aim = sqrt(drop)
        low, high = (0.0, 0.0), (1.0, inf)  # x, and the root of the drop that it leads to
        x, at, best = min(0.5, 1.0 / sqrt(tests)), self.best, _Farthest(inf, np.zeros(0))
        for _ in range(_ROUNDS):
            scales = 1.0 / (1.0 - x * scaled)
            at = climb(self.table * scales, self.counts, at)
            ceiling = at.height + tests * max(0.0, at.gap)
            end = -expm1((self.best.height - drop - ceiling) / tests) / x
            weights = self.weights(at) * scales
            root = sqrt(max(0.0, self.best.height - self._height(weights / weights.sum())))
            if end < best.end:
                best = _Farthest(end, _completed(weights * (1.0 - x * end), scaled))
            if abs(root - aim) <= _CLOSE * aim or (root < aim and x >= _FARTHEST):
                break
            low, high = ((x, root), high) if root < aim else (low, (x, root))
            x = _between(low, high, aim)
        return best

    def _height(self, weights: FloatArray) -> float:
        some = np.flatnonzero(weights)
        mixed = np.einsum("ij,j->i", self.table[:, some], weights[some])
        return float(np.einsum("i,i->", self.counts, np.log(mixed)))


def _completed(weights: FloatArray, scaled: FloatArray) -> FloatArray:
    """Weights that sum to 1: what they lack is at the greatest value, which no test shows."""
    weights[np.argmax(scaled)] += max(0.0, 1.0 - float(weights.sum()))
    completed: FloatArray = weights / weights.sum()
    return completed


def _between(low: tuple[float, float], high: tuple[float, float], aim: float) -> float:
    """Where the root of the drop should be as aimed at: it grows about evenly."""
    (x, root), (farther, larger) = low, high
    if larger < inf:
        share = (aim - root) / (larger - root)
        # Not too close to either side, or one of them might never move.
        return x + min(max(share, 0.05), 0.95) * (farther - x)
    return min(x * aim / root, _FARTHEST) if root > 0.0 else _FARTHEST
