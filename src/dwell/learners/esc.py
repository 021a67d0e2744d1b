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

from functools import lru_cache
from math import ceil, log

import numpy as np

from dwell import checks
from dwell.errors import InvalidInput
from dwell.families import Countable
from dwell.learners.learner import Knowledge, Plan
from dwell.learners.stored import Stored
from dwell.policies import Policies
from dwell.records import Records


@lru_cache(maxsize=2)
def _alone(family: Countable, k: int) -> Policies:
    """Policy k as a set of its own; kept, because a long one takes long to make."""
    return Policies([family.policy(k)])


class Esc(Stored):
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
        >>> run.learner.found, run.roi
        (128, 0.0)
    """

    SETTINGS = ("family", "tasks", "delta", "accuracy", "setup_cost", "bound")
    STATE = ("level", "earning", "earning_low", "found", "done_here", "sum_here", "used", "samples")

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
        self.level = 1
        self.earning: int | None = None
        self.earning_low: float | None = None
        self.found: int | None = None
        self.done_here = 0
        self.sum_here = 0.0
        self.used = 0
        self.samples = 0

    @property
    def choices(self) -> Countable:
        """The family in which it searches."""
        return self.family

    @property
    def failed(self) -> str:
        """Why the search ended with nothing found; empty while it goes on or if it succeeded."""
        if self.found is not None:
            return ""
        if self.used >= self.tasks:
            return "ESC ran out of tasks and accepted nothing"
        if not self.family.reaches(2**self.level):
            return f"ESC found no bound up to policy {2 ** (self.level - 1):,} and accepted nothing"
        return ""

    def tasks_at(self, level: int) -> int:
        """How many tasks a level takes (m_j)."""
        return ceil((log(level * (level + 1)) - log(self.delta)) / (2.0 * self.accuracy**2))

    def plan(self) -> Plan | None:
        """How the next tasks are to be run; None once K is found or the search has failed."""
        if self.found is not None or self.failed:
            return None
        policies = _alone(self.family, 2**self.level)
        return Plan(policies, accepts=False, oversamples=self.earning is None, tasks=self._left)

    @property
    def _left(self) -> int:
        """How many tasks the level can still take."""
        return min(self.tasks_at(self.level) - self.done_here, self.tasks - self.used)

    def learn(self, records: Records) -> int:
        """Take in records made under the plan, in order, and return how many were taken."""
        if self.found is not None or self.failed:
            return len(records)
        taken = min(len(records), self._left)
        column = records.durations if self.earning is not None else records.rewards
        if column is None or column.shape[1] != 1:
            raise InvalidInput(
                "ESC looks at one policy at a time: each record must have its column alone, and "
                "estimate its reward as long as none is known to earn"
            )
        # A cumulative sum adds in order: a block gives the very sum that single tasks do.
        self.sum_here = float(np.cumsum(np.append(self.sum_here, column[:taken, 0]))[-1])
        self.done_here += taken
        self.used += taken
        self.samples += int(records.drawn[:taken].sum())
        if self.done_here == self.tasks_at(self.level):
            self._end_level(self.sum_here / self.done_here)
            self.done_here, self.sum_here = 0, 0.0
        return taken

    def _end_level(self, mean: float) -> None:
        if self.earning is None or self.earning_low is None:
            low = mean - 2.0 * self.bound * self.accuracy
            if low > 0.0:  # line 3
                self.earning, self.earning_low = 2**self.level, low
            self.level += 1
            return
        # The best policy costs at most bound * cost / reward of any policy that earns something.
        affordable = self.setup_cost + self.family.cap(self.earning)
        most = self.bound * affordable / self.earning_low
        if self.setup_cost + mean > self.family.cap(2**self.level) * self.accuracy + most:  # line 6
            self.found = 2**self.level
        else:
            self.level += 1

    def knowledge(self) -> Knowledge:
        """What is known so far."""
        count = self.found or 0
        return Knowledge(
            candidates=tuple(range(count)),
            dropped_at=(0,) * count,
            bounds=None,
            chosen=None,
            explored=self.used,
            samples=self.samples,
            note=self.failed,
        )
