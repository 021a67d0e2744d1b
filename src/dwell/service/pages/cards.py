"""Decisions that wait for people, a card each."""

from math import sqrt
from typing import NamedTuple

from markupsafe import Markup

from dwell.learners.empirical_bayes import EmpiricalBayes
from dwell.pools.under_law import noise_under
from dwell.programme.advice import reason
from dwell.programme.state import State
from dwell.report.drawings import leaf
from dwell.service.earned import Figure, Plausible
from dwell.service.followed import Followed
from dwell.service.pages import words
from dwell.service.pages.rows import drawn, lift_of
from dwell.service.pages.site import templates
from dwell.service.pages.words import Unit

MOST_CARDS = 9


class Worth(NamedTuple):
    """What an idea is worth, given its test and the pool.

    Attributes:
        value: Its value.
        harm: How likely it does harm.
    """

    value: Figure
    harm: float


def worth_of(plausible: Plausible | None, samples: float, total: float) -> Worth | None:
    """What an idea is worth; None where no pool is fitted."""
    if plausible is None or not samples:
        return None
    given = plausible.pool.given(int(samples), total)
    low, high = given.interval(0.95)
    return Worth(Figure(given.mean, low, high), 1.0 - given.at_least(0.0))


def why(state: State, test: Followed) -> str:
    """Why a test was decided so."""
    assert test.decided is not None
    if not test.decided.counts and (paused := guard_said(state)):
        return paused
    _, _, rest = reason(test.decided, state.known).partition(": ")
    age = words.days(test.begun_at, test.decided.at)
    if test.decided.batches and age:
        rest = rest.replace(f"after {test.decided.batches} batches", f"on day {age}")
        rest = rest.replace("after 1 batch", f"on day {age}")
    return f"{rest[:1].upper()}{rest[1:]}."


def guard_said(state: State) -> str:
    """Why nothing is shipped at present, if the guard has seen to that; else nothing."""
    learner = state.learner
    if not isinstance(learner, EmpiricalBayes) or not learner.state.ledger.closed:
        return ""
    return (
        "Nothing is shipped for now: what was shipped may have lost more than is allowed, by "
        "samples that no decision saw. Tests run on to learn until such samples show a gain."
    )


class Cards:
    """The cards of one programme, kept by what they say."""

    def __init__(self) -> None:
        self._kept: dict[int, tuple[object, Markup]] = {}

    def of(
        self, state: State, plausible: Plausible | None, waiting: list[Followed]
    ) -> list[tuple[int, Markup]]:
        """The cards of decisions that wait, at most so many."""
        shown = waiting[:MOST_CARDS]
        found = [(test.number, self._card(state, plausible, test)) for test in shown]
        for gone in self._kept.keys() - {number for number, _ in found}:
            del self._kept[gone]
        return found

    def _card(self, state: State, plausible: Plausible | None, test: Followed) -> Markup:
        key = (test.tellings, len(test.notes), plausible and plausible.round)
        kept = self._kept.get(test.number)
        if kept is None or kept[0] != key:
            kept = key, _html(state, plausible, test)
            self._kept[test.number] = kept
        return kept[1]


def _html(state: State, plausible: Plausible | None, test: Followed) -> Markup:
    decided = test.decided
    assert decided is not None
    age = words.days(test.begun_at, decided.at)
    said = f"day {age}" if age else f"after {decided.samples:,}"
    samples, total = test.path()[-1]
    ships = decided.decision == "accept"
    return Markup(
        templates()
        .get_template("card.html.jinja")
        .render(
            programme=state.name,
            test=test,
            ships=ships,
            why=why(state, test),
            leaf=leaf.card(drawn(state, test, said), _label(state, test)),
            lift=lift_of(state, int(samples), total, None),
            worth=worth_of(plausible, samples, total),
            unit=Unit.of(state.known.law),
            percent=words.percent,
        )
    )


def _label(state: State, test: Followed) -> str:
    decided, law = test.decided, state.known.law
    assert decided is not None
    side = "ship" if decided.decision == "accept" else "drop"
    if law is None:
        place, limit, unit = decided.total, decided.limit, "in all"
    else:
        scale = noise_under(law) * sqrt(decided.samples)
        place, limit, unit = decided.total / scale, decided.limit / scale, "standard errors"
    return (
        f"Path of {test.name} between its limits; after {words.samples(decided.samples)} it is "
        f"{words.sign(place)} {unit}, past the {side} limit of {words.sign(limit)}"
    )
