"""Learners by the names that the command line has for them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from dwell.cli.options import Problem
from dwell.errors import InvalidInput

if TYPE_CHECKING:
    from dwell.learners.learner import Learner

# Each learner, with the options that mean nothing to it.
WITHOUT_MEANING = {
    "ladder": ("step", "exploration_cap"),
    "cape": ("step",),
    "cape-sharp": ("step",),
    "esc": ("caps", "min_samples", "exploration_cap"),
    "esc-cape": ("caps", "min_samples"),
    "etc": ("step", "bound"),
    "fixed": ("step", "bound", "exploration_cap"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Recipe:
    """How to make a learner for any number of tasks."""

    name: str
    problem: Problem
    exploration_cap: int | None = None
    step: int = 1
    bound: float | None = None

    @property
    def largest_cap(self) -> int:
        """The largest cap of a finite class; the smallest of one without end."""
        return self.step if self.name.startswith("esc") else self.problem.caps[-1]

    def learner(self, tasks: int) -> Learner:
        """The learner."""
        from dwell.families import Countable
        from dwell.learners.baselines import ExploreThenCommit, Fixed
        from dwell.learners.cape import Cape
        from dwell.learners.cape_sharp import CapeSharp
        from dwell.learners.esc import Esc
        from dwell.learners.esc_cape import EscCape
        from dwell.learners.ladder import Ladder

        problem, delta, setup_cost = self.problem, self.problem.delta, self.problem.setup_cost
        cap = self.exploration_cap
        match self.name:
            case "fixed":
                return Fixed(problem.policies(), setup_cost=setup_cost)
            case "etc":
                return ExploreThenCommit(
                    problem.policies(),
                    tasks=tasks,
                    exploration_cap=cap,
                    delta=delta,
                    setup_cost=setup_cost,
                )
            case "ladder":
                return Ladder(
                    problem.policies(),
                    delta=delta,
                    setup_cost=setup_cost,
                    bound=self._checked_bound(),
                )
            case "cape-sharp":
                return CapeSharp(
                    problem.policies(),
                    tasks=tasks,
                    delta=delta,
                    exploration_cap=cap,
                    setup_cost=setup_cost,
                    bound=self._checked_bound(),
                )
            case "cape":
                return Cape(
                    problem.policies(),
                    tasks=tasks,
                    delta=delta,
                    exploration_cap=cap,
                    setup_cost=setup_cost,
                    bound=self._checked_bound(),
                    announce=False,  # the command prints what it knows as a note
                )
        family = Countable(c=problem.c, tasks=problem.band_tasks, delta=delta, step=self.step)
        bound = self._checked_bound()
        if self.name == "esc":
            return Esc(family, tasks=tasks, delta=delta, setup_cost=setup_cost, bound=bound)
        return EscCape(
            family,
            tasks=tasks,
            delta=delta,
            exploration_cap=cap,
            setup_cost=setup_cost,
            bound=bound,
        )

    def _checked_bound(self) -> float:
        from dwell.laws import Gaussian

        if self.bound is not None:
            return self.bound
        if isinstance(self.problem.world.law, Gaussian):
            # Ladder's bounds need a range; the paper's make do with a scale.
            wanted = (
                "what they hardly ever exceed"
                if self.name in ("ladder", "cape-sharp")
                else "the scale with which they are sub-Gaussian, values included"
            )
            raise InvalidInput(
                f"observations under {self.problem.world.law} have no bound; give --bound, {wanted}"
            )
        return 1.0
