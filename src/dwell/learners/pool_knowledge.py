"""What is known of the pool of ideas, and of the rule in force, for people to read.

Figures are of the fitted pool. Those of the pool itself have 95 % intervals by the profile
likelihood (`fitting.pool_intervals`), whatever the pool's shape and whatever stopped the tests.
What the rule earns has a range over pools that are as plausible: the middle nine tenths of them.
"""

from dataclasses import dataclass
from math import sqrt
from typing import Any

import numpy as np

from dwell import wire
from dwell.arrays import FloatArray
from dwell.fitting.dependence import Measured
from dwell.fitting.figure import Figure, number, percent, range_of
from dwell.fitting.pool import PSEUDO_TESTS
from dwell.fitting.pool_change import Changed
from dwell.fitting.pool_intervals import SURE, Interval, pool_intervals
from dwell.laws import Law
from dwell.learners.rule_sentence import rule_sentence
from dwell.pools.best import PoolBest
from dwell.pools.leveled import Exponent
from dwell.shown import Shown

_MIDDLE = (0.05, 0.95)


@dataclass(repr=False, frozen=True, slots=True)
class PoolKnowledge(Shown):
    """What is known of the pool of ideas, and of the rule in force.

    Attributes:
        tests: How many tests it is known from.
        helpful: The share of ideas that help: whose value is above 0.
        helpful_mean: The mean value of those.
        mean: The mean value of all ideas.
        gain: What an idea would add on average if those that help were known: no rule adds more.
        roi: What the rule in force earns per unit of cost.
        earning: The share of plausible pools in which it earns more than nothing.
        evidence: By how much the tests are likelier under the best pool than under any in which no
            idea helps, on the log scale.
        nothing_earns: Whether a pool in which no idea helps explains the tests as well as others:
            nothing shows that any testing earns.
        samples_worth: How many independent samples a sample of a test is worth.
        dependence: The same for people.
        rule: The rule in force, in one sentence.
        next_tests: If there were so many tests more …
        next_range: … the range of `roi` would be about this wide.
        exponent: With which power of the noise effects grow; None where tests do not differ in it.
            Values are then those in a usual test.
        changed: The latest change of the pool; None where none was shown. All else is of the pool
            as it is now.
    """

    tests: int
    helpful: Figure
    helpful_mean: Figure
    mean: Figure
    gain: Figure
    roi: Figure
    earning: float
    evidence: float
    nothing_earns: bool
    samples_worth: float
    dependence: str
    rule: str
    next_tests: int
    next_range: float
    exponent: Exponent | None = None
    changed: Changed | None = None

    @property
    def sentences(self) -> tuple[str, ...]:
        """The same for people, the most important first."""
        return (
            self._verdict,
            *([] if self.changed is None else [self.changed.sentence]),
            self._pool,
            f"The rule in force: {self.rule}.",
            f"It earns {number(self.roi.estimate)} per unit of cost, and "
            f"{range_of(self.roi)} in nine tenths of the pools that are plausible; after "
            f"{self.next_tests:,} more tests that range should be about "
            f"{number(self.next_range)} wide.",
            f"{self.dependence[:1].upper()}{self.dependence[1:]}.",
            *([] if self.exponent is None else [f"E{self.exponent.sentence[1:]}."]),
        )

    @property
    def _verdict(self) -> str:
        if not self.tests:
            return "Nothing is known yet: there was no test."
        if self.nothing_earns:
            return (
                f"Nothing here earns, as far as {_tests(self.tests)} show: a pool in which no idea "
                f"helps explains them nearly as well as any other (by {self.evidence:.2g} on the "
                f"log scale, where {SURE:g} would show that some do)."
            )
        return (
            f"Some ideas help: the best pool explains {_tests(self.tests)} better than any in "
            f"which none does, by {self.evidence:.3g} on the log scale, where {SURE:g} is enough."
        )

    @property
    def _pool(self) -> str:
        worth = (
            "which may be worth anything"
            if self.nothing_earns
            else f"which are worth {number(self.helpful_mean.estimate)} on average "
            f"({range_of(self.helpful_mean)})"
        )
        return (
            f"About {percent(self.helpful.estimate)} % of ideas help "
            f"({percent(self.helpful.low)} to {percent(self.helpful.high)} %), {worth}; the "
            f"mean of all is {number(self.mean.estimate)} ({range_of(self.mean)})."
        )

    def to_dict(self) -> dict[str, Any]:
        """The same in types that JSON knows."""
        fields: dict[str, Any] = wire.plain(self)
        return {**fields, "sentences": list(self.sentences)}


def pool_knowledge(
    *,
    values: FloatArray,
    weights: FloatArray,
    draws: FloatArray,
    log_likelihood: FloatArray,
    counts: FloatArray,
    best: PoolBest,
    setup_cost: float,
    measured: Measured,
    law: Law | None = None,
    next_tests: int = 10,
) -> PoolKnowledge:
    """What is known, from what was fitted.

    Args:
        values: The grid of values.
        weights: The fitted pool.
        draws: Pools that are as plausible, a row each.
        log_likelihood: What tests say of each value: a row per kind of test.
        counts: How many tests there are of each kind.
        best: The rule in force.
        setup_cost: What each test costs besides its samples.
        measured: What is known of dependence among samples.
        law: The law of samples.
        next_tests: How many tests to look ahead.

    Example:
        >>> from dwell.fitting.pool import fit_pool
        >>> from dwell.pools.signs import SignsPool
        >>> pool, rng = SignsPool(cap=64), np.random.default_rng(0)
        >>> drawn, sums = np.full(40, 64), rng.choice([-8.0, 20.0], 40)
        >>> kinds, counts = np.unique(pool.kinds(drawn, sums), return_counts=True)
        >>> logs = pool.log_likelihood(kinds)
        >>> fit = fit_pool(logs, counts.astype(float), pool.laws, None, rng)
        >>> known = pool_knowledge(
        ...     values=pool.values, weights=fit.weights, draws=fit.draws, log_likelihood=logs,
        ...     counts=counts.astype(float), best=pool.best(fit.weights, 20.0), setup_cost=20.0,
        ...     measured=Measured(1.0, 0.1, significant=False, detectable=1.3),
        ... )
        >>> known.nothing_earns, known.helpful.low > 0.1
        (False, True)
    """
    found = pool_intervals(log_likelihood, counts, values)
    helps = values > 0.0
    share, gain = float(weights[helps].sum()), float(weights[helps] @ values[helps])
    rois = best.roi_under(draws, setup_cost)
    low, high = (float(end) for end in np.quantile(rois, _MIDDLE))
    tests = float(counts.sum())
    # Ranges shrink as the root of what is known grows, pseudo-tests included.
    shrinking = sqrt((tests + PSEUDO_TESTS) / (tests + PSEUDO_TESTS + next_tests))
    return PoolKnowledge(
        tests=round(tests),
        helpful=Figure.of(share, found.helpful),
        helpful_mean=Figure.of(gain / share if share > 0.0 else 0.0, found.helpful_mean),
        mean=Figure.of(float(weights @ values), found.mean),
        gain=Figure.of(gain, found.gain),
        roi=Figure.of(float(best.roi_under(weights, setup_cost)), Interval(low, high)),
        earning=float((rois > 0.0).mean()),
        evidence=found.evidence,
        nothing_earns=found.evidence <= SURE,
        samples_worth=1.0 / measured.factor,
        dependence=measured.sentence,
        rule=rule_sentence(best.policy, law),
        next_tests=next_tests,
        next_range=shrinking * (high - low),
    )


def _tests(count: int) -> str:
    return f"{count:,} test{'' if count == 1 else 's'}"
