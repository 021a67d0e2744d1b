"""`dwell bench`: learners against one another on a suite of known worlds."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import product
from typing import Any

import click

from dwell.cli.command import Command, flag
from dwell.cli.learners import listing
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

_TASKS, _QUICK_TASKS = (10**2, 10**3, 10**4, 10**5, 10**6), (10**2, 10**3, 10**4)
_REPLICATIONS, _QUICK_REPLICATIONS = 20, 5
_CHOOSERS = tuple(name for name, entry in LEARNERS.items() if not entry.countable)


def _instance_names() -> Iterable[str]:
    from dwell.lab.suite import suite

    return (instance.name for instance in suite())


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
        help="Which instances of the suite, by name.  [default: all]",
    ),
    option(
        "--learners",
        _names_of("learner", lambda: _CHOOSERS),
        metavar="LIST",
        help="Which learners, by name.  [default: all]",
    ),
    flag(
        "--grid",
        help="Let policies differ in the width of their band too: c = 0.2, 0.35, 0.5 and 0.7.",
    ),
)
_RUNS = (
    option(
        "--tasks",
        whole_numbers,
        metavar="LIST",
        help="How many tasks there will be.  [default: 1e2,1e3,1e4,1e5,1e6; up to 1e4 with "
        "--quick]",
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
    tasks: tuple[int, ...] | None,
    replications: int | None,
    seed: int,
    workers: int,
    grid: bool,
    quick: bool,
    outputs: Outputs,
) -> None:
    """See what share of the best ROI each learner earns on the suite.

    The suite has 15 instances, with two set-up costs each but for the last: three-point, uniform,
    mostly-null and rare-win; beta-8-12, beta-3-7 and beta-45-55, where short policies lose money;
    and headlines, with effects as small as those of online tests. Where policies lose, a second
    table shows what the learners lost, as a share of what the worst policy loses.

    \b
    Learners:
    {learners}

    \b
    Examples:
      dwell bench learners --quick
      dwell bench learners --instances rare-win --learners cape,etc --tasks 1e4
      dwell bench learners --grid --out scores.csv --plot scores.html
    """  # noqa: D301 - click knows text to keep as it is by a real backspace
    from dwell.lab.suite import suite
    from dwell.report.bench import score_grids, score_page, score_row

    chosen = [at for at in suite(grid=grid) if instances is None or at.name in instances]
    budgets = sorted(set(tasks or (_QUICK_TASKS if quick else _TASKS)))
    replications = replications or (_QUICK_REPLICATIONS if quick else _REPLICATIONS)
    cells = list(product(chosen, learners or _CHOOSERS, budgets))
    jobs = [
        Job(
            learner=instance.learner(name, count),
            world=instance.world,
            tasks=count,
            replications=replications,
        )
        for instance, name, count in cells
    ]
    announce(jobs, workers=workers)
    total = replications * len(jobs)
    with (
        executor_of(workers) as executor,
        progress(f"simulating {total:,} run{'s' * (total > 1)}", total) as advance,
    ):
        finished = run_all(jobs, seed=seed, executor=executor, advance=advance)
        rows = [score_row(*cell, runs) for cell, runs in zip(cells, finished, strict=True)]
    about = {"grid": grid, "replications": replications, "seed": seed}
    outputs.write(about, rows, lambda: score_page(about, chosen, rows))
    outputs.show(about, rows, *score_grids(rows))
