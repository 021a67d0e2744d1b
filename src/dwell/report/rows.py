"""Rows: the figures of a table, as plain values that CSV and JSON know."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import isnan

from dwell.families import Countable
from dwell.lab.replicate import Summary
from dwell.lab.run import Run
from dwell.lab.suite import Instance
from dwell.lab.theory import regret_bound, roi_gap
from dwell.learners.cape import Cape
from dwell.planning import Option, Plan
from dwell.table import Table, exact


@dataclass(frozen=True, slots=True)
class ExactRow:
    """What one policy earns and costs per task."""

    cap: int
    roi: float
    reward: float
    cost: float
    accept_rate: float
    best: bool


def exact_rows(table: Table) -> list[ExactRow]:
    """A row per policy."""
    return [
        ExactRow(
            cap=cap,
            roi=float(table.roi[index]),
            reward=float(table.reward[index]),
            cost=float(table.cost[index]),
            accept_rate=float(table.accept_rate[index]),
            best=index == table.best,
        )
        for index, cap in enumerate(table.policies.caps)
    ]


@dataclass(frozen=True, slots=True, kw_only=True)
class SimulatedRow:
    """What replications of one run say together.

    Attributes:
        learner: What was run.
        tasks: How many tasks there were; those begun, on average, under a budget of samples.
        samples: The budget of samples, if it was one.
        roi: Reward per cost.
        roi_error: Its Monte Carlo standard error; None for a single replication.
        best_roi: The ROI of the best policy there is to choose.
        share: The ROI as a share of that; None where the best earns nothing.
        regret: By how much the ROI falls short of the best.
        regret_bound: What the paper bounds the regret by, for CAPE; None for others.
        explored: From how many tasks was learned, on average; of Ladder, all until it settles.
        candidates: How many policies were left at the end, on average.
        chosen_cap: The cap that was chosen most often; None if to reject everything was.
        chosen_share: In which share of the replications it was.
        note: What the learner had to say besides in most of these.
    """

    learner: str
    tasks: float
    samples: int | None
    roi: float
    roi_error: float | None
    best_roi: float
    share: float | None
    regret: float
    regret_bound: float | None
    explored: float
    candidates: float
    chosen_cap: int | None
    chosen_share: float
    note: str


def simulated_row(
    name: str, runs: Sequence[Run], *, tasks: int | None = None, samples: int | None = None
) -> SimulatedRow:
    """The row of replications of one run, with the budget that they had."""
    summary = Summary.of(list(runs))
    learner = runs[0].learner
    chosen, times = Counter(run.chosen for run in runs).most_common(1)[0]
    cap = None
    if chosen is not None:
        choices = learner.choices
        cap = choices.cap(chosen + 1) if isinstance(choices, Countable) else choices.caps[chosen]
    bound = None
    if isinstance(learner, Cape) and samples is None:
        table = exact(learner.policies, runs[0].world, learner.setup_cost)
        bound = regret_bound(learner, roi_gap(table))
    return SimulatedRow(
        learner=name,
        tasks=_mean(run.tasks for run in runs) if tasks is None else tasks,
        samples=samples,
        roi=summary.roi,
        roi_error=None if isnan(summary.roi_error) else summary.roi_error,
        best_roi=summary.best_roi,
        share=summary.share if summary.best_roi > 0.0 else None,
        regret=summary.regret,
        regret_bound=bound,
        explored=summary.explored,
        candidates=_mean(len(run.known.candidates) for run in runs),
        chosen_cap=cap,
        chosen_share=times / len(runs),
        note=Counter(run.known.note for run in runs if run.chosen == chosen).most_common(1)[0][0],
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreRow:
    """How well a learner does on an instance of the suite.

    Attributes:
        instance: The instance's name.
        setup_cost: What each of its tests costs besides the samples.
        learner: What was run.
        tasks: For how many tasks.
        roi: Reward per cost.
        roi_error: Its Monte Carlo standard error; None for a single replication, as all errors.
        best_roi: The ROI of the best policy of the class.
        worst_roi: The ROI of the worst.
        score: The ROI as a share of the best; None where the best earns nothing.
        score_error: Its Monte Carlo standard error.
        lost: What was lost, as a share of what the worst policy loses; None where none does.
        lost_error: Its Monte Carlo standard error.
        explored: How many tasks were explored, on average.
    """

    instance: str
    setup_cost: float
    learner: str
    tasks: int
    roi: float
    roi_error: float | None
    best_roi: float
    worst_roi: float
    score: float | None
    score_error: float | None
    lost: float | None
    lost_error: float | None
    explored: float


def score_row(instance: Instance, learner: str, tasks: int, runs: Sequence[Run]) -> ScoreRow:
    """The row of a learner's replications on an instance."""
    summary = Summary.of(list(runs))
    class_roi = exact(instance.policies, instance.world, instance.setup_cost).roi
    best, worst = float(class_roi.max()), float(class_roi.min())
    error = None if isnan(summary.roi_error) else summary.roi_error
    return ScoreRow(
        instance=instance.name,
        setup_cost=instance.setup_cost,
        learner=learner,
        tasks=tasks,
        roi=summary.roi,
        roi_error=error,
        best_roi=best,
        worst_roi=worst,
        score=summary.roi / best if best > 0.0 else None,
        score_error=error / best if best > 0.0 and error is not None else None,
        lost=max(0.0, -summary.roi) / -worst if worst < 0.0 else None,
        lost_error=error / -worst if worst < 0.0 and error is not None else None,
        explored=summary.explored,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class OptionRow:
    """What a way of testing earns.

    Attributes:
        name: What it is called.
        title: What people call it.
        roi: Reward per cost, in units of value per sample.
        roi_error: Its Monte Carlo standard error; None where the figures are exact.
        left_on_the_table: The share of the best ROI that it does not earn.
        value_per_year: What it earns in a year, in money.
        tests_per_year: For how many tests a year's samples last.
        samples_per_test: How many samples a test takes, on average.
        days_per_test: How many days that is.
        ship_rate: The share of ideas that is shipped.
        wrong_share: The share of what is shipped that is worth less than 0.
        note: What to know about it besides.
    """

    name: str
    title: str
    roi: float
    roi_error: float | None
    left_on_the_table: float
    value_per_year: float
    tests_per_year: float
    samples_per_test: float
    days_per_test: float
    ship_rate: float
    wrong_share: float
    note: str


def option_rows(plan: Plan) -> list[OptionRow]:
    """A row per way of testing, the best first."""
    return [_option_row(plan, option) for option in plan.ranking]


def _option_row(plan: Plan, option: Option) -> OptionRow:
    terms = plan.terms
    return OptionRow(
        name=option.name,
        title=option.title,
        roi=option.roi,
        roi_error=option.roi_error,
        left_on_the_table=plan.left(option),
        value_per_year=terms.value_per_year(option.roi),
        tests_per_year=terms.samples_per_year / (terms.setup_cost + option.samples),
        samples_per_test=option.samples,
        days_per_test=option.samples / terms.traffic_per_day,
        ship_rate=option.accept_rate,
        wrong_share=option.wrong_share,
        note=option.note,
    )


def _mean(values: Iterable[float]) -> float:
    numbers = list(values)
    return sum(numbers) / len(numbers)
