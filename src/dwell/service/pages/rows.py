"""Running tests as rows of a table, each drawn once for as long as it says the same."""

from dataclasses import dataclass
from math import ceil, log2, sqrt
from typing import NamedTuple

from markupsafe import Markup

from dwell.learners.learner import Learner
from dwell.policies import Policies
from dwell.policy import Policy
from dwell.pools.under_law import noise_under
from dwell.programme import path as paths
from dwell.programme.advice import of_running, silence
from dwell.programme.outlook import Outlook, fitted_by
from dwell.programme.running import Running
from dwell.programme.state import State
from dwell.report.drawings import leaf, svg
from dwell.service.earned import Figure
from dwell.service.followed import Followed
from dwell.service.pages import words
from dwell.service.pages.words import Unit
from dwell.sparse_policy import SparsePolicy

_DAY = 86_400.0
_MOST_POINTS = 64
_MOST_KEPT = 4_000


class Facts(NamedTuple):
    """What a running test shows.

    Attributes:
        drawn: The test, to be drawn.
        samples: How many samples it has.
        lift: The mean of them with its interval, if it is known how noisy they are.
        hold: Why advice is withheld; empty if it is not.
        verdict: What to do, in a word or two.
        reason: Why.
        left: How many samples more it takes on average, if it is known.
        ships: How likely it is shipped then.
    """

    drawn: leaf.Drawn
    samples: int
    lift: Figure | None
    hold: str
    verdict: str
    reason: str
    left: float | None
    ships: float | None


@dataclass(frozen=True, slots=True)
class Row:
    """A running test in its table.

    Attributes:
        number: Its number.
        html: The row.
        share: How much of its cap it has.
        hold: Why advice is withheld; empty if it is not.
        due: When a decision is to be expected; None if nobody knows.
    """

    number: int
    html: Markup
    share: float
    hold: str
    due: float | None


def limits_of(found: paths.Limits | SparsePolicy) -> leaf.Limits:
    """Limits as they are drawn."""
    if isinstance(found, paths.Limits):
        return leaf.Limits(tuple(found.looks), tuple(found.lower), tuple(found.upper))
    every = max(1, ceil(len(found.looks) / _MOST_POINTS))
    places = sorted({*range(0, len(found.looks), every), len(found.looks) - 1})
    looks, lower, upper = (
        each[places].tolist() for each in (found.looks, found.lower, found.upper)
    )
    return leaf.Limits(tuple(looks), *(tuple(map(_finite, each)) for each in (lower, upper)))


def _finite(limit: float) -> float | None:
    return limit if abs(limit) < 1e300 else None


def limits_by(learner: Learner, limits: paths.Limits | None, column: int) -> leaf.Limits | None:
    """The limits of a test that began so; None if nobody has kept them."""
    if limits is not None:
        return limits_of(limits)
    if not isinstance(learner.choices, Policies) or column >= len(learner.choices):
        return None
    policy = learner.choices[column]
    if isinstance(policy, Policy):
        policy = SparsePolicy.of(policy)
    return limits_of(policy) if isinstance(policy, SparsePolicy) else None


def lift_of(state: State, samples: int, total: float, task: Running | None) -> Figure | None:
    """What a test has measured, and how far that may be off."""
    if not samples:
        return None
    if (law := state.known.law) is not None:
        return Figure.of(total / samples, noise_under(law) / sqrt(samples))
    if task is None:
        return None
    worth = Outlook(task.samples, fitted_by(state.learner)).worth()
    if worth is None or worth.low is None or worth.high is None:
        return None
    return Figure(worth.mean, worth.low, worth.high)


def drawn(state: State, test: Followed, said: str = "") -> leaf.Drawn:
    """A test, to be drawn."""
    limits = limits_by(state.learner, test.limits, test.column)
    path, decided = test.path(), test.decided
    cap = max(limits.cap if limits else 0.0, path[-1][0], 1.0)
    points = leaf.thinned(path, _MOST_POINTS)
    if decided is None:
        return leaf.Drawn(limits, cap, points)
    verdict: leaf.Verdict = "ship" if decided.decision == "accept" else "drop"
    at = (float(decided.samples), decided.total)
    if at not in points:
        points = tuple(sorted({*points, at}))
    return leaf.Drawn(limits, cap, points, float(decided.samples), verdict, said)


def facts_of(state: State, task: Running, test: Followed, now: float) -> Facts:
    """What a running test shows; it takes long where a forecast is made."""
    advice = of_running(task, state.learner, state.counts, state.settings, now)
    picture = drawn(state, test)
    samples, total = picture.path[-1]
    if task.decided is not None:  # what runs on to learn may go beyond its rule's cap
        picture = picture._replace(cap=max(picture.cap, samples + advice.wants))
    verdict, _, reason = advice.sentence.partition(": ")
    hold = verdict if verdict == "Hold" else ""
    expected = None if hold else advice.forecast
    return Facts(
        picture,
        int(samples),
        lift_of(state, int(samples), total, task),
        hold and reason,
        verdict if task.decided is None or hold else "Keep testing",
        reason if task.decided is None or hold else _runs_on(task, advice.wants),
        None if expected is None or expected.tests < 10 else expected.samples,
        None if expected is None else expected.ships,
    )


def _runs_on(task: Running, wants: int) -> str:
    assert task.decided is not None
    verdict = "ship" if task.decided.decision == "accept" else "drop"
    return f"decided ({verdict}), runs on to learn; {words.samples(wants)} to go"


class Rows:
    """The rows of one programme, kept by what they say."""

    def __init__(self) -> None:
        self._facts: dict[int, tuple[object, Facts]] = {}
        self._rows: dict[int, tuple[object, Row]] = {}

    def of(self, state: State, tests: dict[int, Followed], now: float) -> list[Row]:
        """The rows of all running tests, the nearest to their caps first."""
        running = [task for task in state.tasks.values() if not task.finished]
        found = [
            (task, tests[task.number], self.facts(state, task, tests[task.number], now))
            for task in running
            if task.number in tests
        ]
        reach = _reach([facts.lift for _, _, facts in found if facts.lift])
        rows = [self._row(state, task, test, facts, reach, now) for task, test, facts in found]
        for kept in (self._facts, self._rows):
            if len(kept) > _MOST_KEPT:
                kept.clear()
        return sorted(rows, key=lambda row: (-row.share, row.number))

    def facts(self, state: State, task: Running, test: Followed, now: float) -> Facts:
        """What a test shows, as it was found when that last changed."""
        computed = not isinstance(state.learner.choices, Policies)
        known = state.learner.state.rounds[-1].number if computed else state.counts.shipped
        silent = int(silence(task, state.settings, now))
        key = (test.tellings, len(test.notes), task.held, task.decided is None, silent, known)
        kept = self._facts.get(task.number)
        if kept is None or kept[0] != key:
            kept = key, facts_of(state, task, test, now)
            self._facts[task.number] = kept
        return kept[1]

    def _row(
        self, state: State, task: Running, test: Followed, facts: Facts, reach: float, now: float
    ) -> Row:
        age = words.days(test.begun_at, now)
        key = (id(facts), reach, age, task.decided is None)
        kept = self._rows.get(task.number)
        if kept is None or kept[0] != key:
            html = _html(state, test, facts, reach, age, runs_on=task.decided is not None)
            share = facts.samples / facts.drawn.cap
            kept = key, Row(task.number, html, share, facts.hold, _due(test, facts, now))
            self._rows[task.number] = kept
        return kept[1]


def _due(test: Followed, facts: Facts, now: float) -> float | None:
    """When a decision is to be expected, if samples go on coming as they did."""
    age = now - test.begun_at
    if facts.left is None or not facts.samples or age < _DAY:
        return None
    return now + age * facts.left / facts.samples


def _reach(lifts: list[Figure]) -> float:
    """How far drawings of intervals go: a power of 2, so that rows change seldom."""
    # The few that have just begun may go beyond.
    ends = sorted(max(abs(lift.low), abs(lift.high)) for lift in lifts)
    far = ends[int(0.8 * (len(ends) - 1))] if ends else 1.0
    return _rounded(far)


def _rounded(far: float) -> float:
    return float(2.0 ** (ceil(2.0 * log2(far)) / 2.0)) if far > 0.0 else 1.0


def _html(
    state: State, test: Followed, facts: Facts, reach: float, age: int, *, runs_on: bool
) -> Markup:
    from dwell.service.pages.site import templates

    unit = Unit.of(state.known.law)
    cap = facts.drawn.cap
    far = f"{facts.samples:,} of {cap:,.0f} samples"
    shown = (
        templates()
        .get_template("row.html.jinja")
        .render(
            programme=state.name,
            test=test,
            runs_on=runs_on,
            leaf=leaf.mini(facts.drawn, label(state, test, facts)),
            meter=svg.meter(facts.samples / cap, far),
            age=f"day {age}" if age else "began today",
            far=far,
            lift=facts.lift,
            interval=facts.lift
            and svg.interval(
                facts.lift.low,
                facts.lift.estimate,
                facts.lift.high,
                (-reach, reach),
                out=bool(facts.hold),
            ),
            unit=unit,
            facts=facts,
        )
    )
    return Markup(shown)


def label(state: State, test: Followed, facts: Facts) -> str:
    """What a leaf shows, in words."""
    samples, total = facts.drawn.path[-1]
    law = state.known.law
    if not samples:
        return f"{test.name}: no samples yet"
    if law is None:
        where = f"a total of {words.sign(total)}"
    else:
        where = f"{words.sign(total / (noise_under(law) * sqrt(samples)))} standard errors"
    return f"Path of {test.name}: {where} after {words.samples(samples)}"
