"""ESC-CAPE: CAPE on as many policies of a countable family as ESC leaves (Theorem 4)."""

from copy import deepcopy
from dataclasses import dataclass, replace

from dwell.families import Countable
from dwell.learners.cape import Cape, Progress, exploration_cap_for
from dwell.learners.design import Design
from dwell.learners.esc import Esc, Search
from dwell.learners.learner import Knowledge, Learner
from dwell.policies import Policies
from dwell.records import Records


@dataclass(frozen=True, slots=True)
class Parts:
    """The states of both parts.

    Attributes:
        esc: The search.
        cape: CAPE's state; None as long as the search goes on.
    """

    esc: Search
    cape: Progress | None


class EscCape(Learner):
    """ESC, then CAPE on the policies that it left, for the tasks that are left.

    Args:
        family: The policies.
        tasks: How many tasks there will be (N).
        delta: The confidence parameter of both parts.
        accuracy: ESC's accuracy; N^(-1/3) by default.
        exploration_cap: CAPE's exploration cap; ceil(N^(2/3)) by default.
        setup_cost: What each task costs besides its samples.
        bound: Observations lie in [-bound, bound].

    Example:
        >>> from dwell import Atoms, Signs, World, simulate
        >>> family = Countable(c=0.35, tasks=10**6, delta=0.05)
        >>> learner = EscCape(family, tasks=10**6)
        >>> run = simulate(learner, World(Atoms([-1, 0, 1]), Signs()), tasks=10**6, rng=0)
        >>> run.chosen + 1, run.explored
        (3, 210504)
    """

    def __init__(
        self,
        family: Countable,
        *,
        tasks: int,
        delta: float = 0.05,
        accuracy: float | None = None,
        exploration_cap: int | None = None,
        setup_cost: float = 0.0,
        bound: float = 1.0,
    ):
        super().__init__()
        self.esc = Esc(
            family,
            tasks=tasks,
            delta=delta,
            accuracy=accuracy,
            setup_cost=setup_cost,
            bound=bound,
        )
        self.family, self.tasks, self.delta = family, self.esc.tasks, self.esc.delta
        self.accuracy = self.esc.accuracy
        self.exploration_cap = exploration_cap_for(self.tasks, exploration_cap)
        self.setup_cost, self.bound = self.esc.setup_cost, self.esc.bound
        self.cape: Cape | None = None
        self.esc.queue = self.queue

    @property
    def choices(self) -> Countable:
        """The family in which it searches."""
        return self.family

    @property
    def state(self) -> Parts:
        """The states of both parts."""
        return Parts(self.esc.state, None if self.cape is None else self.cape.state)

    def peek(self) -> Design | None:
        """The design that `begin` would give, with nothing begun."""
        return deepcopy(self).begin()  # its parts have states of their own

    def restore(self, state: Parts) -> None:
        """Go on from another state, if a learner like this one can get into it."""
        self.esc.restore(state.esc)
        if state.cape is not None:
            self._begin_cape()
            assert self.cape is not None
            self.cape.restore(state.cape)

    def subset(self, columns: tuple[int, ...]) -> Policies:
        """Some of the policies: those of the part that goes on."""
        return (self.cape or self.esc).subset(columns)

    def _begin_cape(self) -> None:
        """Go on with CAPE, if ESC has found something."""
        if (found := self.esc.state.found) is None:
            raise ValueError("CAPE begins when ESC has found how many policies are enough")
        self.cape = Cape(
            self.family.first(found),
            tasks=self.tasks,
            delta=self.delta,
            exploration_cap=self.exploration_cap,
            setup_cost=self.setup_cost,
            bound=self.bound,
            announce=False,
        )
        self.cape.queue = self.queue

    def propose(self, tasks: int) -> Design | None:
        """How the next tasks are to be run; None once the tasks are out."""
        if self.cape is None:
            return self.esc.propose(tasks)
        left = self.tasks - self.esc.state.explored - self.cape.state.explored
        if not self.cape.exploring:
            return self.cape.propose(tasks)
        left -= self.queue.reserved
        return self.cape.propose(min(tasks, left)) if left > 0 else None

    def take(self, design: Design, records: Records) -> int:
        """Take in records in order, and return how many."""
        if self.cape is not None:
            return self.cape.take(design, records)
        taken = self.esc.take(design, records)
        if self.esc.state.found is not None:
            self._begin_cape()
        return taken

    def knowledge(self) -> Knowledge:
        """What is known so far."""
        searched = self.esc.knowledge()
        if self.cape is None:
            return searched
        known = self.cape.knowledge()
        return replace(
            known,
            eliminated_at=tuple(at and at + searched.explored for at in known.eliminated_at),
            explored=searched.explored + known.explored,
            samples=searched.samples + known.samples,
        )
