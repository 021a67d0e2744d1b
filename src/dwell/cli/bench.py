"""`dwell bench`: learners against one another on a suite of known worlds."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING, Any

import click

from dwell.cli.command import Command, flag
from dwell.cli.learners import listing, refuse_without_meaning
from dwell.cli.options import (
    number_of_runs,
    option,
    output_options,
    seed_option,
    stacked,
    whole_numbers,
    workers_option,
)
from dwell.cli.output import Outputs, progress
from dwell.cli.running import Job, executor_of, run_all
from dwell.cli.waiting import announce
from dwell.errors import InvalidInput
from dwell.learners.registry import LEARNERS

if TYPE_CHECKING:
    from dwell.lab.suite import Instance

_TASKS, _QUICK_TASKS = (30, 100, 300, 1_000, 10_000, 100_000), (30, 100, 1_000, 10_000)
_HOSTILE_TASKS = (30, 100, 1_000)
_REPLICATIONS, _QUICK_REPLICATIONS = 20, 5
_CHOOSERS = tuple(name for name, entry in LEARNERS.items() if not entry.countable)


def _instance_names() -> Iterable[str]:
    from dwell.lab.suite import suite

    return (instance.name for instance in suite(more=True))


def _case_names() -> Iterable[str]:
    from dwell.lab.suite import CASES

    return CASES


def _names_of(
    kind: str, known: Callable[[], Iterable[str]]
) -> Callable[[str, str], tuple[str, ...]]:
    """Reads names between commas, and gives them in the order in which they are known."""

    def read(_: str, text: str) -> tuple[str, ...]:
        asked, there = [part.strip() for part in text.split(",")], dict.fromkeys(known())
        for name in asked:
            if name not in there:
                raise InvalidInput(
                    f"there is no {kind} {name!r}; the {kind}s are {', '.join(there)}"
                )
        return tuple(name for name in there if name in asked)

    return read


@dataclass(frozen=True, slots=True, kw_only=True)
class Contest:
    """Which instances were asked for."""

    instances: tuple[str, ...] | None
    held_out: bool
    hostile: bool
    cases: tuple[str, ...] | None
    later_day: bool
    grid: bool
    scales: bool

    def __post_init__(self) -> None:
        if self.grid and self.scales:
            raise InvalidInput("give --grid or --scales, not both: each says which policies")
        for option_name, given in (("--cases", self.cases), ("--later-day", self.later_day)):
            if given and not self.hostile:
                raise InvalidInput(f"{option_name} says how to be hostile; give --hostile too")
        if self.instances is not None and self.held_out:
            raise InvalidInput("give --instances or --held-out, not both: each says which worlds")

    def chosen(self) -> tuple[Instance, ...]:
        """The instances."""
        from dwell.lab.suite import CASES, HELD_OUT, HOSTILE_WORLDS, hostile_suite, suite

        names = HELD_OUT if self.held_out else self.instances
        if self.hostile and "headlines" in (self.instances or ()):
            raise InvalidInput("--hostile breaks worlds of signs; leave headlines out")
        if not self.hostile:
            every = suite(grid=self.grid, scales=self.scales, more=names is not None)
            return tuple(each for each in every if names is None or each.name in names)
        return hostile_suite(
            names=HOSTILE_WORLDS if names is None else names,
            cases=self.cases or CASES,
            later_day=self.later_day,
            grid=self.grid,
            scales=self.scales,
        )


@click.group(invoke_without_command=True)
@click.pass_context
def bench(context: click.Context) -> None:
    """Compare ways of learning on a suite of known worlds.

    \b
    Examples:
      dwell bench learners --quick
    """  # noqa: D301 - click knows text to keep as it is by a real backspace
    if context.invoked_subcommand is None:
        click.echo(context.get_help())


_COMPARED = (
    option(
        "--instances",
        _names_of("instance", _instance_names),
        metavar="LIST",
        help="Which instances of the suite, by name.  [default: the 15 of the suite; with "
        "--hostile mostly-null and beta-45-55]",
    ),
    flag(
        "--held-out",
        help="Only worlds that are held out, and five more of them.",
    ),
    flag(
        "--hostile",
        help="Let observations break the law that learners are told, in each of nine ways.",
    ),
    option(
        "--cases",
        _names_of("case", _case_names),
        metavar="LIST",
        help="With --hostile: in which ways, by name.  [default: all]",
    ),
    flag(
        "--later-day",
        help="With --hostile: let samples after a stop, by which learners verify what they "
        "accepted, come from a later day; else they follow on the last that was seen.",
    ),
    option(
        "--learners",
        _names_of("learner", lambda: _CHOOSERS),
        metavar="LIST",
        help="Which learners, by name.  [default: all]",
    ),
    flag(
        "--guard/--no-guard",
        help="Whether empirical-bayes verifies what it accepts.  [default: if set-up costs at "
        "least a 25th of the cap]",
        default=None,
    ),
    flag(
        "--grid",
        help="Let policies differ in the width of their band too: c = 0.2, 0.35, 0.5 and 0.7.",
    ),
    flag(
        "--scales",
        help="Let policies be rules of two limits at five scales, ladder's usual class, instead of "
        "the paper's.",
    ),
)
_RUNS = (
    option(
        "--tasks",
        whole_numbers,
        metavar="LIST",
        help="How many tasks there will be.  [default: 30,100,300,1e3,1e4,1e5; "
        "30,100,1e3,1e4 with --quick; up to 1e3 with --hostile]",
    ),
    option(
        "--replications",
        number_of_runs,
        help=f"How many runs per figure.  [default: {_REPLICATIONS}; {_QUICK_REPLICATIONS} with "
        "--quick]",
    ),
    flag("--quick", help="Fewer tasks and runs: a minute at most."),
    seed_option,
    workers_option("2"),
)


def _with_options(command: Any) -> Any:
    return stacked(stacked(output_options()(command), _RUNS, "The runs"), _COMPARED, "The contest")


@listing(*_CHOOSERS)
@bench.command(cls=Command)
@_with_options
def learners(
    instances: tuple[str, ...] | None,
    learners: tuple[str, ...] | None,
    guard: bool | None,
    held_out: bool,
    hostile: bool,
    cases: tuple[str, ...] | None,
    later_day: bool,
    tasks: tuple[int, ...] | None,
    replications: int | None,
    seed: int,
    workers: int,
    grid: bool,
    scales: bool,
    quick: bool,
    outputs: Outputs,
) -> None:
    """See what share of the best ROI each learner earns on the suite.

    The suite has 15 instances, with two set-up costs each but for the last: three-point, uniform,
    mostly-null and rare-win; beta-8-12, beta-3-7 and beta-45-55, where short policies lose money;
    and headlines, with effects as small as those of online tests. The first table has the ROI as a
    share of what the best of all policies earns, the second of what the best of the class earns.
    Where policies lose, a third shows what learners lost, as a share of what the worst policy
    loses.

    Constants of learners were chosen on three-point, mostly-null, rare-win, beta-8-12 and
    beta-45-55, Ladder's on uniform and beta-3-7 too. What is not in the first list is held out, and
    marked by a star. Five more such worlds are there to be asked for, by name or by --held-out:
    heavy-tails, big-losers, one-in-a-hundred, normal-below and tiny-effects.

    With --hostile every sample is seen twice or five-times; samples are correlated (ar) or share
    the shift of their days; normal noise is understated or overstated by a factor of 1.41
    (noise-under, noise-over); effects begin at twice what they are worth (fading) or 0.1 above it
    (novelty); or the mean of a falling-pool moves from 0.2 above to 0.2 below. A fourth table has
    what was lost as a share of what the worst policy would lose if the law held.

    \b
    Learners:
    {learners}

    \b
    Examples:
      dwell bench learners --quick
      dwell bench learners --instances rare-win --learners cape,etc --tasks 1e4
      dwell bench learners --grid --out scores.csv --plot scores.html
      dwell bench learners --hostile --learners ladder --cases twice,days
    """  # noqa: D301 - click knows text to keep as it is by a real backspace
    from dwell.report.bench.measures import score_grids
    from dwell.report.bench.page import score_page
    from dwell.report.bench.rows import score_row

    contest = Contest(
        instances=instances,
        held_out=held_out,
        hostile=hostile,
        cases=cases,
        later_day=later_day,
        grid=grid,
        scales=scales,
    )
    chosen = contest.chosen()
    usual = _HOSTILE_TASKS if hostile else _QUICK_TASKS if quick else _TASKS
    budgets = sorted(set(tasks or usual))
    replications = replications or (_QUICK_REPLICATIONS if quick else _REPLICATIONS)
    refuse_without_meaning(*(learners or _CHOOSERS))
    cells = list(product(chosen, learners or _CHOOSERS, budgets))
    jobs = [
        Job(
            learner=instance.learner(name, count, guard=guard),
            world=instance.truth,
            tasks=count,
            replications=replications,
        )
        for instance, name, count in cells
    ]
    announce(jobs, sampled=hostile, workers=workers)
    total = replications * len(jobs)
    with (
        executor_of(workers) as executor,
        progress(f"simulating {total:,} run{'s' * (total > 1)}", total) as advance,
    ):
        finished = run_all(jobs, seed=seed, sampled=hostile, executor=executor, advance=advance)
        rows = [score_row(*cell, runs) for cell, runs in zip(cells, finished, strict=True)]
    about = {
        "grid": grid,
        "scales": scales,
        "hostile": hostile,
        "later_day": later_day,
        "guard": guard,
        "replications": replications,
        "seed": seed,
    }
    outputs.write(about, rows, lambda: score_page(about, chosen, rows))
    outputs.show(about, rows, *score_grids(rows))
