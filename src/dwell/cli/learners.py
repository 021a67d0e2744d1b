"""Learners as options describe them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from inspect import cleandoc
from typing import TYPE_CHECKING

import click

from dwell.cli.problem import Problem
from dwell.errors import InvalidInput
from dwell.learners.registry import LEARNERS, arguments_of, kind_of, make

if TYPE_CHECKING:
    from dwell.learners.learner import Learner

# Options that some learners have no use for, and the arguments that each is for.
_ARGUMENTS = {
    "caps": {"policies", "cap"},
    "c": {"policies", "family"},
    "band_tasks": {"policies", "family"},
    "delta": {"policies", "family", "delta"},
    "min_samples": {"policies", "min_samples"},
    "step": {"family"},
    "exploration_cap": {"exploration_cap"},
    "bound": {"bound"},
    "looks": {"looks"},
    "caution": {"caution"},
    "guard": {"guard"},
    "budget": {"budget"},
    "forget": {"drift"},
}


def listing(*names: str) -> Callable[[click.Command], click.Command]:
    """Puts learners and what they do in the place of {learners} in a command's help."""
    width = max(map(len, names))
    lines = "\n".join(f"  {name:{width}}  {LEARNERS[name].about}" for name in names)

    def listed(command: click.Command) -> click.Command:
        command.help = cleandoc(command.help or "").replace("{learners}", lines)
        return command

    return listed


def refuse_without_meaning(*learners: str) -> None:
    """Refuse options of the command that mean nothing to any of some learners."""
    context = click.get_current_context()
    known: frozenset[str] = frozenset().union(*map(arguments_of, learners))
    for name, arguments in _ARGUMENTS.items():
        given = context.get_parameter_source(name) is click.core.ParameterSource.COMMANDLINE
        if given and not arguments & known:
            negated = "no-" if context.params[name] is False else ""
            spelled = f"--{negated}{name.replace('_', '-')}"
            named = f"the learner{'s' * (len(learners) > 1)} {', '.join(learners)}"
            raise InvalidInput(f"{spelled} means nothing to {named}; leave it out")


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A learner that was asked for, to be made for any number of tasks."""

    name: str
    problem: Problem
    exploration_cap: int | None = None
    step: int = 1
    bound: float | None = None
    looks: int | None = None
    caution: float | None = None
    guard: bool | None = None
    budget: float | None = None
    forget: bool | None = None

    @property
    def largest_cap(self) -> int:
        """The largest cap of a finite class; the smallest of one without end."""
        return self.step if LEARNERS[self.name].countable else self.problem.caps[-1]

    def learner(self, tasks: int) -> Learner:
        """The learner."""
        problem = self.problem
        choices = self._choices()
        if self.caution is not None:
            choices["caution"] = self.caution
        if self.forget is not None:
            choices["drift"] = self.forget
        return make(
            self.name,
            **choices,
            law=problem.world.law,
            cap=self.largest_cap,
            min_samples=problem.min_samples,
            tasks=tasks,
            delta=problem.delta,
            exploration_cap=self.exploration_cap,
            setup_cost=problem.setup_cost,
            bound=self._checked_bound(),
            looks=self.looks,
            guard=self.guard,
            budget=self.budget,
            announce=False,  # the command prints what it knows as a note
        )

    def _choices(self) -> dict[str, object]:
        """What it chooses from, if it does not compute its boundaries."""
        from dwell.families import Countable

        problem, entry = self.problem, LEARNERS[self.name]
        if entry.computes:
            return {}
        if not entry.countable:
            return {"policies": problem.policies()}
        family = Countable(
            c=problem.width, tasks=problem.band_tasks, delta=problem.delta, step=self.step
        )
        return {"family": family}

    def _checked_bound(self) -> float:
        from dwell.laws import Gaussian

        law = self.problem.world.law
        if self.bound is not None or not isinstance(law, Gaussian):
            return self.bound or 1.0
        if "bound" not in arguments_of(self.name):
            return 1.0
        wanted = kind_of(self.name).BOUND
        raise InvalidInput(f"observations under {law} have no bound; give --bound, {wanted}")
