"""`dwell demo`: the problem, the best policy, what learning it costs, and what a log says."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import click

from dwell.cli.command import Command
from dwell.cli.options import output_options, seed_option, stacked, workers_option
from dwell.cli.output import Outputs, print_grid, progress, wrapped
from dwell.cli.running import Job, executor_of, run_all

if TYPE_CHECKING:
    from dwell.learners.learner import Learner
    from dwell.report.evaluation.report import Report

_TASKS = (10**2, 10**3, 10**4, 10**7)
_MOST_COMPUTED = 10**4  # beyond, EmpiricalBayes would take a minute
_PAST_TESTS = 2000
_MOST_RUNS = 120


def _with_options(command: Any) -> Any:
    runs = (seed_option, workers_option("2"))
    return stacked(output_options("dwell-demo.html")(command), runs, "The runs")


@click.command(cls=Command)
@_with_options
def demo(seed: int, workers: int, outputs: Outputs) -> None:
    """Show what the problem is and what dwell does about it.

    Takes 40 seconds on two cores, and more the first time, when it is compiled. Prints a short
    story with one table, and draws a page.

    \b
    Examples:
      dwell demo
      dwell demo --seed 7 --plot report.html
      dwell demo --json
    """  # noqa: D301 - click knows text to keep as it is by a real backspace
    from dwell.families import Countable, Every, hoeffding
    from dwell.lab.run import best_roi
    from dwell.laws import Signs
    from dwell.learners.cape import Cape
    from dwell.learners.empirical_bayes import EmpiricalBayes
    from dwell.learners.esc_cape import EscCape
    from dwell.learners.ladder import Ladder
    from dwell.priors import Atoms
    from dwell.report import demo as story
    from dwell.report.evaluation.rows import about
    from dwell.report.simulation import simulated_row
    from dwell.table import exact
    from dwell.world import World

    world, setup_cost = World(Atoms([-0.05, 0.6], [0.9, 0.1]), Signs()), 20.0
    caps = [2**power for power in range(9)]
    policies = hoeffding(caps, c=0.5, tasks=10_000, delta=0.05)
    family = Countable(c=0.5, tasks=10_000, delta=0.05, step=16)
    table = exact(policies, world, setup_cost)
    if not outputs.as_json:
        wrapped([story.TITLE, *story.problem(table), *story.best_policy(table)])

    capes = [Cape(policies, tasks=n, setup_cost=setup_cost, announce=False) for n in _TASKS]
    computing = EmpiricalBayes(Signs(), caps[-1], setup_cost=setup_cost)
    cells: list[tuple[str, int, Learner]] = [
        *(("cape", cape.tasks, cape) for cape in capes),
        *(("esc-cape", n, EscCape(family, tasks=n, setup_cost=setup_cost)) for n in _TASKS),
        *(("ladder", n, Ladder(policies, setup_cost=setup_cost)) for n in _TASKS),
        *(("empirical-bayes", n, computing) for n in _TASKS if n <= _MOST_COMPUTED),
    ]
    jobs = [
        Job(learner=learner, world=world, tasks=n, replications=_replications(name, n))
        for name, n, learner in cells
    ]
    # One worker compiles what comes last, once for all, while the other is at what comes first.
    jobs = [Job(learner=computing, world=world, tasks=5, replications=1), *jobs]
    total = sum(job.replications for job in jobs)
    doing = f"simulating {total} runs and evaluating a log of past tests"
    with executor_of(workers) as executor, progress(doing, total) as advance:
        runs_of_jobs = run_all(jobs, seed=seed, executor=executor, advance=advance)
        # While the workers are at it:
        past, oracle_roi = _past_tests(seed), best_roi(Every(caps[-1]), world, setup_cost)
        finished = list(runs_of_jobs)[1:]
    rows = [
        simulated_row(name, runs, tasks=n)
        for (name, n, _), runs in zip(cells, finished, strict=True)
    ]
    told = story.Story(table, oracle_roi, rows, capes[-1].guarantee, past)

    figures = {
        "best_cap": caps[table.best],
        "best_roi": float(table.roi[table.best]),
        "longest_cap_roi": float(table.roi[-1]),
        "oracle_roi": oracle_roi,
        "past_tests": about(told.past),
    }
    outputs.write(figures, rows, lambda: story.report(told))
    if outputs.as_json:
        outputs.show(figures, rows)
    else:
        print_grid(story.grid(told))
        wrapped([*story.conclusions(told), *story.past_tests(told.past)])


def _replications(name: str, tasks: int) -> int:
    """So many runs as tell learners apart; few tests differ more from run to run than many."""
    # The longest runs and searches (ESC) take seconds each, and two of them agree to three digits.
    if tasks >= 10**7 or name == "esc-cape":
        return 1
    return max(4, min(_MOST_RUNS, 20_000 // tasks))


def _past_tests(seed: int) -> Report:
    """A log of tests that nobody ran, evaluated."""
    from dwell.history.datasets.synthetic_log import generate
    from dwell.laws import Lift
    from dwell.priors import Normal
    from dwell.report.evaluation.report import evaluate

    with TemporaryDirectory(prefix="dwell-") as folder:
        log = Path(folder, "tests.parquet")
        prior, law = Normal(-0.002, 0.01), Lift(0.05)
        generate(log, form="counts", tests=_PAST_TESTS, prior=prior, law=law, seed=seed)
        return evaluate(log, setup_cost=1000.0)
