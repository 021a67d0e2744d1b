"""How what a learner knows shows itself."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING

from dwell.fitting.figure import Figure
from dwell.learners.learner import Knowledge
from dwell.learners.pool_knowledge import PoolKnowledge
from dwell.report.charts import INK, empty_figure
from dwell.report.drawings.forest import Estimate, forest
from dwell.report.tables import Grid, number
from dwell.report.views.texts import between
from dwell.report.views.view import View, titled

if TYPE_CHECKING:
    import plotly.graph_objects as go
    from markupsafe import Markup

_FIGURES = {
    "helpful": "share of ideas that help",
    "helpful_mean": "mean value of those",
    "mean": "mean value of all ideas",
    "gain": "most that an idea adds",
    "roi": "ROI of the rule in force",
}


class PoolView(View[PoolKnowledge]):
    """What is known of the pool of ideas."""

    def lines(self) -> Sequence[str]:
        """The same in sentences."""
        return self.result.sentences

    def about(self) -> Mapping[str, object]:
        """What has no interval."""
        known = self.result
        return {name: getattr(known, name) for name in known.__slots__ if name not in _FIGURES}

    def rows(self) -> Sequence[Mapping[str, object]]:
        """A row per figure, with its interval."""
        return [{"figure": name, **asdict(self._figure(name))} for name in _FIGURES]

    def grid(self) -> Grid:
        """The same for people."""
        figures = {title: self._figure(name) for name, title in _FIGURES.items()}
        cells = tuple(
            (title, between(each.estimate, each.low, each.high)) for title, each in figures.items()
        )
        return Grid(("", "estimate, with its interval"), cells, left=1)

    def caption(self) -> str:
        """What the bar is."""
        return "The share of ideas that help, in percent, with its 95 % interval."

    def drawing(self) -> Markup:
        """The share of ideas that help, in percent."""
        found = self.result.helpful
        low, middle, high = (100.0 * each for each in (found.low, found.estimate, found.high))
        name, said = _FIGURES["helpful"], f"{middle:.0f} %"
        return forest([Estimate(name, middle, low, high, said, True)], f"{said} of ideas help")

    def figures(self) -> dict[str, go.Figure]:
        """Values with their intervals."""
        drawn = "values of ideas, with 95 % intervals"
        return titled("What is known of the pool of ideas", self._intervals(), drawn)

    def _intervals(self) -> go.Figure:
        figure = empty_figure("value", "")
        for name in ("gain", "mean", "helpful_mean"):
            found = self._figure(name)
            figure.add_scatter(
                x=[found.low, found.estimate, found.high],
                y=[_FIGURES[name]] * 3,
                mode="lines+markers",
                name=_FIGURES[name],
                line={"color": INK, "width": 3},
                marker={"color": INK, "size": [0, 12, 0]},
                showlegend=False,
            )
        figure.update_layout(height=300)
        figure.update_yaxes(automargin=True)
        return figure

    def _figure(self, name: str) -> Figure:
        found: Figure = getattr(self.result, name)
        return found


class KnowledgeView(View[Knowledge]):
    """What a learner knows of its policies."""

    def lines(self) -> Sequence[str]:
        """What is chosen, what is left, from how much."""
        known = self.result
        count = len(known.eliminated_at)
        told = f"{len(known.candidates):,} of {count:,} policies may still be the best"
        if not count:
            told = "Limits are computed from the pool of ideas (pool_knowledge has more)"
        if known.chosen is not None:
            told = f"Policy {known.chosen} is run; {told}"
        return [
            f"{told}, after {known.explored:,} tests with {known.samples:,} samples.",
            *filter(None, [known.note]),
        ]

    def about(self) -> Mapping[str, object]:
        """What it was learned from."""
        names = ("chosen", "explored", "samples", "note")
        return {name: getattr(self.result, name) for name in names}

    def rows(self) -> Sequence[Mapping[str, object]]:
        """A row per policy."""
        known = self.result
        columns = {"roi": known.roi, "roi_low": known.roi_low, "roi_high": known.roi_high}
        return [
            {
                "policy": k,
                "candidate": k in known.candidates,
                "eliminated_at": at or None,
                **{n: None if each is None else float(each[k]) for n, each in columns.items()},
            }
            for k, at in enumerate(known.eliminated_at)
        ]

    def grid(self) -> Grid:
        """The same for people."""
        cells = []
        for row in self.rows():
            ends = [row[name] for name in ("roi", "roi_low", "roi_high")]
            earned = "-" if None in ends else between(*(float(str(each)) for each in ends))
            left = (
                "may be the best"
                if row["candidate"]
                else f"eliminated after test {row['eliminated_at']}"
            )
            cells.append((str(row["policy"]), earned, left))
        return Grid(("policy", "ROI, with its interval", ""), tuple(cells))

    def caption(self) -> str:
        """What bars are."""
        return "ROI of each policy, with the interval that it lies in."

    def drawing(self) -> Markup:
        """The policies' intervals, if there are any."""
        from markupsafe import Markup

        known = self.result
        if known.roi is None or known.roi_low is None or known.roi_high is None:
            return Markup()
        columns = (known.roi.tolist(), known.roi_low.tolist(), known.roi_high.tolist())
        estimates = [
            Estimate(f"policy {k}", roi, low, high, number(roi), k == known.chosen)
            for k, (roi, low, high) in enumerate(zip(*columns, strict=True))
        ]
        return forest(estimates, self.caption())

    def figures(self) -> dict[str, go.Figure]:
        """How many policies are left after each test."""
        return titled("Policies that may still be the best", self._left(), "by tests learned from")

    def _left(self) -> go.Figure:
        gone = sorted(at for at in self.result.eliminated_at if at)
        count = len(self.result.eliminated_at)
        figure = empty_figure("tests learned from", "policies that may be the best")
        figure.add_scatter(
            x=[0, *gone, max(self.result.explored, 1)],
            y=[count, *range(count - 1, count - 1 - len(gone), -1), count - len(gone)],
            line={"shape": "hv", "color": INK},
            mode="lines",
        )
        figure.update_yaxes(rangemode="tozero", dtick=max(1, count // 8))
        return figure
