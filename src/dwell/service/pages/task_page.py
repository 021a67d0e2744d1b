"""The page of a test: its path against the limits, the advice with its reason, what if we stop."""

from dataclasses import dataclass
from json import dumps

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse
from markupsafe import Markup

from dwell.programme.programme import Programme
from dwell.programme.running import Running
from dwell.programme.state import State
from dwell.report.drawings import leaf
from dwell.service.access.callers import may
from dwell.service.api.chosen import ChosenProgramme, TaskName
from dwell.service.followed import Followed
from dwell.service.pages import looks, stopping, words
from dwell.service.pages.cards import Worth, why, worth_of
from dwell.service.pages.happenings import Happening, told
from dwell.service.pages.overview import Shown
from dwell.service.pages.programmes import TEST, WithShown, law_of
from dwell.service.pages.rows import drawn, facts_of, lift_of
from dwell.service.pages.rules import rule_said
from dwell.service.pages.site import page
from dwell.service.pages.words import Unit
from dwell.service.parts import OnShelf

router = APIRouter(include_in_schema=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskView:
    """What the page of a test shows."""

    programme: str
    name: str
    number: int
    position: int
    now: float
    last: float
    kind: str
    verdict: str
    reason: str
    about: str
    charts: tuple[tuple[str, str, Markup, Markup], ...]
    read_out: str
    table: tuple[looks.LookRow, ...]
    choices: tuple[stopping.Choice, ...]
    ahead_by: str
    worth: Worth | None
    worth_picture: Markup | None
    worth_text: str
    facts: tuple[tuple[str, str, str], ...]
    rule: str
    why: tuple[str, ...]
    history: tuple[Happening, ...]
    record: str
    other: str
    recorded: str
    doubtful: bool


@router.get(TEST, dependencies=[may("read")])
def one_test(
    request: Request,
    programme: ChosenProgramme,
    task: TaskName,
    shelf: OnShelf,
    shown: WithShown,
) -> HTMLResponse:
    """A test: its path against the limits, and what follows."""
    view = view_of(shown.of(programme), programme, task, shelf.clock())
    if view is None:
        found = programme.task(task)  # what is not there is refused here
        return page(
            request,
            "old_test.html.jinja",
            place="programmes",
            programme=programme.name,
            name=task,
            status_of=found.status,
            advice=found.advice,
        )
    unit = Unit.of(law_of(programme))
    return page(request, "test.html.jinja", place="programmes", view=view, words=words, unit=unit)


def view_of(shown: Shown, programme: Programme, name: str, now: float) -> TaskView | None:
    """A test as it is now; None if it was over long ago."""
    with shown.lock, programme.state() as state:
        shown.story.read_on(programme)
        shown.ledger.renew(state.learner)
        test = shown.story.named(name)
        if test is None:
            return None
        return _view(state, shown, test, now)


def _view(state: State, shown: Shown, test: Followed, now: float) -> TaskView:
    plausible, unit = shown.ledger.plausible, Unit.of(state.known.law)
    task = state.tasks.get(test.number)
    running = task if task is not None and not task.finished else None
    kind, verdict, reason = _advice(state, test, running, now)
    picture = drawn(state, test)
    samples, total = picture.path[-1]
    doubtful = running is not None and bool(running.held)
    worth = None if doubtful else worth_of(plausible, samples, total)
    decided = test.decided
    on = None if worth is None or plausible is None else stopping.going_on(plausible, test, task)
    waits = decided is not None and test.recorded is None and not test.abandoned
    ships = decided is not None and decided.decision == "accept"
    recorded = ""
    if test.recorded is not None:
        recorded = f"Recorded as {test.recorded.done}, {words.moment(test.recorded.at, now)}"
    return TaskView(
        programme=state.name,
        name=test.name,
        number=test.number,
        position=state.position,
        now=now,
        last=shown.story.last,
        kind=kind,
        verdict=verdict,
        reason=reason,
        about=_about(test, now),
        charts=tuple(looks.charts_of(state, picture, unit)),
        read_out=dumps(looks.read_out(state, picture, unit)),
        table=tuple(looks.table_of(state, picture, unit)),
        choices=tuple(stopping.choices(test, worth, on, unit)),
        ahead_by=stopping.ahead_by(test, worth, on, unit),
        worth=worth,
        worth_picture=None
        if plausible is None or worth is None
        else stopping.worth_picture(plausible, samples, total, unit),
        worth_text=stopping.worth_text(worth, plausible, samples, total, unit),
        facts=tuple(_facts(state, test, picture, unit, now)),
        rule="" if picture.limits is None else rule_said(picture.limits, state.known.law),
        why=tuple(stopping.why(worth, plausible, on, unit, samples, total) if ships else ()),
        history=tuple(told(note) for note in reversed(test.notes)),
        record=("shipped" if ships else "dropped") if waits else "",
        other=("dropped" if ships else "shipped") if waits else "",
        recorded=recorded,
        doubtful=doubtful,
    )


def _advice(
    state: State, test: Followed, running: Running | None, now: float
) -> tuple[str, str, str]:
    if test.abandoned:
        return "keep", "Abandoned", "nothing is learned from it."
    if test.decided is not None:
        ships = test.decided.decision == "accept"
        said = why(state, test)
        text = f"{said[:1].lower()}{said[1:]}"  # it follows a colon
        return ("ship", "Ship", text) if ships else ("drop", "Drop", text)
    assert running is not None  # what is neither decided nor abandoned runs
    facts = facts_of(state, running, test, now)
    if facts.hold:
        return "hold", "Hold", f"{facts.hold[:1].upper()}{facts.hold[1:]}."
    return "keep", "Keep testing", f"{facts.reason}."


def _about(test: Followed, now: float) -> str:
    if test.decided is None:
        return f"Began {words.moment(test.begun_at, now)}, with the rule of then, which it keeps."
    return (
        f"Decided {words.moment(test.decided.at, now)} by the rule the test began with. The "
        "decision stays, whatever later data say; what they say is still learned from."
    )


def _facts(
    state: State, test: Followed, picture: leaf.Drawn, unit: Unit, now: float
) -> list[tuple[str, str, str]]:
    samples, total = picture.path[-1]
    lift = lift_of(state, int(samples), total, None)
    facts = []
    if lift is not None:
        facts.append(("Lift so far", unit.signed(lift.estimate), unit.range(lift.low, lift.high)))
    facts.append(("Samples", f"{samples:,.0f}", f"of at most {picture.cap:,.0f}"))
    facts.append(("Began", words.weekday(test.begun_at), ""))
    if age := words.days(test.begun_at, test.closed_at or now):
        facts.append(("Has run", f"{age} day{'s' * (age > 1)}", ""))
    if state.known.law is not None:
        facts.append(("Law of samples", str(state.known.law), ""))
    facts.append(("Told", f"{test.tellings:,} time{'s' * (test.tellings != 1)}", ""))
    if test.closed_at is not None:
        facts.append(("Over since", words.weekday(test.closed_at), ""))
    return facts
