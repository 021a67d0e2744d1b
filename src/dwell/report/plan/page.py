"""A plan as JSON and as a page: when to stop, what each rule earns, how sure the prior is."""

from collections.abc import Sequence
from dataclasses import asdict

import numpy as np
import plotly.graph_objects as go

from dwell import checks
from dwell.lab.claims.finding import HeatMap
from dwell.planning import Fitted, Option, Plan, Terms
from dwell.planning.sensitivity import ByPrior, BySetup, by_prior, by_setup
from dwell.report.charts import BLUE, COLOURS, GREEN, GREY, ORANGE, drawn, empty_figure
from dwell.report.page import Section, page
from dwell.report.plan.rows import OptionRow, option_rows
from dwell.report.plan.text import COLUMNS, Limits, limits, limits_grid, lines, ranking_grid
from dwell.report.tables import number

# The two that are best run close together: one must not hide the other.
_WIDTHS = {"best": 6.0, "simple": 2.0}
_DASHES = ("solid", "dash", "dot")
_GREEN_AREA, _BLUE_AREA, _ORANGE_AREA = "#BFE6DA", "#DCE9F3", "#F6D5C0"


def about(plan: Plan, past: Fitted | None) -> dict[str, object]:
    """What the figures of a plan are about, for programs."""
    terms = plan.terms
    assert plan.best.policy is not None  # both are policies
    assert plan.simple.policy is not None
    told: dict[str, object] = {
        "prior": str(terms.world.prior),
        "law": str(terms.world.law),
        "setup_cost": terms.setup_cost,
        "price_per_sample": terms.price_per_sample,
        "value_of_lift": terms.value_of_lift,
        "traffic_per_day": terms.traffic_per_day,
        "min_days": terms.min_days,
        "max_days": terms.max_days,
        "looks": terms.looks,
        "advice": lines(plan),
        "best": [asdict(at) for at in limits(terms, plan.best.policy)],
        "simple": [asdict(at) for at in limits(terms, plan.simple.policy)],
        "notes": [*(past.notes if past else ()), *plan.notes],
    }
    if past is not None:
        found = past.found
        told["fitted"] = {
            "fit": past.fit,
            "tests": found.tests,
            "mean": found.mean,
            "mean_error": found.mean_error,
            "sd": found.sd,
            "sd_error": found.sd_error,
            "misfit_p_value": found.misfit_p_value,
        }
    return told


def plan_page(plan: Plan, past: Fitted | None) -> str:
    """The plan as an HTML page."""
    terms, rows = plan.terms, option_rows(plan)
    titles = {row.name: row.title for row in rows}
    sections = [
        _when_to_stop(plan),
        Section(
            "What each way of testing earns",
            figure=_bars(rows),
            caption="The share of the best ROI that each earns.",
        ),
        Section("The figures", (COLUMNS,), table=ranking_grid(rows), level=3),
        Section(
            "What it would be at another set-up cost",
            figure=_over_setup(by_setup(plan), titles, terms),
            caption="The best policy and the simple rule are sought anew at each set-up cost; the "
            "others stay as they are. The dotted line is the set-up cost of this plan.",
        ),
    ]
    if (moved := by_prior(terms)) is not None:
        sections.append(_over_prior(moved, plan.best))
    if past is not None:
        sections.append(_fit(past))
    if notes := (*(past.notes if past else ()), *plan.notes):
        sections.append(Section("Notes", tuple(f"{note[0].upper()}{note[1:]}." for note in notes)))
    return page("How long to test an idea", [*lines(plan), _conditions(terms)], sections)


def _conditions(terms: Terms) -> str:
    return (
        f"All this is for values {checks.shown(terms.world.prior)}, samples {terms.world.law}, a "
        f"set-up cost of {terms.setup_cost:,g} samples, {terms.traffic_per_day:,} samples a day, "
        f"tests of {terms.min_days} to {terms.max_days} days, {terms.price_per_sample:g} a sample "
        f"and {terms.value_of_lift:,g} a year for a lift of 1."
    )


def _when_to_stop(plan: Plan) -> Section:
    terms = plan.terms
    assert plan.best.policy is not None
    assert plan.simple.policy is not None
    best, simple = limits(terms, plan.best.policy), limits(terms, plan.simple.policy)
    unit = "days" if terms.by_day else "samples"
    return Section(
        "When to ship and when to drop",
        table=limits_grid(best),
        figure=_regions(best, simple, terms.by_day),
        caption=f"By the mean lift so far, after so many {unit}. The areas are those of the best "
        "policy there is; the black marks are the limits of the simple rule.",
    )


def _regions(best: Sequence[Limits], simple: Sequence[Limits], by_day: bool) -> go.Figure:
    """Where a policy ships, drops and goes on, a column per look."""
    figure = empty_figure("day" if by_day else "samples drawn", "mean lift so far")
    edges = [edge for at in (*best, *simple) for edge in (at.drop, at.ship) if edge is not None]
    reach = 1.25 * max(abs(edge) for edge in edges) or 1.0
    x = [_place(at, by_day) for at in best]
    step = min(np.diff(x), default=1.0)
    drop = [-reach if at.drop is None else at.drop for at in best]
    ship = [reach if at.ship is None else at.ship for at in best]
    # At the last look nothing goes on, and what is not shipped is dropped.
    areas = (
        ("ship", ship, [reach - edge for edge in ship], _GREEN_AREA, GREEN),
        ("go on", drop, [up - down for up, down in zip(ship, drop, strict=True)], _BLUE_AREA, BLUE),
        ("drop", [-reach] * len(x), [edge + reach for edge in drop], _ORANGE_AREA, ORANGE),
    )
    for name, base, height, fill, line in areas:
        figure.add_bar(
            x=x,
            y=height,
            base=base,
            width=float(step),
            name=name,
            marker={"color": fill, "line": {"color": line, "width": 1 if len(x) < 40 else 0}},
            hoverinfo="skip",
        )
    for name, edge in (("simple rule", "ship"), ("simple rule: drop", "drop")):
        figure.add_scatter(
            x=[_place(at, by_day) for at in simple],
            y=[getattr(at, edge) for at in simple],
            mode="lines+markers",
            name=name,
            showlegend=edge == "ship",
            line={"color": "#1c2026", "dash": "dot"},
        )
    figure.update_layout(barmode="overlay", bargap=0)
    figure.update_yaxes(range=[-reach, reach])
    last = max(x[-1], _place(simple[-1], by_day))
    figure.update_xaxes(range=[x[0] - 0.6 * step, last + 0.6 * step])
    if last <= 10:
        figure.update_xaxes(dtick=1)
    return figure


def _place(at: Limits, by_day: bool) -> float:
    return at.day if by_day else at.samples


def _bars(rows: Sequence[OptionRow]) -> go.Figure:
    """The share of the best ROI, a bar per way of testing."""
    figure = empty_figure("share of the best ROI", "")
    colour = {"best": BLUE, "simple": GREEN}
    ordered = list(reversed(rows))
    figure.add_bar(
        x=[1.0 - row.left_on_the_table for row in ordered],
        y=[_broken(row.title) for row in ordered],
        orientation="h",
        marker_color=[colour.get(row.name, GREY) for row in ordered],
        text=[f"{1.0 - row.left_on_the_table:.0%}" for row in ordered],
        textposition="outside",
        cliponaxis=False,
    )
    least = min(1.0 - row.left_on_the_table for row in rows)
    figure.update_xaxes(tickformat=".0%", range=[min(0.0, 1.15 * least), 1.12])
    figure.update_yaxes(automargin=True, tickfont={"size": 12})
    figure.update_layout(height=90 + 36 * len(rows), margin={"l": 10})
    return figure


def _broken(title: str) -> str:
    """A title in two lines, where it has two parts."""
    return title.replace(", ", ",<br>", 1).replace(" (", "<br>(", 1)


def _over_setup(found: BySetup, titles: dict[str, str], terms: Terms) -> go.Figure:
    figure = empty_figure("set-up cost, in samples", "ROI")
    for index, (name, roi) in enumerate(found.roi.items()):
        figure.add_scatter(
            x=list(found.setup_costs),
            y=[value if value > 0.0 else None for value in roi],
            mode="lines",
            name=titles[name],
            line={
                "color": COLOURS[index % len(COLOURS)],
                "dash": _DASHES[index // len(COLOURS) % len(_DASHES)],
                "width": _WIDTHS.get(name, 1.5),
            },
        )
    if terms.setup_cost > 0.0:
        figure.add_vline(x=terms.setup_cost, line={"color": GREY, "dash": "dot"})
    figure.update_xaxes(type="log", exponentformat="power", dtick=1, title_standoff=6)
    figure.update_yaxes(type="log", exponentformat="power", dtick=1)
    figure.update_layout(
        height=640,
        legend={"y": -0.16, "yanchor": "top", "font": {"size": 12}},
    )
    return figure


def _over_prior(found: ByPrior, best: Option) -> Section:
    chart = HeatMap(
        title="",
        x="mean of the values",
        y="spread of the values (sd)",
        columns=[f"{mean:.2g}" for mean in found.means],
        rows=[f"{spread:.2g}" for spread in found.spreads],
        values=[[cell.roi for cell in row] for row in found.best],
        texts=[
            [
                "nothing" if cell.roi <= 0.0 else f"{_times(cell.roi, best)} {cell.days:.1f}d"
                for cell in row
            ]
            for row in found.best
        ],
        caption="What the best policy earns if the prior is another one, as a multiple of its ROI "
        "in this plan; and how many days a test takes then. The cell in the middle is this plan.",
    )
    figure, caption = drawn(chart)
    return Section("What it would be with another prior", figure=figure, caption=caption)


def _times(roi: float, best: Option) -> str:
    return f"{roi / best.roi:.2g}x"


def _fit(past: Fitted) -> Section:
    """Effects as they were measured, and as the fitted priors would have them."""
    effects, found = past.past.effects, past.found
    low, high = np.quantile(effects, [0.005, 0.995])
    margin = 0.1 * (high - low) or 3.0 * float(past.past.standard_errors.mean())
    grid = np.linspace(low - margin, high + margin, 200)
    edges = np.linspace(grid[0], grid[-1], 1 + int(np.clip(np.sqrt(len(effects)), 8, 50)))
    counts, _ = np.histogram(effects, edges)
    figure = empty_figure("measured effect", "density")
    figure.add_bar(
        x=(edges[1:] + edges[:-1]) / 2.0,
        y=counts / (len(effects) * np.diff(edges)),
        width=np.diff(edges),
        name="measured",
        marker_color="#C9CDD3",
    )
    for fit, name, colour, dash in (
        ("normal", "normal prior, with noise", BLUE, "solid"),
        ("npmle", "prior of any shape, with noise", ORANGE, "dash"),
    ):
        figure.add_scatter(
            x=grid,
            y=past.density("normal" if fit == "normal" else "npmle", grid),
            mode="lines",
            name=name,
            line={"color": colour, "dash": dash},
        )
    outside = int(((effects < edges[0]) | (effects > edges[-1])).sum())
    caption = (
        f"The normal prior has the mean {number(found.mean)} ±{found.mean_error:.1g} and the sd "
        f"{number(found.sd)} ±{found.sd_error:.1g}. The plan uses the "
        f"{'normal' if past.fit == 'normal' else 'other'} one."
    )
    if outside:
        caption += f" {outside:,} effects lie outside the picture."
    return Section(f"How the prior fits {found.tests:,} past tests", figure=figure, caption=caption)
