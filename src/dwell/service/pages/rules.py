"""The rule in force and how it came to be, as pictures with a sentence each."""

from math import sqrt
from typing import NamedTuple

from markupsafe import Markup

from dwell.laws import Law
from dwell.policies import Policies
from dwell.pools.under_law import noise_under
from dwell.programme.standings import PolicyStanding, standings
from dwell.programme.state import State
from dwell.report.drawings import leaf, svg
from dwell.service.pages import words
from dwell.service.pages.rows import limits_by
from dwell.service.pages.words import Unit
from dwell.service.story import InForce

_SHOWN = 4
_EARLY = 0.05  # of the cap
_MOST_STANDINGS = 12
_NEVER = 8.0  # standard errors, beyond which nobody comes
_REACH = 3.0  # times as far as the limits in force, others are drawn


class RulePicture(NamedTuple):
    """A rule that was in force, or is.

    Attributes:
        picture: Its limits.
        title: Since when it was in force.
        text: What it says.
        now: Whether it is in force.
    """

    picture: Markup
    title: str
    text: str
    now: bool


class Standing(NamedTuple):
    """How a rule stands beside others."""

    name: str
    interval: Markup | None
    figures: str
    state: str
    out: bool


def rule_pictures(state: State, rules: list[InForce]) -> list[RulePicture]:
    """The first rule, the one in force, and some between."""
    known = [(each, limits_by(state.learner, each.limits, each.column)) for each in rules]
    found = [(each, limits) for each, limits in known if limits is not None]
    last = len(found) - 1
    places = sorted({round(k * last / (_SHOWN - 1)) for k in range(_SHOWN)}) if found else []
    chosen = [found[place] for place in places]
    # Limits that nobody reaches, of a rule that shipped next to nothing, would flatten all others.
    reach = _REACH * leaf.reach_of(chosen[-1][1]) if chosen else 0.0
    scale = [leaf.within(limits, reach) for _, limits in chosen]
    return [
        RulePicture(
            leaf.rule(drawn, scale, said := rule_said(limits, state.known.law)),
            _title(each, first=place == 0, now=place == last),
            said,
            place == last,
        )
        for place, (each, limits), drawn in zip(places, chosen, scale, strict=True)
    ]


def _title(rule: InForce, *, first: bool, now: bool) -> str:
    if first and not now:
        return f"{words.short_day(rule.since)}: before any test"
    after = f"after {words.counted(rule.tests, 'test')}" if rule.tests else "before any test"
    if not now:
        return f"{words.short_day(rule.since)}: {after}"
    return f"In force since {words.short_day(rule.since)}, {after}"


def rule_said(limits: leaf.Limits, law: Law | None) -> str:
    """Limits in a sentence: where they begin and where they meet."""
    cap = limits.cap
    # Where it is looked at from the first sample on, limits say something a little later.
    early = next(k for k, look in enumerate(limits.looks) if look >= _EARLY * cap)
    first, ship, drop = limits.looks[early], limits.upper[early], limits.lower[early]
    if len(limits.looks) == 1:
        return f"One look, after {words.samples(cap)}: {_side('ship', ship or 0.0, cap, law)}."
    sides = [
        _side(verb, limit, first, law)
        for verb, limit in (("ship", ship), ("drop", drop))
        if limit is not None
    ]
    begun = " or ".join(sides) if sides else "no decision yet"
    looked = f"Looked at from {words.samples(limits.looks[0])} on; after" if early else "After"
    return (
        f"{looked} {words.samples(first)} {begun}; the limits close in and meet after "
        f"{words.samples(cap)}."
    )


def _side(verb: str, total: float, samples: float, law: Law | None) -> str:
    side = "ahead" if total >= 0.0 else "behind"
    if law is None:
        return f"{verb} at a total of {abs(total):.3g} {side}"
    errors = total / (noise_under(law) * sqrt(samples))
    if (errors if verb == "ship" else -errors) > _NEVER:
        return f"{verb} nothing"
    return f"{verb} at {abs(errors):.1f} standard errors {side}"


def standing_rows(state: State) -> list[Standing]:
    """How policies stand, where the learner chooses among some."""
    if not isinstance(state.learner.choices, Policies):
        return []
    found = standings(state.learner)
    unit = Unit.of(state.known.law)
    chosen = [each for each in found if each.status == "chosen"]
    rest = sorted(
        (each for each in found if each.status != "chosen"),
        key=lambda each: (each.status == "eliminated", -(each.roi or 0.0)),
    )
    shown = [*chosen, *rest][:_MOST_STANDINGS]
    ends = [
        end
        for each in shown
        for end in (each.roi_low, each.roi_high)
        if end is not None and _known(end)
    ]
    reach = (min(0.0, *ends), max(0.0, *ends)) if ends else (0.0, 1.0)
    return [_standing(each, unit, reach) for each in shown]


def _known(end: float) -> bool:
    return abs(end) < 1e300


def _standing(each: PolicyStanding, unit: Unit, reach: tuple[float, float]) -> Standing:
    said = {
        "chosen": "In force",
        "candidate": "cannot be told apart",
        "eliminated": "surely lower",
    }[each.status]
    name, out = f"At most {words.samples(each.cap)}", each.status == "eliminated"
    low, middle, high = each.roi_low, each.roi, each.roi_high
    if low is None or middle is None or high is None or not (_known(low) and _known(high)):
        return Standing(name, None, "nothing known yet", said, out)
    million = 1e6
    figures = f"{unit.plain(million * middle)} ({unit.plain_range(million * low, million * high)})"
    picture = svg.interval(low, middle, high, reach, width=170.0, out=out)
    return Standing(name, picture, figures, said, out)
