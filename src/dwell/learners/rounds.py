"""Rounds of EmpiricalBayes: the boundaries in force for a while, chosen by a cautious reading.

To run what is best for the fitted pool would fail: a policy of one sample shows only the mean of
the pool, and a wrong belief in a wide one would confirm itself. So boundaries are the best for the
mean of those plausible pools under which the choice of the fitted one earns least: what tests have
not shown yet stays possible, and is tested for.
"""

from dataclasses import asdict, dataclass, replace
from math import ceil, isfinite, sqrt
from typing import Any

import numpy as np

from dwell.arrays import FloatArray, IntArray
from dwell.fitting.figure import Figure
from dwell.fitting.pool import DRAWS, PoolFit, fit_pool
from dwell.fitting.pool_change import Changed, under_rule
from dwell.fitting.readings import RESTARTS
from dwell.laws import Law
from dwell.learners.design import Design
from dwell.learners.explainable import explainable
from dwell.learners.guard import Guard
from dwell.learners.learned import Boundaries, Learned, Round
from dwell.learners.pool_knowledge import PoolKnowledge, pool_knowledge
from dwell.policy import Policy
from dwell.pools.best import GridPool, Level, PoolBest
from dwell.pools.leveled import LeveledPool
from dwell.records import Records

# Chosen on the worlds that `dwell bench learners` marks so.
# Tasks of the first round; later ones are a fourth of all before, or less if the pool may change.
_FIRST_ROUND, _ROUND_SHARE, _DRIFTING_SHARE = 4, 4, 12
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
_PATIENCE = 200.0
# What is done about a kind of readings goes with its chance to the power of 1 and this: to reckon
# with what is unlikely costs more than it is worth, and most where tests cost little.
_SHARPER, _SHARPER_WHERE_CHEAP = 0.5, 2.0
_OF_FIRST = ", in units of its noise where that is the least; other levels have limits of their own"


@dataclass(frozen=True, slots=True)
class Chooser:
    """How the next round follows from what was learned.

    Attributes:
        pool: What can be said of pools.
        setup_cost: What each task costs besides its samples.
        noise: The standard deviation of a sample, in the units that it is told in …
        largest: … and what such a unit is worth at most, where tests differ in noise.
        cap: The most samples of a test.
        caution: The share of plausible pools, the worst ones, that boundaries are chosen for.
        explainable: Which share of the ROI a rule may lose that people can say.
        guard: The guard; None without one.
        drift: Whether the pool may change.
        cheap: Whether tests cost so little to set up that verifying costs a large part of what they
            earn, and a wrong acceptance loses many times that.
        seed: What plausible pools are drawn with.
    """

    pool: GridPool
    setup_cost: float
    noise: float
    largest: float
    cap: int
    caution: float
    explainable: float
    guard: Guard | None
    drift: bool
    cheap: bool
    seed: int

    def begin_round(self, learned: Learned, *, anew: bool = False) -> None:
        """Fit the pool, and put the best boundaries for a cautious reading in force.

        Args:
            learned: What was learned.
            anew: Whether to begin afresh: what was fitted before was another pool.
        """
        if anew:
            learned.weights = np.zeros(0)
        former = learned.rounds[-1] if learned.rounds else None
        number, start = (former.number + 1, former.roi) if former else (0, 0.0)
        factor, discount = learned.noise.measured().factor, self._discount(learned)
        fit = self._fit(learned, number)
        seen: dict[str, Any] = {"factor": factor, "discount": discount}
        greedy = self.pool.best(fit.weights, self.setup_cost, start=start, **seen)
        rois = greedy.roi_under(fit.draws, self.setup_cost, discount)
        share = self.caution * min(1.0, sqrt((1 + learned.recent) / self._patience))
        # Caution is taken within each kind of readings: what the newest hold possible, as they know
        # little, does not outweigh the others. Where wrong acceptances lose many times what can be
        # earned, it is taken over all.
        groups = np.minimum(fit.readings, 0 if self.cheap else RESTARTS)
        weights = _worst(rois, groups, share) @ fit.draws
        start = float(greedy.roi_under(weights, self.setup_cost, discount))
        best, words = self.pool.best(weights, self.setup_cost, start=start, **seen), ""
        if self.explainable:
            said = explainable(self.pool, weights, self.setup_cost, best=best, **seen)
            if said.lost <= self.explainable:
                best, words = said.rule, f"{said.words} (which earns {said.lost:.1%} less)"
        learned.weights = fit.weights
        learned.readings.fitted()
        learned.gap *= _FADING
        learned.gap_weight *= _FADING
        share = _DRIFTING_SHARE if self.drift else _ROUND_SHARE
        tasks = max(round(learned.recent) // share, 1 if learned.explored else _FIRST_ROUND)
        learned.refit_at = learned.explored + tasks
        learned.ledger.tests = learned.explored
        learned.rounds.append(self._round(number, best, words, weights, tasks, learned))

    def verify(
        self,
        learned: Learned,
        design: Design,
        records: Records,
        ran: Round,
        unit: float,
        *,
        first: int,
        last: int,
    ) -> int:
        """Let the guard see acceptances; up to which task, before what is allowed changes.

        Args:
            learned: What was learned before.
            design: The design of the tasks.
            records: Their records.
            ran: The round by whose boundaries they were run.
            unit: What a sample of 1 is worth in them.
            first: How many of the tasks it has seen.
            last: How many of them it may see by now.
        """
        guard, ledger = self.guard, learned.ledger
        if guard is None:
            return last
        extras = design.extras_in(np.arange(last)).tolist()
        for place in (first + np.flatnonzero(records.decisions[first:last, 0] == 1)).tolist():
            verifying, estimate = extras[place], None
            if verifying and records.estimates is not None:
                estimate = float(records.estimates[place, 0])
                learned.gap += verifying * (ran.promised - unit * estimate)
                learned.gap_weight += verifying
            before = ledger.closed
            if design.accepts:
                guard.accept(ledger, ran.verified, ran.worth(verifying), estimate)
                if guard.used_up(ledger) and not before:
                    guard.close(ledger)
            elif before and estimate is not None:
                guard.watch(ledger, verifying, estimate)
            if ledger.closed != before or (design.accepts and not guard.room(ledger)):
                return place + 1
        return last

    def _changed(self, learned: Learned) -> Changed | None:
        """What is known of the latest change."""
        if not learned.changes:
            return None
        last, (before, now) = learned.changes[-1], learned.readings.sides
        shipped_before, earned_before = self._under_rule(learned, before)
        shipped_now, earned_now = self._under_rule(learned, now)
        return Changed(
            **asdict(last),
            shipped_before=shipped_before,
            shipped_now=shipped_now,
            earned_before=earned_before,
            earned_now=earned_now,
        )

    def _under_rule(self, learned: Learned, spans: FloatArray) -> tuple[Figure, Figure]:
        """What spans of tests show of the rule in force: which share it ships, what it earns."""
        now = learned.rounds[-1]
        kinds, counts = learned.readings.counted_by(spans)
        logs = self.pool.log_likelihood(kinds, learned.noise.measured().factor)
        return under_rule(logs, counts, now.accept_rates, self._worths(now))

    def _worths(self, ran: Round) -> FloatArray:
        """What each value of the grid is worth."""
        return ran.worths if len(ran.worths) else self.pool.values

    def _fit(self, learned: Learned, number: int) -> PoolFit:
        kinds, counts = learned.readings.of_present_pool()
        rng = np.random.default_rng([self.seed, number])
        former = learned.steady if learned.steady_at else None
        plausible = None
        if self.drift:
            sharper = _SHARPER_WHERE_CHEAP if self.cheap else _SHARPER
            plausible = learned.readings.plausible(DRAWS, sharper, self.pool.values, former, rng)
        return fit_pool(
            self.pool.log_likelihood(kinds, learned.noise.measured().factor),
            counts,
            self.pool.laws,
            learned.weights if len(learned.weights) else None,
            rng,
            plausible,
        )

    def plausible(self, learned: Learned) -> PoolFit:
        """The pool fitted to all tests so far, and others that are as plausible."""
        return self._fit(learned, learned.rounds[-1].number)

    def plausible_ever(self, learned: Learned) -> PoolFit:
        """The same with all tests counting alike, whichever pool they seem to be of."""
        readings, number = learned.readings, learned.rounds[-1].number
        kinds, counts = readings.counted_by(np.ones(len(readings.spans)))
        logs = self.pool.log_likelihood(kinds, learned.noise.measured().factor)
        rng = np.random.default_rng([self.seed, number])
        return fit_pool(logs, counts, self.pool.laws, None, rng)

    def knowledge(self, learned: Learned, law: Law) -> PoolKnowledge:
        """What is known of the pool, and of the rule in force."""
        now, measured = learned.rounds[-1], learned.noise.measured()
        fit = self.plausible(learned)
        kinds, counts = learned.readings.of_present_pool()
        rates, samples = now.accept_rates, now.mean_samples
        known = pool_knowledge(
            values=self.pool.values,
            weights=fit.weights,
            draws=fit.draws,
            log_likelihood=self.pool.log_likelihood(kinds, measured.factor),
            counts=counts,
            best=PoolBest(now.boundaries[0].policy(), self._worths(now), rates, samples, now.roi),
            setup_cost=self.setup_cost,
            measured=measured,
            law=law,
        )
        known = replace(known, changed=self._changed(learned))
        if isinstance(self.pool, LeveledPool):
            known = replace(known, rule=f"{known.rule}{_OF_FIRST}")
            known = replace(known, exponent=self.pool.exponent(fit.explained))
        return replace(known, rule=now.words) if now.words else known

    @property
    def _patience(self) -> float:
        """For how many tests to be more cautious still, where they cost little and harm counts."""
        return _PATIENCE if self.guard is not None and self.cheap else 1.0

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
        factor = learned.noise.measured().factor
        return Round(
            number=number,
            tests=learned.readings.counted,
            boundaries=[
                _boundaries(policy, level, learned.weights, factor)
                for policy, level in zip(best.policies, self.pool.at_levels, strict=True)
            ],
            accepts=best.roi > 0.0,
            deepened=deepened,
            depth=min(self.cap, depth),
            verified=min(1.0, verifying),
            verifying=max(1, round(verifying)),
            factor=factor,
            accept_rates=best.accepts,
            mean_samples=best.samples,
            worths=best.values if isinstance(self.pool, LeveledPool) else np.zeros(0),
            words=words,
            roi=best.roi,
            promised=float(weights @ (best.accepts * best.values)) / max(accepts, 1e-300),
        )

    def _discount(self, learned: Learned) -> float:
        """By how much verified acceptances fell short of what was promised, for sure."""
        factor = learned.noise.measured().factor
        doubt = _DOUBT * self.largest * self.noise * sqrt(factor * learned.gap_weight)
        confirmed = max(_FEW_CONFIRMED, _CONFIRMED * self.cap)
        return max(0.0, learned.gap - doubt) / (learned.gap_weight + confirmed)

    def _deepening(self, learned: Learned, samples: float, tasks: int) -> tuple[float, int]:
        """Which share of the tasks draw on after their stop, and to how many samples.

        First to see whether samples depend on one another, then to see what longer tests show.
        """
        share = _DEEPENED * max(1.0, learned.recent) ** (-1.0 / 3.0)
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
        shrunk = (max(_FEW_TESTS, learned.recent) / _FEW_TESTS) ** (-1.0 / 3.0)
        share = _VERIFIED * float(shrunk)
        most = max(1.0, min(_MOST_VERIFYING * self.cap, _MOST_SPENT * spent))
        least = _LEAST_VERIFYING if self.guard.noise is None else 1.0
        verifying = min(most, max(least, share * spent))
        while verifying < most and 2.0 * tasks * accepts > self.guard.allowance(
            learned.ledger, min(1.0, verifying), max(1, round(verifying))
        ):
            verifying = min(most, 1.25 * verifying)
        return verifying


def _worst(rois: FloatArray, groups: IntArray, share: float) -> FloatArray:
    """How much each plausible pool counts: of each group its worst ones, as much as all of it."""
    counted = np.zeros(len(rois))
    for group in np.unique(groups):
        members = np.flatnonzero(groups == group)
        ranked = members[np.argsort(rois[members], kind="stable")]
        worst = ranked[: max(1, round(share * len(ranked)))]
        counted[worst] = len(members) / (len(worst) * len(rois))
    return counted


def _boundaries(policy: Policy, level: Level, weights: FloatArray, factor: float) -> Boundaries:
    """A policy as a round keeps it: at its looks alone."""
    looked = np.isfinite(policy.lower) | np.isfinite(policy.upper)
    looks = 1 + np.flatnonzero(looked)
    lower, upper = policy.lower[looked].tolist(), policy.upper[looked].tolist()
    return Boundaries(
        looks=looks,
        lower=[each if isfinite(each) else None for each in lower],
        upper=[each if isfinite(each) else None for each in upper],
        even=level.even(weights, looks, factor),
    )
