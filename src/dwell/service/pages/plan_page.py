"""Plan as a page: a form that works without scripts, the answer, and the command's own report."""

from collections import OrderedDict
from collections.abc import Iterator
from http import HTTPStatus
from itertools import islice
from json import dumps, loads
from math import sqrt
from threading import Lock
from typing import Any, NamedTuple

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse
from markupsafe import Markup

from dwell.errors import DwellError, NothingWorthTesting
from dwell.laws import Lift
from dwell.learners.empirical_bayes import EmpiricalBayes
from dwell.programme.programme import Programme
from dwell.report.drawings import svg
from dwell.report.page import page as report_page
from dwell.report.plan.text import money
from dwell.service.access.callers import may
from dwell.service.access.headers import sandboxed
from dwell.service.earned import FEW_TESTS
from dwell.service.pages import words
from dwell.service.pages.big_leaf import ticks
from dwell.service.pages.plan_form import FIELDS, PlanForm
from dwell.service.pages.programmes import WithShown
from dwell.service.pages.site import page
from dwell.service.parts import OnShelf, WithWorkers
from dwell.service.problems import Refused
from dwell.service.shelf import Shelf
from dwell.service.workers import Workers

router = APIRouter(include_in_schema=False)
_MOST_KEPT, _MOST_PROGRAMMES = 64, 4
_kept: OrderedDict[str, str] = OrderedDict()
_lock = Lock()


class Answer(NamedTuple):
    """What a plan comes to.

    Attributes:
        say: What to do.
        earns: What that earns.
        wide: When to stop, drawn.
        narrow: The same for small screens.
        rows: What each way of testing leaves on the table.
    """

    say: str
    earns: str
    wide: Markup
    narrow: Markup
    rows: list[dict[str, Any]]


@router.get("/plan", dependencies=[may("read")])
def plan(request: Request, shelf: OnShelf, shown: WithShown, workers: WithWorkers) -> HTMLResponse:
    """How long to test, and what today's rule costs."""
    given = dict(request.query_params)
    source = given.pop("from", "")
    form = PlanForm.read(given)
    known = list(islice(_knowing(shelf), _MOST_PROGRAMMES))
    if source in shelf.names() and _knows(shelf.open(source)):
        programme = shelf.open(source)
        kept = shown.of(programme)
        kept.overview(programme, shelf.clock())
        with programme.state() as state:
            setup_cost = getattr(state.learner, "setup_cost", 0.0)
        if kept.ledger.plausible is not None:
            form = PlanForm.of_programme(kept.ledger.plausible, setup_cost)
    else:
        source = ""
    answer, nothing = None, ""
    if given and not form.wrong:
        try:
            answer = _answer(form, loads(_document(workers, form)))
        except NothingWorthTesting as found:
            nothing = str(found)
        except Refused:
            raise
        except DwellError as error:
            nothing = str(error)
    return page(
        request,
        "plan.html.jinja",
        HTTPStatus.UNPROCESSABLE_ENTITY if form.wrong else HTTPStatus.OK,
        place="plan",
        form=form,
        fields={field.name: field for field in FIELDS},
        answer=answer,
        nothing=nothing,
        programmes=known,
        source=source,
        query=request.url.query,
        money=money,
        percent=words.percent,
        meter=svg.meter,
    )


@router.get("/plan/report", dependencies=[may("read")])
def plan_report(request: Request, workers: WithWorkers) -> HTMLResponse:
    """The report that the command writes, on the terms of the form."""
    form = PlanForm.read(dict(request.query_params))
    if form.wrong:
        return sandboxed(report_page("Plan", list(form.wrong.values()), []))
    try:
        found = workers.compute("plan", form.asked(), page=True)
    except Refused:
        raise
    except DwellError as error:
        return sandboxed(report_page("Plan", [str(error)], []))
    return sandboxed(found.page or "")


def _knowing(shelf: Shelf) -> Iterator[str]:
    """Programmes whose numbers a form can begin with."""
    return (name for name in shelf.names() if _knows(shelf.open(name)))


def _knows(programme: Programme) -> bool:
    """Whether a programme has learned what ideas are worth, in the units of the form."""
    with programme.state() as state:
        fits = isinstance(state.learner, EmpiricalBayes) and isinstance(state.known.law, Lift)
        return fits and state.counts.finished >= FEW_TESTS


def _document(workers: Workers, form: PlanForm) -> str:
    """What the command would print; the same terms are worked out once."""
    asked = form.asked()
    key = dumps(asked)
    with _lock:
        if key in _kept:
            return _kept[key]
    document = workers.compute("plan", asked).document
    with _lock:
        _kept[key] = document
        if len(_kept) > _MOST_KEPT:
            _kept.popitem(last=False)
    return document


def _answer(form: PlanForm, found: dict[str, Any]) -> Answer:
    do = found["advice"][0].partition(": ")[2]
    limits = found["best"]
    rows = [row for row in found["rows"] if row["name"] != "fdr"]
    [simple] = (row for row in rows if row["name"] == "simple")
    earns = (
        f"It earns {money(simple['value_per_year'])} a year from {simple['tests_per_year']:,.0f} "
        f"tests of {simple['days_per_test']:.1f} days on average. It ships "
        f"{words.percent(simple['ship_rate'])} of ideas; {words.percent(simple['wrong_share'])} of "
        "those do harm, though a small one, or it would have shown. Its ROI is "
        f"{words.percent(1.0 - simple['left_on_the_table'])} of the highest there is."
    )
    wide, narrow = (_limits(form, limits, narrow=narrow) for narrow in (False, True))
    return Answer(do, earns, wide, narrow, rows)


def _limits(form: PlanForm, limits: list[dict[str, float]], *, narrow: bool) -> Markup:
    """When the best rule stops: its limits in standard errors, day by day."""
    width, height = (344.0, 250.0) if narrow else (880.0, 320.0)
    left, right, top, bottom = 34.0, width - 10.0, 14.0, height - 36.0
    longest = limits[-1]["day"]

    def errors(look: dict[str, float], side: str) -> float | None:
        mean = look[side]
        return None if mean is None else mean / form.noise * sqrt(look["samples"])

    upper = [(look["day"], errors(look, "ship")) for look in limits]
    lower = [(look["day"], errors(look, "drop")) for look in limits]
    lower[-1] = upper[-1]
    found = [y for _, y in (*upper, *lower) if y is not None]
    least, most = min(0.0, *found) - 0.2, max(0.0, *found) + 0.2

    def at(day: float, y: float | None, edge: float) -> tuple[float, float]:
        x = left + (right - left) * day / longest
        return x, edge if y is None else bottom - (bottom - top) * (y - least) / (most - least)

    ship = [at(day, y, top) for day, y in upper]
    drop = [at(day, y, bottom) for day, y in lower]
    parts = []
    for side, edge, kind in ((ship, top, "z-ship"), (drop, bottom, "z-drop")):
        zone = [(side[0][0], edge), *side, (side[-1][0], edge)]
        parts.append(svg.path(kind, svg.line(zone) + "Z"))
    parts.append(svg.path("lens", svg.line([*ship, *reversed(drop)]) + "Z"))
    for mark in ticks(least, most, 6):
        _, y = at(0.0, mark, 0.0)
        end = right if abs(mark) < 1e-9 else left
        parts.append(svg.straight("axis", left - 4.0, y, end, y))
        parts.append(
            svg.text(
                left - 8.0, y + 4.0, f"{mark:+g}".replace("-", words.MINUS) if mark else "0", "e"
            )
        )
    for mark in ticks(0.0, longest, 4 if narrow else 7):
        x, _ = at(mark, 0.0, 0.0)
        parts.append(svg.text(x, bottom + 18.0, f"{mark:g}", "e" if x > right - 8.0 else "m"))
    parts.append(svg.text(right, bottom + 33.0, "day of the test", "e"))
    parts += [svg.path("l-ship", svg.line(ship)), svg.path("l-drop", svg.line(drop))]
    for points, sums, kind, lift in ((ship, upper, "m-ship", -10.0), (drop, lower, "m-drop", 20.0)):
        for place in sorted({0, len(points) // 2} - {len(points) - 1}):
            (x, y), (_, value) = points[place], sums[place]
            if value is not None:
                parts.append(svg.dot(x, y, 4.0, kind))
                parts.append(svg.text(x + 7.0, y + lift, words.sign(value), "b halo"))
    parts.append(svg.text(right - 8.0, top + 18.0, "▲ Ship", "e ship"))
    parts.append(svg.text(right - 8.0, bottom - 10.0, "▼ Drop", "e drop"))
    return svg.drawing(width, height, parts, titled="limits-t")
