"""If a test is stopped now, or goes on: what each is worth, and why."""

from typing import NamedTuple

from markupsafe import Markup

from dwell.programme.running import Running
from dwell.programme.state import State
from dwell.service.earned import Plausible
from dwell.service.followed import Followed
from dwell.service.pages import charts, words
from dwell.service.pages.cards import Worth
from dwell.service.pages.overview import Shown
from dwell.service.pages.words import Unit


class Choice(NamedTuple):
    """What can be done now, and what it is worth.

    Attributes:
        kind: ship, keep or drop.
        title: What it is.
        worth: What it is worth, with its interval.
        text: What else is to be said.
        advised: Whether it is what dwell advises.
    """

    kind: str
    title: str
    worth: str
    text: str
    advised: bool


def choices(
    state: State,
    test: Followed,
    running: Running | None,
    worth: Worth | None,
    shown: Shown,
    unit: Unit,
    now: float,
) -> list[Choice]:
    """To stop now, or to go on: what each is worth."""
    if worth is None or test.abandoned or test.recorded is not None:
        return []
    value = worth.value
    decided = None if test.decided is None else test.decided.decision
    expected = unit.signed(value.estimate)
    choices = [
        Choice(
            "ship",
            "Ship now",
            expected,
            f"expected worth, {unit.range(value.low, value.high)}; "
            f"{words.percent(worth.harm)} chance that it does harm",
            decided == "accept",
        )
    ]
    if running is not None and decided is None:
        facts = shown.rows.facts(state, running, test, now)
        if facts.left is not None and facts.ships is not None:
            choices.append(
                Choice(
                    "keep",
                    "Keep testing",
                    f"{words.percent(facts.ships)} ship",
                    f"of tests like this; about {float(f'{facts.left:.2g}'):,.0f} samples to go, "
                    "which other ideas could use",
                    not facts.hold,
                )
            )
    let_go = (
        f"{expected} expected is let go"
        if value.estimate > 0.0
        else "nothing is lost, by expectation"
    )
    choices.append(Choice("drop", "Drop now", unit.signed(0.0), let_go, decided == "reject"))
    return choices


def worth_picture(plausible: Plausible, samples: float, total: float, unit: Unit) -> Markup:
    """What an idea is worth, drawn."""
    return charts.worth(plausible.pool.given(int(samples), total), unit)


def worth_text(
    worth: Worth | None,
    plausible: Plausible | None,
    samples: float,
    total: float,
    unit: Unit,
) -> str:
    """The same in words."""
    if worth is None or plausible is None:
        return ""
    measured, expected = total / samples, worth.value.estimate
    text = (
        f"What the idea is worth, given its {words.samples(samples)} and the "
        f"{words.counted(plausible.pool.tests, 'test')} before it."
    )
    if measured > expected > 0.0 or measured > 0.0 > expected:
        text += (
            f" The measured lift of {unit.signed(measured)} shrinks to {unit.signed(expected)}: "
            "most ideas are worth little, so a part of it is luck."
        )
    return text


def why(
    worth: Worth | None, plausible: Plausible | None, unit: Unit, samples: float, total: float
) -> list[str]:
    """Why not wait until it is significant."""
    if worth is None or plausible is None:
        return []
    given = plausible.pool.given(int(samples), total)
    above = given.values > 0.0
    helps, harms = float(given.weights[above].sum()), float(given.weights[~above].sum())
    if helps < 0.005 or harms < 0.005:
        return []
    gain = float(given.weights[above] @ given.values[above]) / helps
    loss = float(given.weights[~above] @ given.values[~above]) / harms
    out_of = round(100.0 * helps)
    return [
        "Because the question is not whether this idea surely helps. It is what to do with the "
        "next day of traffic.",
        f"Of 100 ideas whose tests look like this one, {out_of} help when shipped, by "
        f"{unit.signed(gain)} on average, and {100 - out_of} do not, with {unit.signed(loss)} on "
        "average. More samples would catch some of those, and would be taken from ideas that wait.",
    ]
