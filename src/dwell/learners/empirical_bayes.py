"""EmpiricalBayes: learn the pool of ideas from all tests, and run the best boundaries for it.

What a test says of its idea's value does not depend on why it stopped. So the law of values, the
pool, is fitted to all tests so far (`fitting.pool`), and the boundaries with the highest ROI for it
are computed (`pools`): the choice is among all policies there are, made with caution (`rounds`). It
supposes that the law of the noise is right. So dependence among samples is measured and heeded,
and some acceptances are verified (`guard`). docs/empirical_bayes.md has the whole of it.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Any, Self

import numpy as np

from dwell import checks
from dwell.errors import InvalidInput
from dwell.families import Every
from dwell.fitting.pool import PoolFit
from dwell.laws import Law
from dwell.learners.chances import uniform
from dwell.learners.design import Design
from dwell.learners.earlier_states import as_written_now
from dwell.learners.guard import guard_under
from dwell.learners.learned import Learned, Round
from dwell.learners.learner import Knowledge, Learner
from dwell.learners.lessons import Lesson, lessons
from dwell.learners.past_sums import PastSums
from dwell.learners.pool_knowledge import PoolKnowledge
from dwell.learners.reader import Reader
from dwell.learners.rounds import Chooser
from dwell.policies import Policies
from dwell.pools.fitted import FittedPool
from dwell.pools.leveled import LeveledPool
from dwell.pools.under_law import checked_levels, chunk_under, noise_under, pool_under
from dwell.records import Records

_MOST_AT_ONCE = 1024  # tasks in a row
_CHEAP = 0.04  # set-up, per cap: chosen as in `learners.rounds`
# More than any test has samples, and than there are rounds: a column tells level, round and end.
_LONGEST, _ROUNDS = 2**32, 2**24


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
        noise_levels: If tests differ in noise, standard deviations of a sample that are about
            equally frequent. Samples are then told in units of their test's noise (law Gaussian(1),
            `Periods.in_units_of`), `begin(noise=…)` says which level a test is of, and how effects
            grow with the noise is learned. ROI is in the units of the levels; the guard counts in
            units of each test's noise.
        drift: Whether the pool of ideas may change: then tests count by how likely they are of the
            pool as it is now.
        seed: What plausible pools are drawn with.

    Attributes:
        audit: If set, it is called with what each test taught, in the order of beginning: a list
            for audit is kept apart, as the state does not grow with the tests.

    Example:
        >>> from dwell import Atoms, Signs, World, simulate
        >>> learner = EmpiricalBayes(Signs(), cap=256, setup_cost=20)
        >>> world = World(Atoms([-0.05, 0.6], [0.9, 0.1]), Signs())
        >>> run = simulate(learner, world, tasks=300, rng=0)
        >>> bool(run.roi > 0.001)
        True
    """

    audit: Callable[[Lesson], None] | None = None

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
        noise_levels: Sequence[float] | None = None,
        drift: bool = True,
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
        self.noise_levels = checked_levels(law, noise_levels)
        if self.noise_levels is not None and (past is not None or self.explainable):
            raise InvalidInput("noise levels go neither with past tests nor with explainable")
        if not isinstance(drift, bool):
            raise InvalidInput(f"drift must be True or False, got {checks.shown(drift)}")
        self.drift = drift
        self.seed = checks.count("seed", seed, least=0)
        noise = noise_under(law)
        pool = pool_under(law, self.cap, self.looks, self.min_samples, self.noise_levels)
        self._reader = Reader(pool, chunk_under(law), self.drift)
        self._chooser = Chooser(
            pool=pool,
            setup_cost=self.setup_cost,
            noise=noise,
            largest=max(self.noise_levels or (1.0,)),
            cap=self.cap,
            caution=self.caution,
            explainable=self.explainable,
            guard=guard_under(law, self.cap, noise, self.budget, cheap=self._cheap)
            if self.guarded
            else None,
            drift=self.drift,
            cheap=self._cheap,
            seed=self.seed,
        )

    @cached_property
    def state(self) -> Learned:
        """All that changes as it learns; the first round is fitted when that is first asked for."""
        learned = self.blank()
        if self.past is not None:
            self._reader.begin_from(learned, self.past)
        self._chooser.begin_round(learned)
        return learned

    def blank(self) -> Learned:
        """A state before its first round: what is restored needs none."""
        return self._reader.nothing()

    @property
    def guarded(self) -> bool:
        """Whether acceptances are verified."""
        if self.guard is not None:
            return self.guard
        return self.budget is not None or not self._cheap

    @property
    def _cheap(self) -> bool:
        return self.setup_cost < _CHEAP * self.cap

    @property
    def choices(self) -> Every:
        """All policies there are."""
        return Every(self.cap)

    def subset(self, columns: tuple[int, ...]) -> Policies:
        """The boundaries of a round, perhaps cut off where a test ends, as a set of their own."""
        if columns not in self._subsets:
            boundaries = self._round(columns).boundaries[_level(columns)]
            policy = boundaries.policy(ends=columns[0] % _LONGEST)
            self._subsets = {columns: Policies([policy])}
        return self._subsets[columns]

    def _round(self, columns: tuple[int, ...]) -> Round:
        [found] = (each for each in self.state.rounds if each.number == _number(columns))
        return found

    def begin(
        self, tasks: int = 1, *, ends: int | None = None, noise: float | None = None
    ) -> Design:
        """Begin a task.

        Args:
            tasks: How many tasks in a row the design may stand for at most, each begun when the one
                before was learned from; for one as long as other designs are open.
            ends: After how many samples the test ends in any case, if that is before the cap. What
                is undecided then is accepted if it seems to help.
            noise: About the standard deviation of its samples, if there are noise levels; by
                default the geometric mean of these.
        """
        at_end = 0 if ends is None else checks.count("ends", ends)
        return self.queue.add(self._design(self._at_once(tasks), at_end, noise))

    def propose(self, tasks: int) -> Design:
        """How the next tasks are to be run."""
        return self._design(tasks, ends=0)

    def peek(self) -> Design:
        """The design that `begin` would give: to make one changes nothing."""
        return self.queue.copied().add(self.propose(self._at_once(1)))

    def _level(self, noise: float | None) -> int:
        pool = self._chooser.pool
        if isinstance(pool, LeveledPool):
            return pool.nearest(pool.usual if noise is None else checks.scale("noise", noise))
        if noise is not None:
            raise InvalidInput(f"noise means nothing without noise levels, got {noise:g}")
        return 0

    def _design(self, tasks: int, ends: int, noise: float | None = None) -> Design:
        state, now, guard = self.state, self.state.rounds[-1], self._chooser.guard
        left = state.refit_at - state.explored - self.queue.reserved
        tasks = max(1, min(tasks, left, _MOST_AT_ONCE))
        first = self.queue.begun + 1
        deepened = uniform(self.seed, 0, first, tasks) < now.deepened
        verified = np.zeros(tasks, dtype=np.bool_)
        accepts = now.accepts
        if guard is not None:
            verified |= uniform(self.seed, 1, first, tasks) < now.verified
            verified |= state.ledger.closed
            # Tests that are open may be accepted too: the budget must cover them all.
            accepts &= guard.covers(state.ledger, self.queue.accepting)
        extras, least = now.verifying * int(verified.any()), now.depth * int(deepened.any())
        column = (self._level(noise) * _ROUNDS + now.number) * _LONGEST
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
        state, ran, level = self.state, self._round(design.columns), _level(design.columns)
        unit = 1.0 if self.noise_levels is None else self.noise_levels[level]
        assert records.sums is not None  # every design asks for them
        taken, moved = self._learn(design, records, ran, unit)
        records = records.first(taken)
        assert records.traits is not None
        state.noise.take(records.traits)
        deepened = design.least_in(np.arange(taken)) > 0
        state.deepened += int((records.drawn - records.durations[:, 0])[deepened].sum())
        state.explored += taken
        state.samples += int(records.drawn.sum())
        refit = None
        if moved or state.explored >= state.refit_at:
            used = {_number(each.columns) for each in self.queue.open}
            used.add(state.rounds[-1].number)
            state.rounds = [each for each in state.rounds if each.number in used]
            self._chooser.begin_round(state, anew=moved)
            refit = state.rounds[-1].number
        if self.audit is not None:
            for lesson in lessons(design, records, ran, self.law, unit=unit, refit=refit):
                self.audit(lesson)
        return taken

    def _learn(self, design: Design, records: Records, ran: Round, unit: float) -> tuple[int, bool]:
        """Learn from tests until what is known or allowed changes; how many, and whether known."""
        state, chooser = self.state, self._chooser
        assert records.sums is not None  # every design asks for them
        level = chooser.pool.at_levels[_level(design.columns)]
        kinds = level.kinds(records.drawn, records.sums)
        taken = 0
        while taken < len(records):
            last = len(records)
            if self.drift:
                last = min(last, taken + state.readings.left)
            done = chooser.verify(state, design, records, ran, unit, first=taken, last=last)
            self._reader.learn(state, kinds[taken:done], records.drawn[taken:done])
            taken = done
            if self._reader.moved(state):
                return taken, True
            if done < last:
                break
        return taken, False

    def restore(self, state: Learned) -> None:
        """Go on from another state, if a learner like this one can get into it."""
        pool = self._chooser.pool
        sizes = {"cap": self.cap, "values": len(pool.values), "levels": len(pool.at_levels)}
        if not state.fits(self.blank(), **sizes):
            raise ValueError("a state has a count per kind, a weight per value and a round")
        self.state = state

    @classmethod
    def from_dict(cls, fields: Mapping[str, Any]) -> Self:
        """The learner that `to_dict` described, by an earlier version too."""
        return super().from_dict(as_written_now(fields))

    @property
    def fitted(self) -> FittedPool:
        """The pool of ideas as it was last fitted."""
        state, past = self.state, 0 if self.past is None else len(self.past.drawn)
        tests = state.ledger.tests + past
        return FittedPool(self.law, self._chooser.pool.values, state.weights, state.factor, tests)

    def plausible(self) -> PoolFit:
        """The pool of ideas fitted to all tests so far, and others that are as plausible."""
        return self._chooser.plausible(self.state)

    def plausible_ever(self) -> PoolFit:
        """The same over all the time that there were tests: what was done with them is worth that.

        It differs where the pool of ideas may change.
        """
        return self._chooser.plausible_ever(self.state) if self.drift else self.plausible()

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


def _number(columns: tuple[int, ...]) -> int:
    """The round whose boundaries a column stands for."""
    return columns[0] // _LONGEST % _ROUNDS


def _level(columns: tuple[int, ...]) -> int:
    """The level of noise that they are for."""
    return columns[0] // (_LONGEST * _ROUNDS)
