"""`dwell bench`: learners against one another on a suite of known worlds."""

from __future__ import annotations

from itertools import product
from typing import Any

import click

from dwell.cli.command import Command, flag
from dwell.cli.contest import CHOOSERS, COMPARED, Contest
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

_TASKS: tuple[int, ...] = (30, 100, 300, 1_000, 10_000, 100_000)
_QUICK_TASKS: tuple[int, ...] = (30, 100, 1_000, 10_000)
_HOSTILE_TASKS: tuple[int, ...] = (30, 100, 1_000)
_DRIFT_TASKS, _QUICK_DRIFT_TASKS = (300, 1_000, 3_000), (300, 1_000)
_REPLICATIONS, _QUICK_REPLICATIONS = 20, 5


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


_RUNS = (
    option(
        "--tasks",
        whole_numbers,
        metavar="LIST",
        help="How many tasks there will be.  [default: 30,100,300,1e3,1e4,1e5; "
        "30,100,1e3,1e4 with --quick; up to 1e3 with --hostile; 300,1e3,3e3 with --drift]",
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
    return stacked(stacked(output_options()(command), _RUNS, "The runs"), COMPARED, "The contest")


@listing(*CHOOSERS)
@bench.command(cls=Command)
@_with_options
def learners(
    instances: tuple[str, ...] | None,
    learners: tuple[str, ...] | None,
    guard: bool | None,
    forget: bool | None,
    held_out: bool,
    drift: bool,
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

    With --drift the pool of ideas changes while learners run: from good-to-bad or bad-to-good at
    half time, or alternating; large wins become fewer (decay); the mean of all values swings with a
    season of 300 tests, or sinks (ramp). Held out are large-to-small, two-changes, rise,
    short-season, heavy-ramp and headlines-change. The first table has the ROI as a share of a
    dynamic oracle's, who runs each test by the best policy for its own pool; the second has what
    was earned as a share of what such policies earn for the same money in each pool; the third has
    the ROI as a share of the best policy that never changes. Then come acceptances that do harm, by
    pool, and how many tests after an abrupt change it took to adapt to it.

    \b
    Learners:
    {learners}

    \b
    Examples:
      dwell bench learners --quick
      dwell bench learners --instances rare-win --learners cape,etc --tasks 1e4
      dwell bench learners --grid --out scores.csv --plot scores.html
      dwell bench learners --hostile --learners ladder --cases twice,days
      dwell bench learners --drift --learners empirical-bayes,ladder
    """  # noqa: D301 - click knows text to keep as it is by a real backspace
    from dwell.report.bench.measures import score_grids
    from dwell.report.bench.page import score_page
    from dwell.report.bench.rows import score_row

    contest = Contest(
        instances=instances,
        held_out=held_out,
        drift=drift,
        hostile=hostile,
        cases=cases,
        later_day=later_day,
        grid=grid,
        scales=scales,
    )
    chosen = contest.chosen()
    usual, fewer = (_DRIFT_TASKS, _QUICK_DRIFT_TASKS) if drift else (_TASKS, _QUICK_TASKS)
    if hostile:
        usual = fewer = _HOSTILE_TASKS
    budgets = sorted(set(tasks or (fewer if quick else usual)))
    replications = replications or (_QUICK_REPLICATIONS if quick else _REPLICATIONS)
    refuse_without_meaning(*(learners or CHOOSERS))
    cells = list(product(chosen, learners or CHOOSERS, budgets))
    jobs = [
        Job(
            learner=instance.learner(name, count, guard=guard, drift=forget),
            world=instance.truth,
            tasks=count,
            replications=replications,
        )
        for instance, name, count in cells
    ]
    sampled = hostile or drift
    announce(jobs, sampled=sampled, workers=workers)
    total = replications * len(jobs)
    with (
        executor_of(workers) as executor,
        progress(f"simulating {total:,} run{'s' * (total > 1)}", total) as advance,
    ):
        finished = run_all(jobs, seed=seed, sampled=sampled, executor=executor, advance=advance)
        rows = [score_row(*cell, runs) for cell, runs in zip(cells, finished, strict=True)]
    about = {
        "grid": grid,
        "scales": scales,
        "drift": drift,
        "hostile": hostile,
        "later_day": later_day,
        "guard": guard,
        "forget": forget,
        "replications": replications,
        "seed": seed,
    }
    outputs.write(about, rows, lambda: score_page(about, chosen, rows))
    outputs.show(about, rows, *score_grids(rows))
