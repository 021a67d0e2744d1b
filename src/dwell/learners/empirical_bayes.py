"""EmpiricalBayes: learn the pool of ideas from all tests, and run the best boundaries for it.

What a test says of its idea's value does not depend on why it stopped. So the law of values, the
pool, is fitted to all tests so far (`fitting.pool`), and the boundaries with the highest ROI for it
are computed (`lattice_pool`): the choice is among all policies there are. To run what is best for
the fitted pool alone would fail: a policy of one sample shows only the mean of the pool, and a
wrong belief in a wide one would confirm itself. So many plausible pools are drawn, and the
boundaries are the best for the mean of those under which the fitted choice earns least.
docs/empirical_bayes.md has the whole of it.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from math import ceil, sqrt
from typing import Any

import numpy as np

from dwell import checks
from dwell.arrays import BoolArray, FloatArray, IntArray
from dwell.errors import InvalidInput
from dwell.fitting.agreement import Traits
from dwell.fitting.dependence import Dependence
from dwell.families import Every
from dwell.fitting.pool import fit_pool
from dwell.laws import Gaussian, Law, Lift, Signs
from dwell.learners.design import Design
from dwell.learners.guard import Guard, Ledger
from dwell.learners.learner import Knowledge, Learner
from dwell.policies import Policies
from dwell.policy import Policy
from dwell.pools.best import GridPool
from dwell.pools.normal import NormalPool
from dwell.pools.signs import SignsPool
from dwell.records import Records

_FIRST_ROUND, _ROUND_SHARE = 4, 4  # tasks of the first round; later ones are a fourth of all before
# The share of the spending that verifies acceptances, while there are few tests; later it shrinks.
_VERIFIED, _FEW_TESTS, _MOST_SPENT = 0.05, 100, 0.5
_LEAST_VERIFYING, _MOST_VERIFYING = 0.25, 64
# Samples after stops that show whether samples depend on one another: how many in a test, and in
# all, as a number and as a share of what was spent, until a factor of this size would show.
_SHOWING, _SHOWING_FIRST, _SHOWING_SHARE, _SHOWN = 32, 64.0, 0.03, 1.5
_DEEPENED = 0.05  # times n^(-1/3): the share of tasks that draw on, to see what longer tests show


@dataclass(slots=True)
class Round:
    """Boundaries that were in force for a while.

    Attributes:
        number: Which round, counted from 0.
        policy: The boundaries, as `Policy.to_dict` gives them.
        accepts: Whether their acceptances count.
        deepened: The share of tasks that draw on after the stop …
        depth: … to this many samples.
        verified: The share of tasks whose acceptance is verified …
        verifying: … by so many samples.
        roi: What they earn per cost under the pessimistic pool.
        promised: The mean value of what they accept under it.
    """

    number: int
    policy: dict[str, list[float | None]]
    accepts: bool
    deepened: float
    depth: int
    verified: float
    verifying: int
    roi: float
    promised: float


@dataclass(slots=True)
class Learned:
    """What was learned.

    Attributes:
        kinds: The kinds of tests that there were, in order.
        counts: How many of each.
        weights: The fitted pool: the weight of each value of the grid.
        rounds: The boundaries in force, and those that open tests run by.
        dependence: What samples within a test are worth.
        ledger: What the guard has seen.
        gap: Over verifying samples, the sum of what was promised less what they were …
        gap_weight: … and how many there were.
        deepened: How many samples were drawn after stops only to learn from.
        refit_at: After how many tests the pool is fitted anew.
        explored: From how many tests was learned.
        samples: How many samples these took.
    """

    kinds: IntArray
    counts: FloatArray
    weights: FloatArray
    rounds: list[Round] = field(default_factory=list)
    dependence: Dependence = field(default_factory=Dependence.empty)
    ledger: Ledger = field(default_factory=Ledger)
    gap: float = 0.0
    gap_weight: float = 0.0
    deepened: int = 0
    refit_at: int = _FIRST_ROUND
    explored: int = 0
    samples: int = 0


class EmpiricalBayes(Learner):
    """Fit the pool of ideas to all tests, run the best boundaries for a cautious reading of it.

    Args:
        law: The law of the observations.
        cap: The most samples of a test.
        setup_cost: What each task costs besides its samples.
        looks: A test is looked at after so many samples each, and at the cap; after each by default.
        min_samples: It is not looked at before it has drawn this many.
        caution: The share of plausible pools, the worst ones, that boundaries are chosen for.
        seed: What plausible pools are drawn with.

    Example:
        >>> from dwell import Atoms, Signs, World, simulate
        >>> learner = EmpiricalBayes(Signs(), cap=256, setup_cost=20)
        >>> world = World(Atoms([-0.05, 0.6], [0.9, 0.1]), Signs())
        >>> run = simulate(learner, world, tasks=300, rng=0)
        >>> bool(run.roi > 0.001)
        True
    """

    state: Learned

    def __init__(
        self,
        law: Law,
        cap: int,
        *,
        setup_cost: float = 0.0,
        looks: int | None = None,
        min_samples: int = 1,
        caution: float = 0.25,
        guard: float | None = None,
        seed: int = 0,
    ):
        super().__init__()
        if not isinstance(law, Law):
            raise InvalidInput(f"law must be Signs, Lift or Gaussian, got {checks.shown(law)}")
        self.law = law
        self.cap = checks.cap("cap", cap)
        self.setup_cost = checks.not_negative("set-up cost", setup_cost)
        self.looks = None if looks is None else checks.count("looks", looks)
        self.min_samples = checks.count("min_samples", min_samples)
        if self.min_samples > self.cap:
            raise InvalidInput(
                f"min_samples must be at most the cap, {self.cap}, got {self.min_samples}"
            )
        self.caution = checks.probability("caution", caution)
        self.guard = None if guard is None else checks.positive("guard", guard)
        self._guard = None if self.guard is None else Guard(self.guard)
        self.seed = checks.count("seed", seed, least=0)
        self._pool = _pool(law, self.cap, self.looks, self.min_samples)
        self.state = Learned(
            kinds=np.zeros(0, dtype=np.int64),
            counts=np.zeros(0),
            weights=np.zeros(0),
        )
        self._refit()

    @property
    def choices(self) -> Every:
        """All policies there are."""
        return Every(self.cap)

    def subset(self, columns: tuple[int, ...]) -> Policies:
        """The boundaries of a round, as a set of their own."""
        if columns not in self._subsets:
            [number] = columns
            [found] = [each for each in self.state.rounds if each.number == number]
            self._subsets = {columns: Policies([Policy.from_dict(found.policy)])}
        return self._subsets[columns]

    def propose(self, tasks: int) -> Design:
        """How the next tasks are to be run."""
        state, now = self.state, self.state.rounds[-1]
        tasks = max(1, min(tasks, state.refit_at - state.explored - self.queue.reserved))
        first = self.queue.begun + 1
        deepened = _uniform(self.seed, 0, first, tasks) < now.deepened
        verified = np.zeros(tasks, dtype=np.bool_)
        accepts = now.accepts
        if self._guard is not None:
            closed = state.ledger.closed
            verified |= closed | (_uniform(self.seed, 1, first, tasks) < now.verified)
            # Tests that are open may be accepted too: the budget must cover them all.
            allowed = self._guard.allowance(state.ledger, now.verified, now.verifying)
            accepts &= allowed > sum(design.accepts for design in self.queue.open)
        ways = 2 * deepened + verified
        return Design(
            policies=self.subset((now.number,)),
            columns=(now.number,),
            accepts=accepts,
            extras=now.verifying if verified[0] else 0,
            least=now.depth if deepened[0] else 0,
            sums=True,
            traits=isinstance(self.law, Signs),
            tasks=int(np.argmax(ways != ways[0])) or tasks,
        )

    def take(self, design: Design, records: Records) -> int:
        """Take in records in order, and return how many."""
        taken = self._verify(design, records) if self._guard is not None else len(records)
        records = records.first(taken)
        state = self.state
        assert records.sums is not None  # every design asks for them
        if records.traits is not None:
            state.dependence.take(Traits(*np.moveaxis(records.traits, 1, 0)))
        kinds = self._pool.kinds(records.drawn, records.sums)
        together = np.concatenate([state.kinds, kinds])
        state.kinds, places = np.unique(together, return_inverse=True)
        state.counts = np.bincount(places, np.append(state.counts, np.ones(taken)))
        state.explored += taken
        state.samples += int(records.drawn.sum())
        if design.least:
            state.deepened += int((records.drawn - records.durations[:, 0]).sum())
        if state.explored >= state.refit_at:
            self._refit()
        return taken

    def _verify(self, design: Design, records: Records) -> int:
        """Let the guard see the acceptances; from how many tasks, before it closes or opens."""
        guard, ledger = self._guard, self.state.ledger
        assert guard is not None
        [now] = [each for each in self.state.rounds if each.number == design.columns[0]]
        places = np.flatnonzero(records.decisions[:, 0] == 1)
        for place in places:
            estimate = None if records.estimates is None else float(records.estimates[place, 0])
            if estimate is not None:
                self.state.gap += design.extras * (now.promised - estimate)
                self.state.gap_weight += design.extras
            if design.accepts:
                guard.accept(ledger, now.verified, now.verifying, estimate)
                if not ledger.closed and not guard.allowance(ledger, now.verified, now.verifying):
                    guard.close(ledger)
                    return int(place) + 1
            elif ledger.closed and estimate is not None:
                guard.watch(ledger, design.extras, estimate)
                if not ledger.closed:
                    return int(place) + 1
        return len(records)

    def _refit(self) -> None:
        """Fit the pool anew, and choose boundaries for a cautious reading of it."""
        state = self.state
        number = state.rounds[-1].number + 1 if state.rounds else 0
        factor = state.dependence.measured().factor
        doubt = 1.5 * sqrt(factor * state.gap_weight)
        discount = max(0.0, state.gap - doubt) / (state.gap_weight + 50.0)
        fit = fit_pool(
            self._pool.log_likelihood(state.kinds, factor),
            state.counts,
            self._pool.laws,
            state.weights if len(state.weights) else None,
            np.random.default_rng([self.seed, number]),
        )
        seen = {"setup_cost": self.setup_cost, "factor": factor, "discount": discount}
        greedy = self._pool.best(fit.weights, **seen)
        rois = greedy.roi_under(fit.draws, self.setup_cost, discount)
        worst = np.argsort(rois, kind="stable")[: max(1, round(self.caution * len(rois)))]
        weights = fit.draws[worst].mean(axis=0)
        best = self._pool.best(weights, **seen)
        accepts, samples = float(weights @ best.accepts), float(weights @ best.samples)
        tasks = max(state.explored // _ROUND_SHARE, 1 if state.explored else _FIRST_ROUND)
        verifying = self._verifying(samples, accepts, tasks)
        deepened, depth = self._deepening(samples, tasks)
        used = {design.columns[0] for design in self.queue.open}
        state.weights = fit.weights
        state.rounds = [each for each in state.rounds if each.number in used]
        state.rounds.append(
            Round(
                number=number,
                policy=best.policy.to_dict(),
                accepts=best.roi > 0.0,
                deepened=deepened,
                depth=min(self.cap, depth),
                verified=min(1.0, verifying),
                verifying=max(1, round(verifying)),
                roi=best.roi,
                promised=float(weights @ (best.accepts * best.values)) / max(accepts, 1e-300),
            )
        )
        state.refit_at = state.explored + tasks

    def _deepening(self, samples: float, tasks: int) -> tuple[float, int]:
        """Which share of the tasks draw on after their stop, and to how many samples.

        First to see whether samples depend on one another, then to see what longer tests show.
        """
        state = self.state
        share, depth = _DEEPENED * max(1, state.explored) ** (-1.0 / 3.0), 2 + ceil(2.0 * samples)
        if self._guard is None or state.dependence.measured().detectable <= _SHOWN:
            return share, depth
        spent = self.setup_cost * state.explored + state.samples
        left = _SHOWING_FIRST + _SHOWING_SHARE * spent - state.deepened
        return min(1.0, max(share, left / (_SHOWING * tasks))), max(depth, _SHOWING)

    def _verifying(self, samples: float, accepts: float, tasks: int) -> float:
        """How many samples verify an acceptance: what a small share of the spending pays for.

        It is more where the budget would otherwise not last for the acceptances of two rounds.
        """
        if self._guard is None:
            return 0.0
        spent = (self.setup_cost + samples) / max(accepts, 1e-12)  # per acceptance
        share = _VERIFIED * min(1.0, (_FEW_TESTS / max(1, self.state.explored)) ** (1.0 / 3.0))
        most = min(float(_MOST_VERIFYING), max(1.0, _MOST_SPENT * spent))
        verifying = min(most, max(_LEAST_VERIFYING, share * spent))
        while verifying < most and 2.0 * tasks * accepts > self._guard.allowance(
            self.state.ledger, min(1.0, verifying), max(1, round(verifying))
        ):
            verifying = min(most, 1.25 * verifying)
        return verifying

    def knowledge(self) -> Knowledge:
        """What is known so far."""
        return Knowledge(
            candidates=(),
            eliminated_at=(),
            bounds=None,
            chosen=None,
            explored=self.state.explored,
            samples=self.state.samples,
        )


def _pool(law: Law, cap: int, looks: int | None, min_samples: int) -> GridPool:
    """What can be said of pools under a law."""
    match law:
        case Signs():
            return SignsPool(cap, looks or 1, min_samples)
        case Lift():
            # Of a difference of two outcomes, at the base rate; lifts change it little.
            return NormalPool(law.noise * sqrt(2.0), cap, looks, min_samples)
        case Gaussian():
            return NormalPool(law.sd, cap, looks, min_samples)


def _uniform(seed: int, stream: int, first: int, count: int) -> FloatArray:
    """Numbers in [0, 1) that belong to tasks by their numbers, whatever else happens."""
    with np.errstate(over="ignore"):
        # The mixing of SplitMix64 (Steele, Lea, Flood 2014), a step per task.
        mixed = np.arange(first, first + count, dtype=np.uint64)
        mixed += np.uint64(2 * seed + stream) * np.uint64(2**40)
        mixed *= np.uint64(0x9E3779B97F4A7C15)
        for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
            mixed = (mixed ^ (mixed >> np.uint64(shift))) * np.uint64(factor)
        mixed ^= mixed >> np.uint64(31)
    numbers: FloatArray = (mixed >> np.uint64(11)) * 2.0**-53
    return numbers
