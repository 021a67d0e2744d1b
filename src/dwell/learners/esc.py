"""ESC, extension to countable (the paper's Algorithm 2).

ESC finds an index K beyond which no policy of a countable family can be the best: any policy that
earns something bounds what the best one may cost.

| paper | here |
|---|---|
| j, l | level; the policy in question is the 2^level-th |
| eps_j | accuracy, the same at every level |
| m_j | tasks_at(level) |
| k_0, r-_{k_0} | earning, earning_low |
| K | found |
"""

from dataclasses import dataclass
from functools import lru_cache
from math import ceil, log

import numpy as np

from dwell import checks
from dwell.errors import InvalidInput
from dwell.families import Countable
from dwell.learners.design import Design
from dwell.learners.learner import Knowledge, Learner
from dwell.policies import Policies
from dwell.records import Records


@lru_cache(maxsize=2)
def _alone(family: Countable, k: int) -> Policies:
    """Policy k as a set of its own; kept, because a long one takes long to make."""
    return Policies([family.policy(k)])


@dataclass(slots=True)
class Search:
    """How far the search is.

    Attributes:
        level: The policy in question is the 2^level-th.
        earning: A policy that earns something (k_0); None before there is one.
        earning_low: What it earns at least.
        found: Beyond which policy no other can be the best; None until that is found.
        explored: How many tasks were used.
        samples: How many samples these took.
        explored_here: How many of the tasks were used at this level.
        sum_here: The sum over these of what is estimated.
    """

    level: int = 1
    earning: int | None = None
    earning_low: float | None = None
    found: int | None = None
    explored: int = 0
    samples: int = 0
    explored_here: int = 0
    sum_here: float = 0.0


class Esc(Learner):
    """Find how many policies of a countable family are worth considering; accept nothing.

    Args:
        family: The policies.
        tasks: How many tasks there will be (N).
        delta: With probability at least 1 - delta no best policy lies beyond what is found.
        accuracy: How exactly rewards and costs are estimated, in (0, 1]; N^(-1/3) by default.
        setup_cost: What each task costs besides its samples.
        bound: Observations lie in [-bound, bound].

    Example:
        >>> from dwell import Atoms, Signs, World, simulate
        >>> family = Countable(c=0.35, tasks=10**6, delta=0.05)
        >>> learner = Esc(family, tasks=10**6)
        >>> run = simulate(learner, World(Atoms([-1, 0, 1]), Signs()), tasks=10**6, rng=0)
        >>> run.learner.state.found, run.roi
        (128, 0.0)
    """

    state: Search

    def __init__(
        self,
        family: Countable,
        *,
        tasks: int,
        delta: float = 0.05,
        accuracy: float | None = None,
        setup_cost: float = 0.0,
        bound: float = 1.0,
    ):
        super().__init__()
        if not isinstance(family, Countable):
            raise InvalidInput(f"ESC needs a Countable family of policies, got {family!r}")
        self.family = family
        self.tasks = checks.count("tasks", tasks)
        self.delta = checks.probability("delta", delta)
        self.accuracy = self.tasks ** (-1.0 / 3.0) if accuracy is None else accuracy
        if not 1e-9 <= checks.real("accuracy", self.accuracy) <= 1.0:
            raise InvalidInput(f"accuracy must be from 1e-9 to 1, got {accuracy}")
        self.setup_cost = checks.not_negative("set-up cost", setup_cost)
        self.bound = checks.positive("bound", bound)
        self.state = Search()

    @property
    def choices(self) -> Countable:
        """The family in which it searches."""
        return self.family

    @property
    def failed(self) -> str:
        """Why the search ended with nothing found; empty while it goes on or if it succeeded."""
        level = self.state.level
        if self.state.found is not None:
            return ""
        if self.state.explored >= self.tasks:
            return "ESC ran out of tasks and accepted nothing"
        if not self.family.reaches(2**level):
            return f"ESC found no bound up to policy {2 ** (level - 1):,} and accepted nothing"
        return ""

    def tasks_at(self, level: int) -> int:
        """How many tasks a level takes (m_j)."""
        return ceil((log(level * (level + 1)) - log(self.delta)) / (2.0 * self.accuracy**2))

    def subset(self, columns: tuple[int, ...]) -> Policies:
        """One policy of the family, as a set of its own."""
        return _alone(self.family, columns[0] + 1)

    def propose(self, tasks: int) -> Design | None:
        """How the next tasks are to be run; None once K is found or the search has failed."""
        if self.state.found is not None or self.failed:
            return None
        left = self._left - self.queue.reserved
        if left <= 0:
            return self.meanwhile(0, accepts=False)
        index = 2**self.state.level - 1
        return Design(
            policies=self.subset((index,)),
            columns=(index,),
            accepts=False,
            oversamples=self.state.earning is None,
            tasks=min(tasks, left),
        )

    @property
    def _left(self) -> int:
        """How many tasks the level can still take."""
        level = self.tasks_at(self.state.level) - self.state.explored_here
        return min(level, self.tasks - self.state.explored)

    def take(self, design: Design, records: Records) -> int:
        """Take in records in order, and return how many."""
        state = self.state
        taken = min(len(records), self._left)
        column = records.rewards if design.oversamples else records.durations
        assert column is not None  # a record of twice the cap has estimates
        # A cumulative sum adds in order: a block gives the very sum that single tasks do.
        state.sum_here = float(np.cumsum(np.append(state.sum_here, column[:taken, 0]))[-1])
        state.explored_here += taken
        state.explored += taken
        state.samples += int(records.drawn[:taken].sum())
        if state.explored_here == self.tasks_at(state.level):
            self._end_level(state.sum_here / state.explored_here)
            state.explored_here, state.sum_here = 0, 0.0
        return taken

    def _end_level(self, mean: float) -> None:
        state = self.state
        if state.earning is None or state.earning_low is None:
            low = mean - 2.0 * self.bound * self.accuracy
            if low > 0.0:  # line 3
                state.earning, state.earning_low = 2**state.level, low
            state.level += 1
            return
        # The best policy costs at most bound * cost / reward of any policy that earns something.
        affordable = self.setup_cost + self.family.cap(state.earning)
        most = self.bound * affordable / state.earning_low
        cap = self.family.cap(2**state.level)
        if self.setup_cost + mean > cap * self.accuracy + most:  # line 6
            state.found = 2**state.level
        else:
            state.level += 1

    def knowledge(self) -> Knowledge:
        """What is known so far."""
        count = self.state.found or 0
        return Knowledge(
            candidates=tuple(range(count)),
            eliminated_at=(0,) * count,
            bounds=None,
            chosen=None,
            explored=self.state.explored,
            samples=self.state.samples,
            note=self.failed,
        )
