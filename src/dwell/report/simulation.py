"""Simulated runs of a learner: rows, a table and what they look like."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import isnan
from typing import TYPE_CHECKING

from dwell.families import Countable, Every
from dwell.lab.drift_scores import DriftScores, drift_scores
from dwell.lab.replicate import Summary
from dwell.lab.run import Run
from dwell.lab.theory import regret_bound, roi_gap
from dwell.laws import Signs
from dwell.learners.cape import Cape
from dwell.policies import Policies
from dwell.policy import Policy
from dwell.report.charts import (
    COLOURS,
    ERROR_BARS,
    FORMER,
    INK,
    boundaries,
    empty_figure,
    error_bars,
    short_count,
)
from dwell.report.page import Section, page
from dwell.report.tables import Grid, number, percent
from dwell.table import exact
from dwell.world import World

if TYPE_CHECKING:
    import plotly.graph_objects as go

_FEW = 8  # numbers of tasks that each have a tick


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
        candidates: How many policies were left at the end, on average; None for learners that
            compute their boundaries, as what follows.
        chosen_cap: The cap that was chosen most often; None if to reject everything was.
        chosen_share: In which share of the replications it was.
        note: What the learner had to say besides in most of these.
        dynamic_roi: The ROI of running each task by the best policy for its own pool; None in a
            world that does not change, as what follows.
        dynamic_share: The ROI as a share of it; None where nothing earns.
        same_money: What was earned, as a share of what the best policies of the pools earn for the
            same money in each.
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
    candidates: float | None
    chosen_cap: int | None
    chosen_share: float | None
    note: str
    dynamic_roi: float | None = None
    dynamic_share: float | None = None
    same_money: float | None = None


def simulated_row(
    name: str, runs: Sequence[Run], *, tasks: int | None = None, samples: int | None = None
) -> SimulatedRow:
    """The row of replications of one run, with the budget that they had."""
    summary = Summary.of(list(runs))
    learner = runs[0].learner
    chosen, times = Counter(run.chosen for run in runs).most_common(1)[0]
    chooses = not isinstance(learner.choices, Every)
    cap: int | None = None
    match learner.choices:
        case Countable() as family if chosen is not None:
            cap = family.cap(chosen + 1)
        case Policies() as policies if chosen is not None:
            cap = policies.caps[chosen]
    scores = _drift_scores(runs)
    bound = None
    world = runs[0].world
    if isinstance(learner, Cape) and isinstance(world, World) and samples is None:
        table = exact(learner.policies, world, learner.setup_cost)
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
        candidates=_mean(len(run.known.candidates) for run in runs) if chooses else None,
        chosen_cap=cap,
        chosen_share=times / len(runs) if chooses else None,
        note=Counter(run.known.note for run in runs if run.chosen == chosen).most_common(1)[0][0],
        dynamic_roi=None if scores is None else scores.dynamic_roi,
        dynamic_share=None if scores is None else scores.dynamic_share,
        same_money=None if scores is None else scores.same_money,
    )


def _drift_scores(runs: Sequence[Run]) -> DriftScores | None:
    """Scores of runs in a world that changes, against policies with the learner's largest cap."""
    if not runs[0].by_pool:
        return None
    match runs[0].learner.choices:
        case Every() as every:
            return drift_scores(runs, every.cap)
        case Policies() as policies:
            return drift_scores(runs, policies.caps[-1])
    return None  # of a class without end there is no largest cap


def simulated_grid(rows: Sequence[SimulatedRow]) -> Grid:
    """The table of `dwell simulate`; candidates and caps only of learners that have them.

    In a world that changes two scores take the place of regret and exploration.
    """
    budget = "samples" if rows[0].samples is not None else "tasks"
    drifts = rows[0].dynamic_roi is not None
    scores = ("dynamic", "same money") if drifts else ("regret", "learned from")
    header = (budget, "ROI", "± error", "of best", *scores)
    cells = [
        (
            f"{row.tasks if row.samples is None else row.samples:,.0f}",
            number(row.roi),
            "-" if row.roi_error is None else f"{row.roi_error:.1g}",
            percent(row.share),
            *(
                (percent(row.dynamic_share), percent(row.same_money))
                if drifts
                else (number(row.regret), f"{row.explored:,.0f}")
            ),
        )
        for row in rows
    ]
    if rows[0].candidates is None:
        return Grid(header, tuple(cells))
    chosen = [
        (f"{row.candidates:,.4g}", "none" if row.chosen_cap is None else f"{row.chosen_cap:,}")
        for row in rows
    ]
    whole = tuple((*cell, *choice) for cell, choice in zip(cells, chosen, strict=True))
    return Grid((*header, "left", "cap"), whole)


def regret_over_budget(rows: Sequence[SimulatedRow]) -> tuple[go.Figure, str]:
    """Regret on log-log axes, beside the theorem's bound if there is one; what to say under it."""
    budget = "tasks" if rows[0].samples is None else "samples"
    figure = empty_figure(budget, "regret (best ROI minus ROI)")
    shown = [row for row in rows if row.regret > 0.0]
    figure.add_scatter(
        x=[_budget(row) for row in shown],
        y=[row.regret for row in shown],
        error_y=error_bars([row.roi_error for row in shown]),
        mode="lines+markers",
        name="regret",
        line_color=COLOURS[0],
    )
    bounded = [row for row in rows if row.regret_bound is not None]
    if bounded:
        figure.add_scatter(
            x=[_budget(row) for row in bounded],
            y=[row.regret_bound for row in bounded],
            mode="lines+markers",
            name="the theorem's bound",
            line={"color": INK, "dash": "dash"},
        )
    if rows[0].best_roi > 0.0:
        figure.add_scatter(
            x=[_budget(row) for row in rows],
            y=[row.best_roi for row in rows],
            mode="lines",
            name="regret of earning nothing",
            line={"color": FORMER, "dash": "dot"},
        )
    budgets = sorted({_budget(row) for row in rows})
    if len(budgets) <= _FEW:
        named = [short_count(budget) for budget in budgets]
        figure.update_xaxes(type="log", tickvals=budgets, ticktext=named)
    else:
        figure.update_xaxes(type="log", exponentformat="power", dtick=1)
    figure.update_yaxes(type="log", exponentformat="power", dtick=1)
    caption = ERROR_BARS
    left_out = [f"{_budget(row):,.0f}" for row in rows if row.regret <= 0.0]
    if left_out:
        caption += (
            f" A log axis has no place for a regret of 0 or less: left out at "
            f"{', '.join(left_out)} {budget}."
        )
    return figure, caption


def candidates_over_time(runs: Mapping[int, Run], budget: str) -> tuple[go.Figure, str]:
    """How candidates became fewer in one run per budget, and what to say under the figure."""
    figure = empty_figure("tasks learned from", "candidates")
    empty = []
    for index, (amount, run) in enumerate(runs.items()):
        if not run.known.eliminated_at:
            empty.append(f"{amount:,}")
            continue
        steps = [*run.history, (max(1, run.explored), run.history[-1].candidates)]
        figure.add_scatter(
            x=[max(1, task) for task, _ in steps],
            y=[candidates for _, candidates in steps],
            mode="lines+markers",
            line={"shape": "hv", "color": COLOURS[index % len(COLOURS)]},
            name=f"{amount:,} {budget}",
        )
    figure.update_xaxes(type="log", exponentformat="power", dtick=1)
    most = max((run.history[0].candidates for run in runs.values()), default=0)
    figure.update_yaxes(rangemode="tozero", dtick=max(1, most // 8))
    caption = (
        "The first replication for each budget; a line ends with the last task that was learned "
        "from. Policies that stay candidates to the end may still be the best."
    )
    if empty:
        caption += f" No candidates were found with {', '.join(empty)} {budget}."
    return figure, caption


def _candidates(firsts: Mapping[int, Run], budget: str) -> Section:
    figure, caption = candidates_over_time(firsts, budget)
    return Section("Candidates over time", figure=figure, caption=caption)


def _in_force(firsts: Mapping[int, Run], budget: str) -> Section:
    """The boundaries that a learner has computed in the end."""
    most = max(firsts)
    learner = firsts[most].learner
    design = learner.propose(1)
    assert design is not None  # such learners learn to the end
    [policy] = design.policies
    assert isinstance(policy, Policy)  # what is computed is two boundaries
    return Section(
        "When it stops in the end",
        figure=boundaries(policy, signs=isinstance(getattr(learner, "law", None), Signs)),
        caption=f"The boundaries in force at the end of the first replication with {most:,} "
        f"{budget}. Between the lines the learner goes on sampling.",
    )


def _budget(row: SimulatedRow) -> float:
    return row.tasks if row.samples is None else row.samples


def _mean(values: Iterable[float]) -> float:
    numbers = list(values)
    return sum(numbers) / len(numbers)


def simulated_page(
    about: Mapping[str, object], rows: Sequence[SimulatedRow], firsts: Mapping[int, Run]
) -> str:
    """Simulated runs as a page.

    Args:
        about: The world, the set-up cost, the number of replications and the seed.
        rows: The figures.
        firsts: The first run of each budget.
    """
    budget = "tasks" if rows[0].samples is None else "samples"
    regret, regret_caption = regret_over_budget(rows)
    sections = (
        Section(f"Regret over the number of {budget}", figure=regret, caption=regret_caption),
        _in_force(firsts, budget) if rows[0].candidates is None else _candidates(firsts, budget),
        Section("The figures", table=simulated_grid(rows)),
    )
    where = f"{about['world']}, set-up cost {about['setup_cost']:g}."
    how = f"{about['replications']:,} replications per row, seed {about['seed']}."
    title = f"What the learner {rows[0].learner} earns."
    return page(title, [where, how], sections, name="Simulate")
