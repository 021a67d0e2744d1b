"""How programmes and their tests show themselves."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, replace
from math import sqrt
from typing import TYPE_CHECKING

from dwell.programme.path import Path
from dwell.programme.programme import Programme
from dwell.programme.task import Task
from dwell.report.charts import DROP, INK, SHIP, empty_figure
from dwell.report.drawings import leaf
from dwell.report.programme import (
    headline,
    latest_change,
    programme_row,
    task_row,
    task_rows,
    tasks_grid,
)
from dwell.report.tables import Grid
from dwell.report.views.view import View, titled

if TYPE_CHECKING:
    import plotly.graph_objects as go
    from markupsafe import Markup

_MOST_TESTS = 6  # that are drawn
_CAPTION = "Running totals between their limits, by samples: ship above, drop below."
_VERDICTS: dict[str, leaf.Verdict] = {"accept": "ship", "reject": "drop"}


class ProgrammeView(View[Programme]):
    """A programme, and what to do with each test."""

    def lines(self) -> Sequence[str]:
        """What is to be done, and whether the pool of ideas has changed."""
        changed = latest_change(self.result)
        told = [] if changed is None else [changed.sentence]
        return [headline(self.result, task_rows(self.result)), *told]

    def about(self) -> Mapping[str, object]:
        """What became of its tests."""
        return asdict(programme_row(self.result))

    def rows(self) -> Sequence[Mapping[str, object]]:
        """A row per test that is open."""
        return [asdict(row) for row in task_rows(self.result)]

    def grid(self) -> Grid:
        """The same for people."""
        return replace(tasks_grid(task_rows(self.result)), header=("test", "status", "advice"))

    def caption(self) -> str:
        """What the drawings are."""
        return _CAPTION

    def drawing(self) -> Markup:
        """The first tests that are open, each between its limits."""
        from markupsafe import Markup

        shown = [
            Markup("<div>{}{}</div>").format(task.name, _between_limits(task, leaf.mini))
            for task in self.result.tasks()[:_MOST_TESTS]
        ]
        return Markup('<div class="tests">{}</div>').format(Markup("").join(shown)) * bool(shown)

    def figures(self) -> dict[str, go.Figure]:
        """A figure per test that is open."""
        made: dict[str, go.Figure] = {}
        for task in self.result.tasks():
            made |= _titled_path(task)
        return made or titled("No test is running", empty_figure("samples", ""))


class TaskView(View[Task]):
    """A test."""

    def lines(self) -> Sequence[str]:
        """What to do, and why."""
        return [f"{self.result.name}: {self.result.advice}."]

    def about(self) -> Mapping[str, object]:
        """Where it stands."""
        return asdict(task_row(self.result))

    def rows(self) -> Sequence[Mapping[str, object]]:
        """A row per look."""
        return [asdict(look) for look in self.result.path().looks]

    def grid(self) -> Grid:
        """Its looks so far, the last first, and the next one."""
        path = self.result.path()
        ahead = [look for look in path.looks if look.position is None][:1]
        seen = [look for look in path.looks if look.position is not None]
        cells = tuple(
            (
                f"{look.samples:,}",
                *(_edge(each) for each in (look.position, look.lower, look.upper)),
                "" if look.position is not None else "next look",
            )
            for look in [*ahead, *reversed(seen)]
        )
        return Grid(("samples", f"{path.unit} so far", "drop at", "ship at", ""), cells)

    def caption(self) -> str:
        """What the lines are."""
        return _CAPTION

    def drawing(self) -> Markup:
        """Its path between its limits."""
        return _between_limits(self.result)

    def figures(self) -> dict[str, go.Figure]:
        """Its path between its limits."""
        return _titled_path(self.result)


def _edge(value: float | None) -> str:
    return "" if value is None else f"{value:+.2f}"


def _between_limits(
    task: Task, draw: Callable[[leaf.Drawn, str], Markup] = leaf.standing
) -> Markup:
    from markupsafe import Markup

    path = task.path()
    if not path.looks:
        return Markup()
    # Small pictures have the running total: there limits stay apart, and a path can be read.
    by_errors = path.unit == "standard errors"

    def total(value: float | None, samples: int) -> float | None:
        return value if value is None or not by_errors else value * sqrt(samples)

    limits = leaf.Limits(
        tuple(float(look.samples) for look in path.looks),
        tuple(total(look.lower, look.samples) for look in path.looks),
        tuple(total(look.upper, look.samples) for look in path.looks),
    )
    seen = [(float(k.samples), total(k.position, k.samples)) for k in path.looks]
    points = ((0.0, 0.0), *((x, y) for x, y in seen if y is not None))
    shown = leaf.closing(limits)
    cap = max(shown.cap, points[-1][0])
    decision = task.advice.decision
    verdict = None if decision is None else _VERDICTS[decision]
    drawn = leaf.Drawn(shown, cap, points, path.decided_after, verdict)
    return draw(drawn, f"Path of {task.name}: {task.advice}")


def _titled_path(task: Task) -> dict[str, go.Figure]:
    head, _, rest = str(task.advice).partition(": ")
    finding = f"{task.name}: {head[0].lower()}{head[1:]}"
    return titled(task.name, _path(task.path()), rest, finding=finding)


def _path(path: Path) -> go.Figure:
    figure = empty_figure("samples", path.unit)
    sides = (("ship at", "upper", SHIP, "solid"), ("drop at", "lower", DROP, "dash"))
    for name, side, colour, dash in sides:
        figure.add_scatter(
            x=[look.samples for look in path.looks],
            y=[getattr(look, side) for look in path.looks],
            mode="lines",
            name=name,
            line={"color": colour, "dash": dash},
            connectgaps=True,
        )
    seen = [look for look in path.looks if look.position is not None]
    figure.add_scatter(
        x=[0, *(look.samples for look in seen)],
        y=[0.0, *(look.position for look in seen)],
        mode="lines+markers",
        name="so far",
        line={"color": INK},
    )
    return figure
