"""The world and the class of policies that a command is asked about, as options."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import wraps
from typing import TYPE_CHECKING, Any

import click

from dwell.cli.options import (
    Command,
    caps,
    law,
    not_negative,
    option,
    positive,
    prior,
    probability,
    stacked,
    whole,
)
from dwell.errors import InvalidInput

if TYPE_CHECKING:
    from dwell.lab.changing import ChangingWorld
    from dwell.policies import Policies
    from dwell.world import World


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """The world and the class of policies that a command is asked about."""

    world: World
    caps: tuple[int, ...]
    c: float | None
    band_tasks: int
    delta: float
    min_samples: int
    setup_cost: float

    @property
    def width(self) -> float:
        """The width of the paper's band."""
        return 0.5 if self.c is None else self.c

    def policies(self) -> Policies:
        """The class of policies: the paper's for signs or if its width was given, else `scales`."""
        from dwell.families import hoeffding
        from dwell.laws import Signs
        from dwell.usual_class import scales

        law = self.world.law
        if self.c is None and not isinstance(law, Signs):
            return scales(self.caps, sd=law.deviation, min_samples=self.min_samples)
        return hoeffding(
            self.caps,
            c=self.width,
            tasks=self.band_tasks,
            delta=self.delta,
            min_samples=self.min_samples,
        )


def _changing(name: str, text: str) -> ChangingWorld:
    """A world that changes, by its name in the drift suite."""
    from dwell.lab.drift_suite import DRIFTS

    if text not in DRIFTS:
        raise InvalidInput(
            f"{name} must name a world that changes, got {text!r}; they are {', '.join(DRIFTS)}"
        )
    return DRIFTS[text]


drift_option = option(
    "--drift",
    _changing,
    metavar="NAME",
    help="Let the pool of ideas change while the learner runs, as in the world of that name of "
    "`dwell bench learners --drift`, which takes the place of --prior and --law.",
)


def changed(problem: Problem, drift: ChangingWorld) -> Problem:
    """The problem in a world that changes: what a learner is told of is its first pool."""
    context = click.get_current_context()
    for other in ("prior", "law"):
        if context.get_parameter_source(other) is click.core.ParameterSource.COMMANDLINE:
            raise InvalidInput(
                f"give --drift or --{other}, not both: each says what ideas are like"
            )
    return replace(problem, world=drift.pools[0])


def problem_options(band_tasks: str) -> Callable[[Callable[..., None]], Command]:
    """The options that make a `Problem`, given to the command as `problem`.

    Args:
        band_tasks: The name of the option for the number of tasks in the policies' band.
    """
    world = (
        option(
            "--prior",
            prior,
            default="Atoms(-0.05:0.9, 0.6:0.1)",
            metavar="TEXT",
            help="How ideas' values are spread: Atoms(value:weight, …), Beta(a, b), "
            "Normal(mean, sd) or StudentT(mean, scale, df).",
        ),
        option(
            "--law",
            law,
            default="Signs",
            metavar="TEXT",
            help="What a sample looks like: Signs, Lift(base_rate) or Gaussian(sd).",
        ),
        option(
            "--setup-cost",
            not_negative,
            default="20",
            help="What each test costs besides its samples.",
        ),
    )
    policies = (
        option(
            "--caps",
            caps,
            default="1:256:x2",
            metavar="LIST",
            help="The most samples that each policy may draw, as a list (1,2,4), a range "
            "(1:50 is every cap from 1 to 50) or by a factor (1:256:x2 is 1, 2, 4, …, 256).",
        ),
        option(
            "--c",
            positive,
            help="How wide the band of the paper's policies is.  [default: 0.5 for signs; else the "
            "policies are rules of two limits that shrink to 0]",
        ),
        option(
            band_tasks, whole, "band_tasks", default="10_000", help="The N in the policies' band."
        ),
        option("--delta", probability, default="0.05", help="The confidence parameter."),
        option(
            "--min-samples",
            whole,
            default="1",
            help="The policies do not stop before they have drawn this many.",
        ),
    )

    def decorate(command: Callable[..., None]) -> Command:
        @wraps(command)
        def with_problem(**values: Any) -> None:
            from dwell.world import World

            names = ("caps", "c", "band_tasks", "delta", "min_samples", "setup_cost")
            world = World(values.pop("prior"), values.pop("law"))
            problem = Problem(world=world, **{name: values.pop(name) for name in names})
            command(problem=problem, **values)

        return stacked(stacked(with_problem, policies, "The policies"), world, "The world")

    return decorate
