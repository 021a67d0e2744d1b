"""Ladder: learn the best policy while running it, at the number of tests that a company has.

Tasks come in rounds, each a tenth as long as all before. At the start of a round the policy with
the best estimated ROI is chosen among those that seem to earn something; if there is none,
everything is rejected. Then the round is divided: about n^(-1/3) of its spending goes to tasks
that are run deeper than the chosen policy wants, and to samples after its acceptances, as far as
that may still change the choice; all other tasks are run by the choice alone. docs/ladder.md has
the whole of it, with proofs.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from dwell import checks
from dwell.arrays import FloatArray, IntArray
from dwell.learners.design import Design
from dwell.learners.evidence import Evidence, Rungs
from dwell.learners.learner import Knowledge, Learner
from dwell.learners.standing import Standing
from dwell.policies import AnyPolicy, Policies
from dwell.records import Records

# Samples after an acceptance, per what the task costs: while nothing seems to earn, while it is in
# doubt that the choice earns, and after that.
_SEEKING, _DOUBTING, _CHECKING = 1.5, 1.0, 0.25
_ALWAYS = 0.25  # of n^(-1/3): the least share of the choice's tasks that are checked


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


@dataclass(slots=True)
class Progress:
    """How far it has learned.

    Attributes:
        sums: Sums over tasks, as `Evidence` keeps them.
        eliminated_at: Per policy, the task after which it was eliminated; 0 for a candidate.
        credits: How many tasks each level may still explore; the last entry is the choice's own.
        chosen: The policy that is run except to explore; None while everything is rejected.
        batches: The tasks of the rounds that have begun, open ones included.
        settled: Whether one policy is left that earns, or none: then it is run for good.
        explored: From how many tasks was learned.
        samples: How many samples these took.
    """

    sums: FloatArray
    eliminated_at: IntArray
    credits: FloatArray
    chosen: int | None = None
    batches: list[Batch] = field(default_factory=list)
    settled: bool = False
    explored: int = 0
    samples: int = 0


class Ladder(Learner):
    """Run what seems best, look deeper with a shrinking share of the spending.

    Args:
        policies: The policies to choose from, in order of their caps. Those that differ only in
            their caps teach about one another.
        delta: With probability at least 1 - delta no policy with the best ROI is ever
            eliminated, and all intervals hold, at all times at once.
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

    BOUND = "what they hardly ever exceed"
    BOUND_DEVIATIONS = 3.0

    state: Progress

    def __init__(
        self,
        policies: AnyPolicy | Iterable[AnyPolicy],
        *,
        delta: float = 0.05,
        setup_cost: float = 0.0,
        bound: float = 1.0,
    ):
        super().__init__()
        self.policies = Policies.of(policies)
        self.delta = checks.probability("delta", delta)
        self.setup_cost = checks.not_negative("set-up cost", setup_cost)
        self.bound = checks.positive("bound", bound)
        self.rungs = Rungs(self.policies)
        # A level holds the policies up to a cap; level l ends with policy ends[l].
        self.ends = np.flatnonzero(np.diff(self.rungs.caps, append=np.inf))
        self._starts = np.append(0, self.ends[:-1] + 1)
        count = len(self.policies)
        self.state = Progress(
            np.zeros((Evidence.ROWS, count)),
            np.zeros(count, dtype=np.int64),
            np.zeros(len(self.ends) + 1),
        )
        self._asked: tuple[Batch, bool] | None = None
        self._designed: Design
        self._begin_round()

    @property
    def choices(self) -> Policies:
        """The policies among which it looks for the best."""
        return self.policies

    def restore(self, state: Progress) -> None:
        """Go on from another state, if its batches can be run."""
        super().restore(state)
        count = len(self.policies)
        if not (
            (state.chosen is None or state.chosen in range(count))
            and (state.settled or state.batches)
            and all(
                batch.level in range(-1, len(self.ends))
                and batch.decider in range(count)
                and batch.extras >= 0
                and batch.tasks > 0
                for batch in state.batches
            )
        ):
            raise ValueError("batches of a state can be run")

    @property
    def evidence(self) -> Evidence:
        """What the tasks so far have taught."""
        return Evidence(self.rungs, self.state.sums, setup_cost=self.setup_cost, bound=self.bound)

    def propose(self, tasks: int) -> Design:
        """How the next tasks are to be run."""
        batch = self._next_batch()
        if batch is None:
            return self.for_good(self.state.chosen, tasks)
        asked = batch._replace(tasks=min(tasks, batch.tasks)), self.state.chosen is not None
        if self._asked != asked:  # the tasks of a batch are designed alike
            self._asked, self._designed = asked, self._design(*asked)
        return self._designed

    def _design(self, batch: Batch, accepts: bool) -> Design:
        if batch.level < 0:
            columns = tuple(self.rungs.stopped_by(batch.decider).tolist())
        else:
            columns = tuple(range(self.ends[batch.level] + 1))
        return Design(
            policies=self.subset(columns),
            columns=columns,
            decider=columns.index(batch.decider),
            accepts=accepts,
            extras=batch.extras,
            tasks=batch.tasks,
        )

    def peek(self) -> Design | None:
        """The design that `begin` would give; to make one changes nothing while a round lasts."""
        left = sum(batch.tasks for batch in self.state.batches)
        if self.state.settled or self.queue.reserved < left:
            return self.queue.numbered(self.propose(self._at_once(1)))
        return super().peek()

    def _next_batch(self) -> Batch | None:
        """The tasks that come after those that are open; None if a policy is run for good."""
        while True:
            ahead = self.queue.reserved
            for batch in self.state.batches:
                if ahead < batch.tasks:
                    return batch._replace(tasks=batch.tasks - ahead) if ahead else batch
                ahead -= batch.tasks
            if self.state.settled:
                return None
            # All tasks of the round are open: the next round begins with what is known by now.
            self._begin_round()

    def take(self, design: Design, records: Records) -> int:
        """Take in records in order, and return how many."""
        state = self.state
        self.evidence.add(records, design.columns)
        state.explored += len(records)
        state.samples += int(records.drawn.sum())
        self._use_up(len(records))
        return len(records)

    def skip(self, design: Design) -> None:
        """Go on without the records of a design: its tasks are not asked for again."""
        self._use_up(design.tasks)

    def _use_up(self, tasks: int) -> None:
        """So many tasks less are left of the batches; after the last, the next round begins."""
        batches = self.state.batches
        while tasks and batches:
            first = batches[0].tasks
            if tasks < first:
                batches[0] = batches[0]._replace(tasks=first - tasks)
            else:
                del batches[0]
            tasks -= min(tasks, first)
        if not (batches or self.state.settled):
            self._begin_round()

    def _begin_round(self) -> None:
        """Eliminate, choose, and divide the tasks of the next round."""
        state, evidence = self.state, self.evidence
        reach = evidence.reach(self.delta)
        candidates = state.eliminated_at == 0
        state.eliminated_at[candidates & reach.hopeless(candidates)] = state.explored
        evidence.settle()
        left = np.flatnonzero(state.eliminated_at == 0)
        if len(left) == 0 or (len(left) == 1 and reach.bounds.roi_low[left[0]] > 0.0):
            state.chosen = int(left[0]) if len(left) else None
            state.settled = True
            return
        standing = Standing.of(evidence, state.eliminated_at == 0)
        state.chosen = standing.chosen
        state.batches += self._divided(max(1, self._begun // 10), standing)

    @property
    def _begun(self) -> int:
        """From how many tasks was learned or will be, those that are open included."""
        return self.state.explored + self.queue.reserved

    def _divided(self, tasks: int, standing: Standing) -> list[Batch]:
        """The batches of a round, the deepest level first."""
        chosen, credits = self.state.chosen, self.state.credits
        levels = self._extras(self._up_to(standing.cost), _SEEKING if chosen is None else _CHECKING)
        alone = self._extras(standing.cost, _DOUBTING if standing.doubtful else _CHECKING)
        if chosen is None:
            credits[:-1] += self._sought(tasks, standing, levels)
            credits[-1] = 0.0
        else:
            credits += self._checked(tasks, standing, chosen, levels, alone)
        batches = []
        left = tasks
        for level in reversed(np.flatnonzero(credits[:-1] >= 1.0).tolist()):
            count = self._use_credit(level, left)
            decider = standing.decider(int(self.ends[level]))
            batches.append(Batch(level, decider, int(levels[level]), count))
            left -= count
        decider = chosen or 0
        count = self._use_credit(-1, left)
        batches.append(Batch(-1, decider, int(alone[decider]), count))
        batches.append(Batch(-1, decider, 0, left - count))
        return [batch for batch in batches if batch.tasks]

    def _extras(self, cost: FloatArray, share: float) -> IntArray:
        at_most = self.policies.caps[-1]
        return np.minimum(np.maximum(share * cost, 1.0), at_most).astype(np.int64)

    def _use_credit(self, entry: int, left: int) -> int:
        credits = self.state.credits
        count = min(int(credits[entry]), left)
        credits[entry] = min(credits[entry] - count, 1.0)
        return count

    def _sought(self, tasks: int, standing: Standing, extras: IntArray) -> FloatArray:
        """How many tasks each level gets while nothing seems to earn: nearly all, at first."""
        share = min(1.0, 10.0 / float(np.cbrt(max(self._begun, 1))))
        cost = self._up_to(standing.cost)
        weights = self._growth(cost, self._greatest(standing.plausible))
        weights /= cost + self._up_to(standing.accept_rate) * extras
        return share * tasks * weights / float(weights.sum())

    def _checked(
        self, tasks: int, standing: Standing, chosen: int, extras: IntArray, alone: IntArray
    ) -> FloatArray:
        """How many tasks each level gets beside a choice; the last entry is the choice's own.

        Half of what may be spent goes deeper, half to samples after the choice's acceptances; both
        the less, the less plausible it is that this would change the choice.
        """
        root = float(np.cbrt(self._begun))
        spending = 0.5 / root * tasks * standing.cost[chosen]
        plausible = standing.plausible
        plausible[chosen] = 0.0
        own = spending * max(plausible.max(), standing.losing)
        own /= standing.accept_rate[chosen] * alone[chosen]
        # However certain it seems, the choice is checked for ever: these shares have no finite sum.
        own = max(own, _ALWAYS * tasks / root)
        plausible[self.rungs.stopped_by(chosen)] = 0.0  # what the choice teaches anyway
        cost, greatest = self._up_to(standing.cost), self._greatest(plausible)
        growth = self._growth(cost, greatest)
        weights = growth * greatest / max(growth.sum(), 1e-3)
        more = np.maximum(cost - standing.cost[chosen], 0.0)
        more += np.maximum(self._up_to(standing.accept_rate), 1e-3) * extras
        return np.append(spending * weights / more, tasks if standing.doubtful else own)

    def _up_to(self, entries: FloatArray) -> FloatArray:
        """The greatest entry of the policies up to each level: what running all of them takes."""
        return np.maximum.accumulate(entries)[self.ends]

    def _greatest(self, entries: FloatArray) -> FloatArray:
        """The greatest entry of the policies that each level adds."""
        greatest: FloatArray = np.maximum.reduceat(entries, self._starts)
        return greatest

    @staticmethod
    def _growth(cost: FloatArray, plausible: FloatArray) -> FloatArray:
        """How much each level gets: every doubling of the cost the same, the hopeless nothing.

        Any task that goes deeper teaches the shorter levels as well.
        """
        growth = np.full(len(cost), 1e-3)
        growth[1:] = np.maximum(1.0 - cost[:-1] / cost[1:], 1e-3)
        growth[plausible == 0.0] = 0.0
        return growth

    @property
    def _note(self) -> str:
        if self.state.chosen is not None:
            return ""
        if self.state.settled:
            return "no policy earns anything; everything is rejected"
        return "no policy has shown that it earns; until one does, everything is rejected"

    def knowledge(self) -> Knowledge:
        """What is known so far."""
        evidence = self.evidence
        return Knowledge(
            candidates=tuple(np.flatnonzero(self.state.eliminated_at == 0).tolist()),
            eliminated_at=tuple(self.state.eliminated_at.tolist()),
            bounds=evidence.reach(self.delta).bounds,
            chosen=self.state.chosen,
            explored=self.state.explored,
            samples=self.state.samples,
            roi=evidence.reward / evidence.cost,
            note=self._note,
        )
