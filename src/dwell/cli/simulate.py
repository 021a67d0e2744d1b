"""`dwell simulate`: what a learner earns while it learns."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from dwell.cli.command import Command, flag
from dwell.cli.learners import Asked, listing, refuse_without_meaning
from dwell.cli.options import (
    cap,
    forget_option,
    number_of_runs,
    one_of,
    option,
    output_options,
    positive,
    probability,
    seed_option,
    stacked,
    whole,
    whole_numbers,
    workers_option,
)
from dwell.cli.output import Outputs, note, progress
from dwell.cli.problem import Problem, changed, drift_option, problem_options
from dwell.cli.running import Job, executor_of, run_all
from dwell.cli.waiting import announce
from dwell.errors import InvalidInput
from dwell.learners.registry import LEARNERS

if TYPE_CHECKING:
    from dwell.lab.changing import ChangingWorld
    from dwell.lab.hostile import AnyWorld

_TASKS = (10**3, 10**4, 10**5, 10**6)
_FEWER_TASKS = (30, 100, 10**3, 10**4)  # for learners that compute boundaries: it takes them longer
_DRIFT_TASKS = (300, 10**3, 3 * 10**3)  # all are drawn


_LEARNER = (
    option(
        "--learner",
        one_of(*LEARNERS),
        default="empirical-bayes",
        metavar="NAME",
        help="Which learner, as above.",
    ),
    option(
        "--exploration-cap",
        whole,
        help="How many tasks cape, cape-sharp, esc-cape and etc explore at most.  "
        "[default: tasks^(2/3)]",
    ),
    option("--step", cap, default="1", help="Policy k of esc and esc-cape has the cap step * k."),
    option(
        "--bound",
        positive,
        help="Observations lie within -bound and bound; for cape, esc and esc-cape it is enough "
        "that they are sub-Gaussian with this scale.  [default: 1; under Gaussian there is none]",
    ),
    option(
        "--looks",
        whole,
        help="empirical-bayes looks at a test after so many samples each.  [default: after each "
        "or, if they are many and normal, when it pays]",
    ),
    option(
        "--caution",
        probability,
        help="The share of plausible pools of ideas, the worst ones, that empirical-bayes chooses "
        "boundaries for.  [default: 0.25]",
    ),
    flag(
        "--guard/--no-guard",
        help="Whether empirical-bayes verifies what it accepts, so that it cannot lose much more "
        "than the budget.  [default: if set-up costs at least a 25th of the cap, or with --budget]",
        default=None,
    ),
    forget_option,
    option(
        "--budget",
        positive,
        help="How much value acceptances may lose before the guard stops them.  [default: 40 times "
        "the most that one can lose, and once more per test that is open at once]",
    ),
)
_RUNS = (
    option(
        "--tasks",
        whole_numbers,
        metavar="LIST",
        help="How many ideas there will be; a row each.  [default: 1e3,1e4,1e5,1e6; "
        "30,100,1e3,1e4 for empirical-bayes; 300,1e3,3e3 with --drift]",
    ),
    option(
        "--samples",
        whole_numbers,
        metavar="LIST",
        help="A budget of samples instead. A learner that needs a number of tasks is told samples "
        "/ largest cap (esc and esc-cape, samples / step).",
    ),
    option(
        "--overlap",
        whole,
        default="1",
        help="How many tasks are open at a time, each drawing a sample per unit of time; the "
        "learner takes their records in the order in which they were begun.",
    ),
    option("--replications", number_of_runs, default="20", help="How many runs per row."),
    flag("--sampled", help="Draw the tasks after exploration too, not expectations."),
    seed_option,
    workers_option("1"),
)


def _with_options(command: Any) -> Any:
    command = problem_options("--band-tasks")(output_options()(command))
    command = stacked(command, (drift_option,), "The world")
    return stacked(stacked(command, _RUNS, "The runs"), _LEARNER, "The learner")


@listing(*LEARNERS)
@click.command(cls=Command)
@_with_options
def simulate(
    problem: Problem,
    drift: ChangingWorld | None,
    learner: str,
    tasks: tuple[int, ...] | None,
    samples: tuple[int, ...] | None,
    replications: int,
    seed: int,
    sampled: bool,
    overlap: int,
    workers: int,
    outputs: Outputs,
    **settings: Any,
) -> None:
    """Run a learner in a known world and see what it earns of the best ROI.

    The best is the best of all policies for empirical-bayes, which computes its boundaries from
    the law and the largest of the caps; the others choose among given policies, and are compared
    with the best of these.

    Tasks that a learner learns from are drawn sample by sample; what follows enters by its exact
    expectation. So 1e12 tasks take cape no longer than their exploration; empirical-bayes learns
    to the end, and so does ladder, unless one policy is left. The table shows the Monte Carlo
    error of the ROI and from how many tasks was learned; of learners that choose among policies,
    also how many candidates were left, and the cap chosen most often: none where everything is
    rejected.

    With --drift the pool of ideas changes while the learner runs. All tasks are drawn, and the best
    is the best that never changes. In the place of the last columns two show the ROI as a share of
    what a dynamic oracle earns, who runs each task by the best policy for its own pool, and what
    was earned as a share of what such policies earn for the same money in each pool.

    \b
    Learners:
    {learners}

    \b
    Examples:
      dwell simulate
      dwell simulate --setup-cost 0 --no-guard --tasks 100,1e3
      dwell simulate --learner ladder
      dwell simulate --learner cape --tasks 1e4,1e6,1e8 --plot regret.html
      dwell simulate --learner esc-cape --step 16 --tasks 1e8 --replications 2
      dwell simulate --overlap 20 --tasks 1e3
      dwell simulate --drift good-to-bad --tasks 300,1e3
      dwell simulate --learner etc --samples 1e7 --json
    """  # noqa: D301 - click knows text to keep as it is by a real backspace
    from dwell.lab.run import best_roi
    from dwell.learners.cape import Cape
    from dwell.report.simulation import simulated_grid, simulated_page, simulated_row

    if tasks and samples:
        raise InvalidInput("give either --tasks or --samples, not both")
    if samples and overlap > 1:
        raise InvalidInput(f"with --overlap {overlap}, give --tasks instead of --samples")
    refuse_without_meaning(learner)
    world: AnyWorld = drift or problem.world
    if drift is not None:
        if samples:
            raise InvalidInput("with --drift, give --tasks instead of --samples")
        problem = changed(problem, drift)
    asked = Asked(name=learner, problem=problem, **settings)
    usual = _FEWER_TASKS if LEARNERS[learner].computes else _TASKS
    budgets = samples or tasks or (usual if drift is None else _DRIFT_TASKS)
    told = [max(1, b // asked.largest_cap) for b in budgets] if samples else budgets
    learners = [asked.learner(count) for count in told]
    # What there is to compare with comes first: nobody waits for runs if it cannot be computed.
    best = best_roi(learners[0].choices, world, problem.setup_cost)
    # CAPE knows beforehand that its guarantee will say nothing; other notes are results.
    said = {
        made.knowledge().note: count
        for made, count in zip(learners, told, strict=True)
        if isinstance(made, Cape) and made.guarantee.vacuous
    }
    for sentence, count in list(said.items())[-1:]:
        note(f"with {count:,} tasks, {sentence}")

    jobs = [
        Job(
            learner=made,
            world=world,
            tasks=None if samples else budget,
            samples=budget if samples else None,
            overlap=overlap,
            replications=replications,
        )
        for budget, made in zip(budgets, learners, strict=True)
    ]
    sampled = sampled or drift is not None
    announce(jobs, sampled=sampled, workers=workers)
    total = replications * len(jobs)
    with (
        executor_of(workers) as executor,
        progress(f"simulating {total:,} run{'s' * (total > 1)}", total) as advance,
    ):
        finished = list(
            run_all(jobs, seed=seed, sampled=sampled, executor=executor, advance=advance)
        )
    rows = [
        simulated_row(learner, done, tasks=job.tasks, samples=job.samples)
        for job, done in zip(jobs, finished, strict=True)
    ]
    about = {
        "world": str(world),
        "setup_cost": problem.setup_cost,
        "best_roi": best,
        "replications": replications,
        "seed": seed,
    }
    firsts = {budget: done[0] for budget, done in zip(budgets, finished, strict=True)}
    outputs.write(about, rows, lambda: simulated_page(about, rows, firsts))
    outputs.show(about, rows, simulated_grid(rows))
    for budget, row in zip(budgets, rows, strict=True):
        if row.note and row.note not in said:
            note(f"with {budget:,} {'samples' if samples else 'tasks'}, {row.note}")
