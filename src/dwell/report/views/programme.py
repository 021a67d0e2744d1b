"""How programmes and their tests show themselves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING

from dwell.programme.path import Path
from dwell.programme.programme import Programme
from dwell.programme.task import Task
from dwell.report.charts import DROP, INK, SHIP, empty_figure
from dwell.report.drawings import leaf
from dwell.report.programme import headline, programme_row, task_row, task_rows, tasks_grid
from dwell.report.tables import Grid
from dwell.report.views.view import View, titled

if TYPE_CHECKING:
    import plotly.graph_objects as go
    from markupsafe import Markup


class ProgrammeView(View[Programme]):
    """A programme, and what to do with each test."""

    def lines(self) -> Sequence[str]:
        """What is to be done."""
        return [headline(self.result, task_rows(self.result))]

    def about(self) -> Mapping[str, object]:
        """What became of its tests."""
        return asdict(programme_row(self.result))

    def rows(self) -> Sequence[Mapping[str, object]]:
        """A row per test that is open."""
        return [asdict(row) for row in task_rows(self.result)]

    def grid(self) -> Grid:
        """The same for people."""
        return tasks_grid(task_rows(self.result))

    def drawing(self) -> Markup:
        """The first test that is open, between its limits."""
        from markupsafe import Markup

        tasks = self.result.tasks()
        return _between_limits(tasks[0]) if tasks else Markup()

    def figures(self) -> dict[str, go.Figure]:
        """A figure per test that is open."""
        made: dict[str, go.Figure] = {}
        for task in self.result.tasks():
            made |= titled(f"{task.name}: {task.advice}", _path(task.path()))
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
        """Where it stands, for people."""
        return tasks_grid([task_row(self.result)])

    def drawing(self) -> Markup:
        """Its path between its limits."""
        return _between_limits(self.result)

    def figures(self) -> dict[str, go.Figure]:
        """Its path between its limits."""
        task = self.result
        return titled(f"{task.name}: {task.advice}", _path(task.path()))


def _between_limits(task: Task) -> Markup:
    from markupsafe import Markup

    path = task.path()
    if not path.looks:
        return Markup()
    limits = leaf.Limits(
        tuple(float(look.samples) for look in path.looks),
        tuple(look.lower for look in path.looks),
        tuple(look.upper for look in path.looks),
    )
    points = tuple(
        (float(look.samples), look.position) for look in path.looks if look.position is not None
    )
    drawn = leaf.Drawn(limits, limits.cap, ((0.0, 0.0), *points))
    return leaf.mini(drawn, f"Path of {task.name}: {task.advice}")


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
