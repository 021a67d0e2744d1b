"""EmpiricalBayes: learn the pool of ideas from all tests, and run the best boundaries for it.

What a test says of its idea's value does not depend on why it stopped. So the law of values, the
pool, is fitted to all tests so far (`fitting.pool`), and the boundaries with the highest ROI for it
are computed (`pools`): the choice is among all policies there are, made with caution (`rounds`). It
supposes that the law of the noise is right. So dependence among samples is measured and heeded,
and some acceptances are verified (`guard`). docs/empirical_bayes.md has the whole of it.
"""

import numpy as np

from dwell import checks
from dwell.arrays import FloatArray
from dwell.errors import InvalidInput
from dwell.families import Every
from dwell.fitting.pool import PoolFit
from dwell.laws import Law
from dwell.learners.design import Design
from dwell.learners.guard import Guard, guard_under
from dwell.learners.learner import Knowledge, Learner, alike
from dwell.learners.past_sums import PastSums
from dwell.learners.pool_knowledge import PoolKnowledge
from dwell.learners.rounds import CHEAP, Chooser, Learned, Round
from dwell.policies import Policies
from dwell.pools.fitted import FittedPool
from dwell.pools.under_law import chunk_under, noise_under, pool_under
from dwell.records import Records

_MOST_AT_ONCE = 1024  # tasks in a row
_LONGEST = 2**32  # more than any test has samples


class EmpiricalBayes(Learner):
    """Fit the pool of ideas to all tests, run the best boundaries for a cautious reading of it.

    Args:
        law: The law of the observations.
        cap: The most samples of a test.
        setup_cost: What each task costs besides its samples.
        looks: A test is looked at after so many samples each, and at the cap; by default after
            each or, if they are many and normal, when it pays.
        min_samples: It is not looked at before it has drawn this many.
        caution: The share of plausible pools, the worst ones, that boundaries are chosen for.
        guard: Whether acceptances are verified so that they cannot lose much more than the budget,
            whatever the noise; by default if a budget is given, and where it costs little: if
            set-up costs as much as at least a 25th of the cap.
        budget: How much value acceptances may lose before the guard stops them; by default 40 times
            the most that one can lose (under a Gaussian law, 16 standard errors of a test that
            runs to the cap), and once more for each test that is open at once; if set-up costs
            less than a 25th of the cap, a fifth of it at first and all of it after 4,000 tests.
        explainable: If above 0, a rule that people can say is in force wherever it loses at most
            this share of the ROI of the best boundaries.
        past: Past tests to start from.
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
        guard: bool | None = None,
        budget: float | None = None,
        explainable: float = 0.0,
        past: PastSums | None = None,
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
        for name, number in (("looks", self.looks or 1), ("min_samples", self.min_samples)):
            if number > self.cap:
                raise InvalidInput(f"{name} must be at most the cap, {self.cap}, got {number}")
        self.caution = checks.probability("caution", caution)
        if not (guard is None or isinstance(guard, bool)):
            raise InvalidInput(f"guard must be True, False or None, got {checks.shown(guard)}")
        self.guard = guard
        self.budget = None if budget is None else checks.positive("budget", budget)
        if guard is False and budget is not None:
            raise InvalidInput(
                f"budget means nothing without a guard, got {budget:g}; leave it out"
            )
        self.explainable = checks.not_negative("explainable", explainable)
        if past is not None:
            checks.kind("past", past, PastSums, "PastSums, such as PastSums.of_effects(…)")
            past.require_law(law)
        self.past = past
        self.seed = checks.count("seed", seed, least=0)
        noise = noise_under(law)
        self._chooser = Chooser(
            pool=pool_under(law, self.cap, self.looks, self.min_samples),
            setup_cost=self.setup_cost,
            noise=noise,
            cap=self.cap,
            caution=self.caution,
            explainable=self.explainable,
            guard=guard_under(law, self.cap, noise, self.budget, cheap=self._cheap)
            if self.guarded
            else None,
            seed=self.seed,
        )
        self.state = Learned()
        if past is not None:
            self.state.add(self._chooser.pool.kinds(past.drawn, past.sums))
        self._chooser.begin_round(self.state)

    @property
    def guarded(self) -> bool:
        """Whether acceptances are verified."""
        if self.guard is not None:
            return self.guard
        return self.budget is not None or not self._cheap

    @property
    def _cheap(self) -> bool:
        return self.setup_cost < CHEAP * self.cap

    @property
    def choices(self) -> Every:
        """All policies there are."""
        return Every(self.cap)

    def subset(self, columns: tuple[int, ...]) -> Policies:
        """The boundaries of a round, perhaps cut off where a test ends, as a set of their own."""
        if columns not in self._subsets:
            policy = self._round(columns).policy(ends=columns[0] % _LONGEST)
            self._subsets = {columns: Policies([policy])}
        return self._subsets[columns]

    def _round(self, columns: tuple[int, ...]) -> Round:
        number = columns[0] // _LONGEST
        [found] = (each for each in self.state.rounds if each.number == number)
        return found

    def begin(self, tasks: int = 1, *, ends: int | None = None) -> Design:
        """Begin a task.

        Args:
            tasks: How many tasks in a row the design may stand for at most, each begun when the one
                before was learned from; for one as long as other designs are open.
            ends: After how many samples the test ends in any case, if that is before the cap. What
                is undecided then is accepted if it seems to help.
        """
        at_end = 0 if ends is None else checks.count("ends", ends)
        return self.queue.add(self._design(self._at_once(tasks), at_end))

    def propose(self, tasks: int) -> Design:
        """How the next tasks are to be run."""
        return self._design(tasks, ends=0)

    def peek(self) -> Design:
        """The design that `begin` would give: to make one changes nothing."""
        return self.queue.copied().add(self.propose(self._at_once(1)))

    def _design(self, tasks: int, ends: int) -> Design:
        state, now, guard = self.state, self.state.rounds[-1], self._chooser.guard
        left = state.refit_at - state.explored - self.queue.reserved
        tasks = max(1, min(tasks, left, _MOST_AT_ONCE))
        first = self.queue.begun + 1
        deepened = _uniform(self.seed, 0, first, tasks) < now.deepened
        verified = np.zeros(tasks, dtype=np.bool_)
        accepts = now.accepts
        if guard is not None:
            verified |= _uniform(self.seed, 1, first, tasks) < now.verified
            verified |= state.ledger.closed
            # Tests that are open may be accepted too: the budget must cover them all.
            accepts &= guard.covers(state.ledger, self.queue.accepting)
        extras, least = now.verifying * int(verified.any()), now.depth * int(deepened.any())
        column = now.number * _LONGEST
        if ends:
            # Decided so early that there is time left to verify it. All tests are, or the chance to
            # be verified would depend on how a test goes; what cannot be verified is not accepted.
            kept = 0 if guard is None else min(now.verifying, ends // 4)
            extras, decided_by = min(extras, kept), ends - kept
            accepts &= guard is None or kept > 0
            column += decided_by if decided_by < self.cap else 0
            least = min(least, ends)
        return Design(
            policies=self.subset((column,)),
            columns=(column,),
            accepts=accepts,
            extras=extras,
            verified=tuple(verified.tolist()) if tasks > 1 else (),
            least=least,
            deepened=tuple(deepened.tolist()) if tasks > 1 else (),
            sums=True,
            noise=self._chooser.noise,
            chunk=chunk_under(self.law),
            tasks=tasks,
        )

    def take(self, design: Design, records: Records) -> int:
        """Take in records in order, and return how many."""
        state, guard = self.state, self._chooser.guard
        taken = len(records) if guard is None else self._verify(guard, design, records)
        records = records.first(taken)
        assert records.sums is not None  # every design asks for them
        state.add(self._chooser.pool.kinds(records.drawn, records.sums))
        assert records.traits is not None
        state.noise.take(records.traits)
        deepened = design.least_in(np.arange(taken)) > 0
        state.deepened += int((records.drawn - records.durations[:, 0])[deepened].sum())
        state.explored += taken
        state.samples += int(records.drawn.sum())
        if state.explored >= state.refit_at:
            used = {each.columns[0] // _LONGEST for each in self.queue.open}
            state.rounds = [
                each for each in state.rounds if each.number in used or each is state.rounds[-1]
            ]
            self._chooser.begin_round(state)
        return taken

    def _verify(self, guard: Guard, design: Design, records: Records) -> int:
        """Let the guard see the acceptances; of how many tasks, before what is allowed changes."""
        state, ran = self.state, self._round(design.columns)
        extras = design.extras_in(np.arange(len(records))).tolist()
        for place in np.flatnonzero(records.decisions[:, 0] == 1).tolist():
            verifying, estimate = extras[place], None
            if verifying and records.estimates is not None:
                estimate = float(records.estimates[place, 0])
                state.gap += verifying * (ran.promised - estimate)
                state.gap_weight += verifying
            before = state.ledger.closed
            if design.accepts:
                guard.accept(state.ledger, ran.verified, ran.worth(verifying), estimate)
                if guard.used_up(state.ledger) and not before:
                    guard.close(state.ledger)
            elif before and estimate is not None:
                guard.watch(state.ledger, verifying, estimate)
            if state.ledger.closed != before or (design.accepts and not guard.room(state.ledger)):
                return place + 1
        return len(records)

    def restore(self, state: Learned) -> None:
        """Go on from another state, if a learner like this one can get into it."""
        if not (
            len(state.kinds) == len(state.counts)
            and len(state.weights) == len(self._chooser.pool.values)
            and state.rounds
            # A look far beyond the cap would take all memory, were its boundaries made first.
            and all(each.looks.max(initial=0) <= self.cap for each in state.rounds)
            and all(each.policy().cap <= self.cap for each in state.rounds)
            and alike(self.state.ledger, state.ledger)
            and alike(self.state.noise.dependence, state.noise.dependence)
            and alike(self.state.noise.dispersion, state.noise.dispersion)
            and min(state.explored, state.samples, state.deepened, state.gap_weight) >= 0
            and all(each.min(initial=0) >= 0 for each in (state.kinds, state.counts, state.weights))
        ):
            raise ValueError("a state has a count per kind, a weight per value and a round")
        self.state = state

    @property
    def fitted(self) -> FittedPool:
        """The pool of ideas as it was last fitted."""
        state, past = self.state, 0 if self.past is None else len(self.past.drawn)
        factor, tests = state.rounds[-1].factor, state.ledger.tests + past
        return FittedPool(self.law, self._chooser.pool.values, state.weights, factor, tests)

    def plausible(self) -> PoolFit:
        """The pool of ideas fitted to all tests so far, and others that are as plausible."""
        return self._chooser.plausible(self.state)

    def pool_knowledge(self) -> PoolKnowledge:
        """What is known of the pool of ideas and of the rule in force, with intervals."""
        return self._chooser.knowledge(self.state, self.law)

    def knowledge(self) -> Knowledge:
        """What is known so far; `pool_knowledge` takes longer and says more."""
        return Knowledge(
            candidates=(),
            eliminated_at=(),
            bounds=None,
            chosen=None,
            explored=self.state.explored,
            samples=self.state.samples,
        )


def _uniform(seed: int, stream: int, first: int, count: int) -> FloatArray:
    """Numbers in [0, 1) that belong to tasks by their numbers, whatever else happens."""
    with np.errstate(over="ignore"):
        # The mixing of SplitMix64 (Steele, Lea, Flood 2014), a step per task.
        mixed = np.arange(first, first + count, dtype=np.uint64)
        mixed += np.uint64((2 * seed + stream) % 2**24) * np.uint64(2**40)
        mixed *= np.uint64(0x9E3779B97F4A7C15)
        for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
            mixed = (mixed ^ (mixed >> np.uint64(shift))) * np.uint64(factor)
        mixed ^= mixed >> np.uint64(31)
    return (mixed >> np.uint64(11)).astype(np.float64) * 2.0**-53
