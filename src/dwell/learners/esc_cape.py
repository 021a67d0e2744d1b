"""ESC-CAPE: CAPE on as many policies of a countable family as ESC leaves (Theorem final)."""

from dataclasses import replace

from dwell.families import Countable
from dwell.learners.cape import Cape, exploration_cap_for
from dwell.learners.esc import Esc
from dwell.learners.learner import Knowledge, Plan
from dwell.learners.stored import Stored
from dwell.records import Records


class EscCape(Stored):
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

    SETTINGS = (
        "family",
        "tasks",
        "delta",
        "accuracy",
        "exploration_cap",
        "setup_cost",
        "bound",
    )
    STATE = ("esc", "cape")

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

    @property
    def choices(self) -> Countable:
        """The family in which it searches."""
        return self.family

    def plan(self) -> Plan | None:
        """How the next tasks are to be run; None once the tasks are out."""
        if self.cape is None:
            return self.esc.plan()
        left = self.tasks - self.esc.used - self.cape.tally.explored
        plan = self.cape.plan()
        if plan.tasks is None:
            return plan
        return replace(plan, tasks=min(plan.tasks, left)) if left > 0 else None

    def learn(self, records: Records) -> int:
        """Take in records made under the plan, in order, and return how many were taken."""
        if self.cape is not None:
            left = self.tasks - self.esc.used - self.cape.tally.explored
            return self.cape.learn(records.first(left) if self.cape.exploring else records)
        taken = self.esc.learn(records)
        if self.esc.found is not None:
            self.cape = Cape(
                self.family.first(self.esc.found),
                tasks=self.tasks,
                delta=self.delta,
                exploration_cap=self.exploration_cap,
                setup_cost=self.setup_cost,
                bound=self.bound,
                announce=False,
            )
        return taken

    def knowledge(self) -> Knowledge:
        """What is known so far."""
        searched = self.esc.knowledge()
        if self.cape is None:
            return searched
        known = self.cape.knowledge()
        return replace(
            known,
            dropped_at=tuple(at and at + searched.explored for at in known.dropped_at),
            explored=searched.explored + known.explored,
            samples=searched.samples + known.samples,
        )
