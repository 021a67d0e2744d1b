"""Figures of what was learned, with their findings in words."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from markupsafe import Markup

from dwell.fitting.figure import Figure
from dwell.fitting.pool_change import FALSE_ALARMS, Changed, DatedChange, shares_said
from dwell.report.drawings import svg
from dwell.service.earned import FEW_TESTS, Earned, Plausible
from dwell.service.pages import charts, words
from dwell.service.pages.words import Unit
from dwell.service.story import Story


@dataclass(frozen=True, slots=True)
class Learned:
    """A figure with its finding.

    Attributes:
        title: What it shows.
        text: What is drawn.
        wide: The drawing.
        narrow: The same for small screens.
    """

    title: str
    text: str
    wide: Markup
    narrow: Markup


def value_figure(earned: Earned, unit: Unit, now: float) -> Learned:
    """The value of what was shipped, over time."""
    shipped = unit.signed(earned.value.estimate)
    title = f"{shipped} shipped so far"
    text = (
        f"Value of what was shipped, added up since {words.day(earned.since)} "
        f"({unit.range(earned.value.low, earned.value.high)})"
    )
    if earned.gain is not None and earned.reference is not None:
        more = earned.gain
        if more.low > 0.0:
            title = f"{unit.signed(more.estimate)} more than by running every test to its cap"
        elif more.high < 0.0:
            title = f"{unit.signed(more.estimate)}, less than by running every test to its cap"
        else:
            title = f"{shipped} shipped; not yet shown to be more than by running all to the cap"
        text += (
            ", each given its test and the pool of ideas. Dotted: what running every test to the "
            "cap and shipping what is ahead would earn with the same traffic, by exact figures for "
            f"this pool. The difference is {unit.range(more.low, more.high)}"
        )
    else:
        text += ", by estimates from samples that no decision saw"
    drawings = (
        charts.value_over_time(earned, unit, now, narrow=narrow) for narrow in (False, True)
    )
    return Learned(title, f"{text}.", *drawings)


def pool_figure(plausible: Plausible, story: Story, unit: Unit) -> Learned:
    """What ideas are worth, as far as tests show."""
    known = plausible.knowledge
    if known.tests < FEW_TESTS:
        so_far = words.counted(known.tests, "test")
        text = (
            f"It is learned from tests that have finished: {so_far} so far, {FEW_TESTS} at least."
        )
        return Learned("What ideas are worth is not known yet", text, Markup(), Markup())
    helpful, mean, worth = known.helpful, known.mean, known.helpful_mean
    about = words.percent(helpful.estimate)
    if known.nothing_earns:
        title = "Nothing here earns, as far as tests show"
    elif helpful.estimate < 0.5:
        title = f"Most ideas do not help; about {about} do"
    else:
        title = f"About {about} of ideas help"
    text = (
        f"What ideas are worth, fitted to {known.tests:,} tests with the noise taken off: "
        f"{words.percent(helpful.low)} to {words.percent(helpful.high)} help; their mean is "
        f"{unit.signed(mean.estimate)} ({unit.range(mean.low, mean.high)})"
    )
    if not known.nothing_earns:
        text += (
            f"; those that help are worth {unit.signed(worth.estimate)} on average "
            f"({unit.range(worth.low, worth.high)})"
        )
    drawings = (
        charts.pool_of_ideas(plausible.pool, story.measured, helpful.estimate, unit, narrow=narrow)
        for narrow in (False, True)
    )
    text += ". Line: ideas, fitted. Bars: the latest tests as measured, with noise."
    return Learned(title, text, *drawings)


class Side(NamedTuple):
    """What the rule in force does to the pool before or after a change.

    Attributes:
        name: Which side.
        ships: Which share of ideas it ships, drawn …
        ships_said: … and in words.
        earns: What a test earns by it, drawn …
        earns_said: … and in words.
    """

    name: str
    ships: Markup
    ships_said: str
    earns: Markup
    earns_said: str


@dataclass(frozen=True, slots=True)
class ChangeNotice:
    """That the pool of ideas has changed.

    Attributes:
        title: What changed.
        text: When.
        sides: Before and now; none where the rule in force ships nothing on either.
        earlier: When it had changed before, the latest first.
    """

    title: str
    text: str
    sides: tuple[Side, ...]
    earlier: tuple[str, ...]


def change_notice(
    changed: Changed | None, changes: Sequence[DatedChange], unit: Unit
) -> ChangeNotice | None:
    """What is to be said of the latest change, and of those before; None if there is none."""
    if changed is None:
        return None
    text = f"It has changed {changed.when}."
    if changed.dates.shown is not None:
        text += f" That was shown on {words.day(changed.dates.shown)}."
    text += f" {FALSE_ALARMS}."
    text += " What ideas are worth, and the limits of tests that begin, are of the pool as it is."
    earlier = tuple(each.when for each in changes[-2::-1])
    if changed.ships_nothing:
        title = "The rule in force ships nothing, and would have shipped nothing before"
        return ChangeNotice(title, text, (), earlier)
    shipped = changed.shipped_before, changed.shipped_now
    earned = changed.earned_before, changed.earned_now
    before, now = (words.percent(each.estimate) for each in shipped)
    title = f"The rule in force ships {now} of ideas; before, it would have shipped {before}"
    sides = tuple(
        Side(
            name,
            _drawn(ships, shipped),
            shares_said(ships),
            _drawn(earns, earned),
            _said(earns, unit),
        )
        for name, ships, earns in zip(("Before", "Now"), shipped, earned, strict=True)
    )
    return ChangeNotice(title, text, sides, earlier)


def _drawn(figure: Figure, both: tuple[Figure, Figure]) -> Markup:
    """A figure on the scale that both sides have."""
    reach = min(0.0, *(each.low for each in both)), max(0.0, *(each.high for each in both))
    return svg.interval(figure.low, figure.estimate, figure.high, reach, width=170.0)


def _said(figure: Figure, unit: Unit) -> str:
    places = unit.places(max(abs(figure.low), abs(figure.high)))
    return f"{unit.signed(figure.estimate, places)} ({unit.range(figure.low, figure.high)})"
