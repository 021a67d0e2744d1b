"""Ladder: learn the best policy while running it, at the number of tests that a company has.

Tasks come in rounds, each a tenth as long as all before. At the start of a round the policy with
the best estimated ROI is chosen among those that seem to earn something; if there is none,
everything is rejected. Then the round is divided: about n^(-1/3) of its spending goes to tasks
that are run deeper than the chosen policy wants, and to samples after its acceptances, as far as
that may still change the choice; all other tasks are run by the choice alone. docs/ladder.md has
the whole of it, with proofs.
"""

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from dwell import checks
from dwell.arrays import FloatArray, IntArray
from dwell.errors import InvalidInput
from dwell.learners.evidence import Evidence, Recorded, Rungs
from dwell.learners.learner import Knowledge, Plan, for_good
from dwell.learners.standing import Standing
from dwell.learners.stored import Stored
from dwell.policies import AnyPolicy, Policies
from dwell.records import Records

# Samples after an acceptance, per what the task costs: while nothing seems to earn, while it is in
# doubt that the choice earns, and after that.
_SEEKING, _DOUBTING, _CHECKING = 1.5, 1.0, 0.25


class Batch(NamedTuple):
    """Tasks that are run alike.

    Attributes:
        level: All policies up to this level are recorded; -1 for those that stop with the decider.
        decider: The policy that decides.
        extras: How many samples are drawn after an acceptance.
        tasks: How many tasks are left.
    """

    level: int
    decider: int
    extras: int
    tasks: int


class Ladder(Stored):
    """Run what seems best, look deeper with a shrinking share of the spending, drop what cannot be.

    Args:
        policies: The policies to choose from, in order of their caps. Those that differ only in
            their caps teach about one another.
        delta: With probability at least 1 - delta no policy with the best ROI is ever dropped, and
            all intervals hold, at all times at once.
        setup_cost: What each task costs besides its samples.
        bound: Observations lie in [-bound, bound].

    Example:
        >>> from dwell import Atoms, Signs, World, hoeffding, simulate
        >>> policies = hoeffding(caps=[1, 4, 16, 64], c=0.35, tasks=10_000, delta=0.05)
        >>> learner = Ladder(policies, setup_cost=20)
        >>> world = World(Atoms([-0.05, 0.6], [0.9, 0.1]), Signs())
        >>> run = simulate(learner, world, tasks=3_000, rng=0)
        >>> policies.caps[run.chosen]
        16
    """

    SETTINGS = ("policies", "delta", "setup_cost", "bound")
    STATE = ("sums", "dropped_at", "credits", "chosen", "batches", "tasks", "samples")

    def __init__(
        self,
        policies: AnyPolicy | Iterable[AnyPolicy],
        *,
        delta: float = 0.05,
        setup_cost: float = 0.0,
        bound: float = 1.0,
    ):
        self.policies = Policies.of(policies)
        self.delta = checks.probability("delta", delta)
        self.setup_cost = checks.not_negative("set-up cost", setup_cost)
        self.bound = checks.positive("bound", bound)
        self.rungs = Rungs(self.policies)
        # A level holds the policies up to a cap; level l ends with policy ends[l].
        self.ends = np.flatnonzero(np.diff(self.rungs.caps, append=np.inf))
        self._starts = np.append(0, self.ends[:-1] + 1)
        self.sums = np.zeros((Evidence.ROWS, len(self.policies)))
        self.dropped_at = np.zeros(len(self.policies), dtype=np.int64)
        # How many tasks each level may still explore; the last entry is the choice's own.
        self.credits = np.zeros(len(self.ends) + 1)
        self.chosen: int | None = None
        self.batches: list[list[int]] = []
        self.tasks = 0
        self.samples = 0
        self._begin_round()

    @property
    def choices(self) -> Policies:
        """The policies among which it looks for the best."""
        return self.policies

    @property
    def consistent(self) -> bool:
        """Whether the batches of a state can be run."""
        count = len(self.policies)
        return (self.chosen is None or self.chosen in range(count)) and all(
            [type(entry) for entry in batch] == [int] * 4
            and batch[0] in range(-1, len(self.ends))
            and batch[1] in range(count)
            and batch[2] >= 0
            and batch[3] > 0
            for batch in self.batches
        )

    @property
    def evidence(self) -> Evidence:
        """What the tasks so far have taught."""
        return Evidence(self.rungs, self.sums, setup_cost=self.setup_cost, bound=self.bound)

    def plan(self) -> Plan:
        """How the next tasks are to be run."""
        if not self.batches:
            return for_good(self.policies, self.chosen)
        batch = Batch(*self.batches[0])
        recorded = self._recorded(batch)
        return Plan(
            recorded.policies,
            accepts=self.chosen is not None,
            oversamples=False,
            tasks=batch.tasks,
            extras=batch.extras,
            decider=recorded.column(batch.decider),
        )

    def _recorded(self, batch: Batch) -> Recorded:
        if batch.level < 0:
            return self.rungs.recorded(self.rungs.stopped_by(batch.decider))
        return self.rungs.recorded(np.arange(self.ends[batch.level] + 1))

    def learn(self, records: Records) -> int:
        """Take in records made under the plan, in order, and return how many were taken."""
        if not self.batches:
            return len(records)
        batch = Batch(*self.batches[0])
        if (records.estimates is None) != (batch.extras == 0):
            raise InvalidInput(
                f"the plan asks for {batch.extras} samples after each acceptance; the records "
                f"{'lack' if batch.extras else 'have'} estimates"
            )
        taken = min(len(records), batch.tasks)
        self.evidence.add(records.first(taken), self._recorded(batch))
        self.tasks += taken
        self.samples += int(records.drawn[:taken].sum())
        if taken < batch.tasks:
            self.batches[0] = [*batch[:-1], batch.tasks - taken]
        else:
            del self.batches[0]
            if not self.batches:
                self._begin_round()
        return taken

    def _begin_round(self) -> None:
        """Drop, choose, and divide the tasks of the next round."""
        evidence = self.evidence
        reach = evidence.reach(self.delta)
        candidates = self.dropped_at == 0
        self.dropped_at[candidates & reach.hopeless(candidates)] = self.tasks
        evidence.settle()
        left = np.flatnonzero(self.dropped_at == 0)
        if len(left) == 0 or (len(left) == 1 and reach.bounds.roi_low[left[0]] > 0.0):
            self.chosen = int(left[0]) if len(left) else None
            self.batches = []
            return
        standing = Standing.of(evidence, self.dropped_at == 0)
        self.chosen = standing.chosen
        self.batches = [list(batch) for batch in self._divided(max(1, self.tasks // 10), standing)]

    def _divided(self, tasks: int, standing: Standing) -> list[Batch]:
        """The batches of a round, the deepest level first."""
        seeking = self.chosen is None
        levels = self._extras(self._up_to(standing.cost), _SEEKING if seeking else _CHECKING)
        alone = self._extras(standing.cost, _DOUBTING if standing.doubtful else _CHECKING)
        if self.chosen is None:
            self.credits[:-1] += self._sought(tasks, standing, levels)
            self.credits[-1] = 0.0
        else:
            self.credits += self._checked(tasks, standing, self.chosen, levels, alone)
        batches = []
        left = tasks
        for level in reversed(range(len(self.ends))):
            if count := self._use_credit(level, left):
                decider = standing.decider(int(self.ends[level]))
                batches.append(Batch(level, decider, int(levels[level]), count))
                left -= count
        decider = self.chosen or 0
        count = self._use_credit(-1, left)
        batches.append(Batch(-1, decider, int(alone[decider]), count))
        batches.append(Batch(-1, decider, 0, left - count))
        return [batch for batch in batches if batch.tasks]

    def _extras(self, cost: FloatArray, share: float) -> IntArray:
        return np.clip(share * cost, 1, self.policies.caps[-1]).astype(np.int64)

    def _use_credit(self, entry: int, left: int) -> int:
        count = min(int(self.credits[entry]), left)
        self.credits[entry] = min(self.credits[entry] - count, 1.0)
        return count

    def _sought(self, tasks: int, standing: Standing, extras: IntArray) -> FloatArray:
        """How many tasks each level gets while nothing seems to earn: nearly all, at first."""
        share = min(1.0, 10.0 / float(np.cbrt(max(self.tasks, 1))))
        cost = self._up_to(standing.cost)
        weights = self._growth(cost, standing.plausible)
        weights /= cost + self._up_to(standing.accept_rate) * extras
        return share * tasks * weights / float(weights.sum())

    def _checked(
        self, tasks: int, standing: Standing, chosen: int, extras: IntArray, alone: IntArray
    ) -> FloatArray:
        """How many tasks each level gets beside a choice; the last entry is the choice's own.

        Half of what may be spent goes deeper, half to samples after the choice's acceptances; both
        the less, the less plausible it is that this would change the choice.
        """
        spending = 0.5 / np.cbrt(self.tasks) * tasks * standing.cost[chosen]
        plausible = standing.plausible
        plausible[chosen] = 0.0
        own = spending * plausible.max()
        own /= standing.accept_rate[chosen] * alone[chosen]
        plausible[self.rungs.stopped_by(chosen)] = 0.0  # what the choice teaches anyway
        cost = self._up_to(standing.cost)
        growth = self._growth(cost, plausible)
        weights = growth * np.maximum.reduceat(plausible, self._starts) / max(growth.sum(), 1e-3)
        more = np.maximum(cost - standing.cost[chosen], 0.0)
        more += np.maximum(self._up_to(standing.accept_rate), 1e-3) * extras
        return np.append(spending * weights / more, tasks if standing.doubtful else own)

    def _up_to(self, entries: FloatArray) -> FloatArray:
        """The greatest entry of the policies up to each level: what running all of them takes."""
        return np.maximum.accumulate(entries)[self.ends]

    def _growth(self, cost: FloatArray, plausible: FloatArray) -> FloatArray:
        """How much each level gets: every doubling of the cost the same, the hopeless nothing.

        Any task that goes deeper teaches the shorter levels as well.
        """
        growth = np.maximum(1.0 - np.append(cost[0], cost[:-1]) / cost, 1e-3)
        return np.where(np.maximum.reduceat(plausible, self._starts) > 0.0, growth, 0.0)

    @property
    def _note(self) -> str:
        if self.chosen is not None:
            return ""
        if not self.batches:
            return "no policy earns anything; everything is rejected"
        return "no policy has shown that it earns; until one does, everything is rejected"

    def knowledge(self) -> Knowledge:
        """What is known so far."""
        evidence = self.evidence
        return Knowledge(
            candidates=tuple(np.flatnonzero(self.dropped_at == 0).tolist()),
            dropped_at=tuple(self.dropped_at.tolist()),
            bounds=evidence.reach(self.delta).bounds,
            chosen=self.chosen,
            explored=self.tasks,
            samples=self.samples,
            roi=evidence.reward / evidence.cost,
            note=self._note,
        )
