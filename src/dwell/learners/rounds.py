"""Rounds of EmpiricalBayes: the boundaries in force for a while, chosen by a cautious reading.

To run what is best for the fitted pool would fail: a policy of one sample shows only the mean of
the pool, and a wrong belief in a wide one would confirm itself. So boundaries are the best for the
mean of those plausible pools under which the choice of the fitted one earns least: what tests have
not shown yet stays possible, and is tested for.
"""

from dataclasses import dataclass, field, replace
from math import ceil, inf, sqrt
from typing import Any

import numpy as np

from dwell.arrays import FloatArray, IntArray
from dwell.fitting.pool import PoolFit, fit_pool
from dwell.laws import Law
from dwell.learners.explainable import explainable
from dwell.learners.guard import Guard, Ledger
from dwell.learners.noise_evidence import NoiseEvidence
from dwell.learners.pool_knowledge import PoolKnowledge, pool_knowledge
from dwell.policy import Policy
from dwell.pools.best import GridPool, PoolBest

# Chosen on the worlds that `dwell bench learners` marks so.
_FIRST_ROUND, _ROUND_SHARE = 4, 4  # tasks of the first round; later ones are a fourth of all before
_DEEPENED = 0.05  # times n^(-1/3): the share of tasks that draw on, to see what longer tests show
# The share of the spending that verifies acceptances while there are few tests, the most of it if
# the budget would not last, and how many samples that is: at least, and at most as a share of cap.
_VERIFIED, _FEW_TESTS, _MOST_SPENT = 0.05, 100, 0.5
_LEAST_VERIFYING, _MOST_VERIFYING = 0.25, 0.25
# Samples after stops that show whether samples depend on one another: how many in a test, and in
# all, as shares of the cap and of what was spent, until a factor of this size would show.
_SHOWING, _SHOWING_FIRST, _SHOWING_SHARE, _SHOWN = 0.125, 0.25, 0.03, 1.5
# Promises are believed to so many standard errors, and as if some samples had confirmed them: a
# fifth of a test, or a few. What was seen of them fades from round to round: if it led to accepting
# nothing, nothing more would be seen.
_DOUBT, _CONFIRMED, _FEW_CONFIRMED, _FADING = 1.5, 0.2, 10.0, 0.9
CHEAP = 0.04  # set-up, per cap: below, verifying costs a large part of what a test earns
_PATIENCE = 200.0


@dataclass(slots=True)
class Round:
    """Boundaries that are in force for a while.

    Attributes:
        number: Which round, counted from 0.
        looks: After how many samples a test may stop; the last is the cap.
        lower: The lower boundary at each; None where it cannot be crossed.
        upper: The upper one.
        even: From which sum on an idea seems to help, by the fitted pool: what decides where a test
            ends before its time.
        accepts: Whether their acceptances count.
        deepened: The share of tasks that draw on after the stop …
        depth: … to this many samples.
        verified: The share of tasks whose acceptance is verified …
        verifying: … by so many samples.
        factor: How many samples of a test are worth one that the law describes, as far as is known.
        accept_rates: How often they accept each value of the grid …
        mean_samples: … and how many samples it takes.
        words: The rule in words, where one that people can say is in force.
        roi: What they earn per cost under the pessimistic pool.
        promised: The mean value of what they accept under it.
    """

    number: int
    looks: IntArray
    lower: list[float | None]
    upper: list[float | None]
    even: FloatArray
    accepts: bool
    deepened: float
    depth: int
    verified: float
    verifying: int
    factor: float
    accept_rates: FloatArray
    mean_samples: FloatArray
    words: str
    roi: float
    promised: float

    def worth(self, samples: int) -> int:
        """How many independent samples tell as much as so many that verify."""
        return max(1, int(samples / self.factor))

    def policy(self, ends: int = 0) -> Policy:
        """The boundaries, with an entry per sample.

        Args:
            ends: After how many samples the test ends in any case: then what seems to help is
                accepted. 0 if only the boundaries end it.
        """
        cap = int(self.looks[-1])
        lower, upper = (np.full(cap, end) for end in (-inf, inf))
        lower[self.looks - 1] = [-inf if each is None else each for each in self.lower]
        upper[self.looks - 1] = [inf if each is None else each for each in self.upper]
        if not 0 < ends < cap:
            return Policy(lower, upper)
        lower, upper = lower[:ends], upper[:ends]
        lower[-1] = upper[-1] = np.interp(ends, self.looks, self.even)
        return Policy(lower, upper)


@dataclass(slots=True)
class Learned:
    """What was learned; it does not grow with the number of tests, only with their kinds.

    Attributes:
        kinds: The kinds of tests that there were, in order.
        counts: How many of each.
        weights: The fitted pool: the weight of each value of the grid; none before there is one.
        rounds: The boundaries in force, and those that open tests run by.
        noise: What tests show of their noise.
        ledger: What the guard has seen.
        gap: Over verifying samples, the sum of what was promised less what they were …
        gap_weight: … and how many there were.
        deepened: How many samples were drawn after stops only to learn from.
        refit_at: After how many tests the pool is fitted anew.
        explored: From how many tests was learned.
        samples: How many samples these took.
    """

    kinds: IntArray = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    counts: FloatArray = field(default_factory=lambda: np.zeros(0))
    weights: FloatArray = field(default_factory=lambda: np.zeros(0))
    rounds: list[Round] = field(default_factory=list)
    noise: NoiseEvidence = field(default_factory=NoiseEvidence)
    ledger: Ledger = field(default_factory=Ledger)
    gap: float = 0.0
    gap_weight: float = 0.0
    deepened: int = 0
    refit_at: int = 0
    explored: int = 0
    samples: int = 0

    def add(self, kinds: IntArray) -> None:
        """Count tests of these kinds."""
        together = np.concatenate([self.kinds, kinds])
        self.kinds, places = np.unique(together, return_inverse=True)
        self.counts = np.bincount(places, np.append(self.counts, np.ones(len(kinds)))).astype(float)


@dataclass(frozen=True, slots=True)
class Chooser:
    """How the next round follows from what was learned.

    Attributes:
        pool: What can be said of pools.
        setup_cost: What each task costs besides its samples.
        noise: The standard deviation of a sample.
        cap: The most samples of a test.
        caution: The share of plausible pools, the worst ones, that boundaries are chosen for.
        explainable: Which share of the ROI a rule may lose that people can say.
        guard: The guard; None without one.
        seed: What plausible pools are drawn with.
    """

    pool: GridPool
    setup_cost: float
    noise: float
    cap: int
    caution: float
    explainable: float
    guard: Guard | None
    seed: int

    def begin_round(self, learned: Learned) -> None:
        """Fit the pool anew, and put the best boundaries for a cautious reading in force."""
        number = learned.rounds[-1].number + 1 if learned.rounds else 0
        factor, discount = learned.noise.measured().factor, self._discount(learned)
        fit = self._fit(learned, number)
        seen: dict[str, Any] = {"factor": factor, "discount": discount}
        greedy = self.pool.best(fit.weights, self.setup_cost, **seen)
        rois = greedy.roi_under(fit.draws, self.setup_cost, discount)
        share = self.caution * min(1.0, sqrt((1 + learned.explored) / self._patience))
        worst = np.argsort(rois, kind="stable")[: max(1, round(share * len(rois)))]
        weights = fit.draws[worst].mean(axis=0)
        best, words = self.pool.best(weights, self.setup_cost, **seen), ""
        if self.explainable:
            said = explainable(self.pool, weights, self.setup_cost, best=best, **seen)
            if said.lost <= self.explainable:
                best, words = said.rule, f"{said.words} (which earns {said.lost:.1%} less)"
        learned.weights = fit.weights
        learned.gap *= _FADING
        learned.gap_weight *= _FADING
        tasks = max(learned.explored // _ROUND_SHARE, 1 if learned.explored else _FIRST_ROUND)
        learned.refit_at = learned.explored + tasks
        learned.ledger.tests = learned.explored
        learned.rounds.append(self._round(number, best, words, weights, tasks, learned))

    def _fit(self, learned: Learned, number: int) -> PoolFit:
        return fit_pool(
            self.pool.log_likelihood(learned.kinds, learned.noise.measured().factor),
            learned.counts,
            self.pool.laws,
            learned.weights if len(learned.weights) else None,
            np.random.default_rng([self.seed, number]),
        )

    def plausible(self, learned: Learned) -> PoolFit:
        """The pool fitted to all tests so far, and others that are as plausible."""
        return self._fit(learned, learned.rounds[-1].number)

    def knowledge(self, learned: Learned, law: Law) -> PoolKnowledge:
        """What is known of the pool, and of the rule in force."""
        now, measured = learned.rounds[-1], learned.noise.measured()
        fit = self.plausible(learned)
        rates, samples = now.accept_rates, now.mean_samples
        known = pool_knowledge(
            values=self.pool.values,
            weights=fit.weights,
            draws=fit.draws,
            log_likelihood=self.pool.log_likelihood(learned.kinds, measured.factor),
            counts=learned.counts,
            best=PoolBest(now.policy(), self.pool.values, rates, samples, now.roi),
            setup_cost=self.setup_cost,
            measured=measured,
            law=law,
        )
        return replace(known, rule=now.words) if now.words else known

    @property
    def _patience(self) -> float:
        """For how many tests to be more cautious still, where they cost little and harm counts."""
        cheap = self.setup_cost < CHEAP * self.cap
        return _PATIENCE if self.guard is not None and cheap else 1.0

    def _round(
        self,
        number: int,
        best: PoolBest,
        words: str,
        weights: FloatArray,
        tasks: int,
        learned: Learned,
    ) -> Round:
        accepts, samples = float(weights @ best.accepts), float(weights @ best.samples)
        deepened, depth = self._deepening(learned, samples, tasks)
        verifying = self._verifying(learned, samples, accepts, tasks)
        lower, upper = best.policy.lower, best.policy.upper
        looked = np.isfinite(lower) | np.isfinite(upper)
        looks = 1 + np.flatnonzero(looked)
        factor = learned.noise.measured().factor
        return Round(
            number=number,
            looks=looks,
            lower=[each if np.isfinite(each) else None for each in lower[looked].tolist()],
            upper=[each if np.isfinite(each) else None for each in upper[looked].tolist()],
            even=self.pool.even(learned.weights, looks, factor),
            accepts=best.roi > 0.0,
            deepened=deepened,
            depth=min(self.cap, depth),
            verified=min(1.0, verifying),
            verifying=max(1, round(verifying)),
            factor=factor,
            accept_rates=best.accepts,
            mean_samples=best.samples,
            words=words,
            roi=best.roi,
            promised=float(weights @ (best.accepts * best.values)) / max(accepts, 1e-300),
        )

    def _discount(self, learned: Learned) -> float:
        """By how much verified acceptances fell short of what was promised, for sure."""
        factor = learned.noise.measured().factor
        doubt = _DOUBT * self.noise * sqrt(factor * learned.gap_weight)
        confirmed = max(_FEW_CONFIRMED, _CONFIRMED * self.cap)
        return max(0.0, learned.gap - doubt) / (learned.gap_weight + confirmed)

    def _deepening(self, learned: Learned, samples: float, tasks: int) -> tuple[float, int]:
        """Which share of the tasks draw on after their stop, and to how many samples.

        First to see whether samples depend on one another, then to see what longer tests show.
        """
        share = _DEEPENED * max(1, learned.explored) ** (-1.0 / 3.0)
        depth = 2 + ceil(2.0 * samples)
        if self.guard is None or learned.noise.measured().detectable <= _SHOWN:
            return share, depth
        spent = self.setup_cost * learned.explored + learned.samples
        showing = ceil(_SHOWING * self.cap)
        left = _SHOWING_FIRST * self.cap + _SHOWING_SHARE * spent - learned.deepened
        return min(1.0, max(share, left / (showing * tasks))), max(depth, showing)

    def _verifying(self, learned: Learned, samples: float, accepts: float, tasks: int) -> float:
        """How many samples verify an acceptance: what a small share of the spending pays for.

        It is more where the budget would otherwise not last for the acceptances of two rounds.
        """
        if self.guard is None:
            return 0.0
        spent = (self.setup_cost + samples) / max(accepts, 1e-12)  # per acceptance
        shrunk = (max(_FEW_TESTS, learned.explored) / _FEW_TESTS) ** (-1.0 / 3.0)
        share = _VERIFIED * float(shrunk)
        most = max(1.0, min(_MOST_VERIFYING * self.cap, _MOST_SPENT * spent))
        least = _LEAST_VERIFYING if self.guard.noise is None else 1.0
        verifying = min(most, max(least, share * spent))
        while verifying < most and 2.0 * tasks * accepts > self.guard.allowance(
            learned.ledger, min(1.0, verifying), max(1, round(verifying))
        ):
            verifying = min(most, 1.25 * verifying)
        return verifying
