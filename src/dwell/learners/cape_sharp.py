"""CAPE with sharper estimates: the paper's schedule, Ladder's evidence.

It explores the first N_ex tasks with the longest candidate and then runs one policy for good, as
CAPE does. But a task ends where that candidate stops, and a few samples after an acceptance, in
place of 2 D samples; bounds are empirical Bernstein ones, rung by rung, in place of Hoeffding's;
and policies may be eliminated from the first task on. What it gains over CAPE is due to these
alone; what Ladder gains over it is due to the schedule.
"""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from dwell import checks
from dwell.arrays import FloatArray, IntArray
from dwell.learners.bounds import chosen_by
from dwell.learners.cape import exploration_cap_for
from dwell.learners.design import Design
from dwell.learners.evidence import Evidence, Rungs
from dwell.learners.learner import Knowledge, Learner
from dwell.policies import AnyPolicy, Policies
from dwell.records import Records


@dataclass(slots=True)
class Progress:
    """How far the exploration is.

    Attributes:
        sums: Sums over tasks, as `Evidence` keeps them.
        eliminated_at: Per policy, the task after which it was eliminated; 0 for a candidate.
        explored: How many tasks were explored.
        samples: How many samples that took.
        extras: How many samples to draw after an acceptance.
        next_test: After which task to see next which policies can be eliminated.
    """

    sums: FloatArray
    eliminated_at: IntArray
    explored: int = 0
    samples: int = 0
    extras: int = 1
    next_test: int = 1


class CapeSharp(Learner):
    """Explore with the longest candidate, eliminate what cannot be best, then run what is left.

    Args:
        policies: The policies to choose from, in order of their caps.
        tasks: How many tasks there will be (N).
        delta: With probability at least 1 - delta no policy with the best ROI is eliminated, and
            all intervals hold, at all times at once.
        exploration_cap: How many tasks to explore at most (N_ex); ceil(N^(2/3)) by default.
        setup_cost: What each task costs besides its samples.
        bound: Observations lie in [-bound, bound].

    Example:
        >>> from dwell import Atoms, Signs, World, hoeffding, simulate
        >>> policies = hoeffding(caps=[1, 4, 16, 64], c=0.35, tasks=10_000, delta=0.05)
        >>> learner = CapeSharp(policies, tasks=10**6, setup_cost=20)
        >>> run = simulate(learner, World(Atoms([-1, 0, 1]), Signs()), tasks=10**6, rng=0)
        >>> policies.caps[run.chosen], run.explored
        (4, 605)
    """

    BOUND = "what they hardly ever exceed"
    BOUND_DEVIATIONS = 3.0

    state: Progress

    def __init__(
        self,
        policies: AnyPolicy | Iterable[AnyPolicy],
        *,
        tasks: int,
        delta: float = 0.05,
        exploration_cap: int | None = None,
        setup_cost: float = 0.0,
        bound: float = 1.0,
    ):
        super().__init__()
        self.policies = Policies.of(policies)
        self.tasks = checks.count("tasks", tasks)
        self.delta = checks.probability("delta", delta)
        self.exploration_cap = exploration_cap_for(self.tasks, exploration_cap)
        self.setup_cost = checks.not_negative("set-up cost", setup_cost)
        self.bound = checks.positive("bound", bound)
        self.rungs = Rungs(self.policies)
        count = len(self.policies)
        self.state = Progress(np.zeros((Evidence.ROWS, count)), np.zeros(count, dtype=np.int64))

    @property
    def choices(self) -> Policies:
        """The policies among which it looks for the best."""
        return self.policies

    @property
    def evidence(self) -> Evidence:
        """What the tasks so far have taught."""
        return Evidence(self.rungs, self.state.sums, setup_cost=self.setup_cost, bound=self.bound)

    @property
    def candidates(self) -> IntArray:
        """The indices of the policies that have not been eliminated (C_n)."""
        return np.flatnonzero(self.state.eliminated_at == 0)

    @property
    def exploring(self) -> bool:
        """Whether tasks are still explored."""
        explored, left = self.state.explored, len(self.candidates)
        return explored < self.exploration_cap and (explored == 0 or left > 1)

    @property
    def chosen(self) -> int | None:
        """The policy that is run for good (k'); None while exploring, or if none may earn."""
        return None if self.exploring else self._best

    @property
    def _best(self) -> int | None:
        """The candidate whose best case is best."""
        if not len(self.candidates):
            return None
        return chosen_by(self.evidence.reach(self.delta).bounds, self.candidates)

    def propose(self, tasks: int) -> Design:
        """How the next tasks are to be run."""
        if not self.exploring:
            return self.for_good(self.chosen, tasks)
        begun = self.state.explored + self.queue.reserved
        if begun >= self.exploration_cap:
            return self.meanwhile(self._best or 0)
        # Up to the next test; tasks that begin while others are open may come after it.
        untested = max(1, self.state.next_test - begun)
        longest = int(self.candidates[-1])
        return self.up_to(longest, extras=self.state.extras, tasks=min(tasks, untested))

    def take(self, design: Design, records: Records) -> int:
        """Take in records in order, and return how many."""
        if not self.exploring:
            return len(records)
        state = self.state
        taken = min(len(records), state.next_test - state.explored)
        self.evidence.add(records.first(taken), design.columns)
        state.explored += taken
        state.samples += int(records.drawn[:taken].sum())
        if state.explored == state.next_test:
            self._test()
        return taken

    def _test(self) -> None:
        """Eliminate what cannot be best, and say when to look again."""
        state, evidence = self.state, self.evidence
        candidates = state.eliminated_at == 0
        hopeless = evidence.reach(self.delta).hopeless(candidates)
        state.eliminated_at[candidates & hopeless] = state.explored
        evidence.settle()
        if len(self.candidates):
            longest = self.candidates[-1]
            state.extras = int(min(evidence.cost[longest], self.rungs.caps[longest]))
        later = state.explored + max(1, state.explored // 10)
        state.next_test = min(later, self.exploration_cap)

    def knowledge(self) -> Knowledge:
        """What is known so far."""
        evidence = self.evidence
        return Knowledge(
            candidates=tuple(self.candidates.tolist()),
            eliminated_at=tuple(self.state.eliminated_at.tolist()),
            bounds=evidence.reach(self.delta).bounds,
            chosen=self.chosen,
            explored=self.state.explored,
            samples=self.state.samples,
            roi=evidence.reward / evidence.cost,
        )
