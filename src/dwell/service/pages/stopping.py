"""If a test is stopped now, or goes on: what each is worth, and why."""

from math import inf
from typing import NamedTuple

import numpy as np
from markupsafe import Markup

from dwell.programme.minimum_run import Pace
from dwell.programme.outlook import Outlook, at_ends
from dwell.programme.running import Running, deciding
from dwell.service.earned import FEW_TESTS, Plausible
from dwell.service.followed import Followed
from dwell.service.pages import charts, words
from dwell.service.pages.cards import Worth
from dwell.service.pages.words import Unit
from dwell.sparse_policy import SparsePolicy

_CLOSE = 0.02  # of what is stopped for: closer than this nobody need hesitate


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


class GoingOn(NamedTuple):
    """What it is worth to keep testing, under the pool of ideas as it is fitted now.

    Attributes:
        net: What it is expected to earn, less what the traffic it takes earns on other ideas.
        samples: How many samples more it takes on average.
    """

    net: float
    samples: float


def going_on(plausible: Plausible, test: Followed, task: Running | None) -> GoingOn | None:
    """What it is worth to keep testing by the rule the test began with; None where none knows.

    A test that was decided goes on to its next look at least, and by the same limits from there.
    Traffic is worth what the rule in force earns with it.
    """
    if plausible.pool.tests < FEW_TESTS:
        return None
    samples, total = test.so_far
    policy = _policy(test) if task is None else deciding(task.design)
    if policy is None or samples >= policy.cap or (task is not None and not task.design.accepts):
        return None
    if task is not None:
        pace = None if task.run is None else task.run.pace(task.parts)
        ahead = Outlook(task.samples, plausible.pool).ahead(plausible.pool, policy, pace)
    else:
        size = _batch(test)
        policy = at_ends(policy, samples, Pace(samples, size, size)) if size else policy
        ahead = plausible.pool.ahead(policy, samples, total)
    rate = max(0.0, plausible.knowledge.roi.estimate)
    return GoingOn(ahead.earns - rate * ahead.samples, ahead.samples)


def _policy(test: Followed) -> SparsePolicy | None:
    """The limits of a test as its log has them."""
    if test.limits is None:
        return None
    lower = [-inf if each is None else each for each in test.limits.lower]
    upper = [inf if each is None else each for each in test.limits.upper]
    return SparsePolicy(np.array(test.limits.looks), np.array(lower), np.array(upper))


def _batch(test: Followed) -> int:
    """How large its batches were on average; 0 if it was told single samples."""
    decided = test.decided
    if decided is None or not decided.batches:
        return 0
    return max(1, round(decided.samples / decided.batches))


def choices(test: Followed, worth: Worth | None, on: GoingOn | None, unit: Unit) -> list[Choice]:
    """To stop now, or to go on: what each is worth."""
    if worth is None or test.abandoned or test.recorded is not None:
        return []
    value = worth.value
    decided = None if test.decided is None else test.decided.decision
    places = _places(value.estimate, on, unit)
    expected = unit.signed(value.estimate, places)
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
    if on is not None:
        taken = words.rounded(on.samples)
        choices.append(
            Choice(
                "keep",
                "Keep testing",
                unit.signed(on.net, places),
                "what is known better, less the traffic it takes, about "
                f"{taken} sample{'' if taken == '1' else 's'}",
                decided is None,
            )
        )
    let_go = (
        f"and {unit.signed(value.estimate)} expected is let go"
        if value.estimate > 0.0
        else "nothing is lost, by expectation"
    )
    zero = unit.signed(0.0, places)
    choices.append(Choice("drop", "Drop now", zero, let_go, decided == "reject"))
    return choices


def ahead_by(test: Followed, worth: Worth | None, on: GoingOn | None, unit: Unit) -> str:
    """Which choice is ahead of the next best, and by how much."""
    if worth is None or on is None:
        return "By what the test shows and what was learned from the tests before it."
    stop, verb = max((worth.value.estimate, "ship"), (0.0, "drop"))
    gap = on.net - stop
    close = "A close call: to" if abs(gap) < _CLOSE * abs(stop) else "To"
    by = unit.signed(abs(gap), _places(worth.value.estimate, on, unit)).lstrip("+")
    best = "keep testing" if gap > 0.0 else f"{verb} now"
    text = f"{close} {best} is ahead by {by}."
    advised = {"accept": "ship now", "reject": "drop now"}.get(
        "" if test.decided is None else test.decided.decision, "keep testing"
    )
    if best != advised:
        text += " The test follows the rule that it began with, all the same."
    return f"{text} Worth is net of what the traffic earns on other ideas."


def _places(value: float, on: GoingOn | None, unit: Unit) -> int:
    """How many digits show which choice is ahead: one more than usual, as they may be close."""
    sizes = [abs(value), *([] if on is None else [abs(on.net)])]
    return 1 + unit.places(max(sizes))


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
    before = f"the {words.counted(plausible.pool.tests, 'test')} before it"
    if plausible.pool.tests < FEW_TESTS:
        before = "hardly any test before it: its own samples say nearly all of this"
    text = f"What the idea is worth, given its {words.samples(samples)} and {before}."
    if measured > expected > 0.0 or measured > 0.0 > expected:
        text += (
            f" The measured lift of {unit.signed(measured)} shrinks to {unit.signed(expected)}: "
            "most ideas are worth little, so a part of it is luck."
        )
    return text


def why(
    worth: Worth | None,
    plausible: Plausible | None,
    on: GoingOn | None,
    unit: Unit,
    samples: float,
    total: float,
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
    less = ""
    if on is not None and on.net < worth.value.estimate:
        by = unit.signed(worth.value.estimate - on.net, _places(worth.value.estimate, on, unit))
        less = f" To go on testing is worth {by.lstrip('+')} less than to ship now."
    return [
        "Because the question is not whether this idea surely helps. It is what to do with the "
        "next day of traffic.",
        f"Of 100 ideas whose tests look like this one, {out_of} help when shipped, by "
        f"{unit.signed(gain)} on average, and {100 - out_of} do not, with {unit.signed(loss)} on "
        "average. More samples would catch some of those, and would be taken from ideas that wait."
        f"{less}",
    ]
