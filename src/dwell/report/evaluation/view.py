"""What the page of an evaluation shows above the fold: texts and places, made of the figures."""

from dataclasses import dataclass

from dwell.report.evaluation.answer import Kind, current_roi
from dwell.report.evaluation.durations import durations_of
from dwell.report.evaluation.pictures import IntervalPicture, gain_pictures
from dwell.report.evaluation.report import Report
from dwell.report.evaluation.scale import Scale
from dwell.report.evaluation.text import (
    gain_around,
    gain_scale,
    level,
    percent,
    samples_a_test,
    since_change,
    total_digits,
    total_sentences,
)
from dwell.report.tables import amount, minus, sentence

_OTHERWISE: dict[Kind, tuple[str, str]] = {
    "change": (
        "Change the rule",
        "would be the answer if a rule were shown to earn more than today's on the same tests.",
    ),
    "keep": (
        "Keep today's rule",
        "would be the answer if no rule were shown to earn more on the same tests.",
    ),
    "nothing-earns": (
        "Nothing earns",
        "would be the answer if no rule were shown to earn more than 0. Then test other ideas, or "
        "cheaper.",
    ),
}


@dataclass(frozen=True, slots=True)
class Choice:
    """One of the three answers; `taken` if it is the one."""

    title: str
    texts: tuple[str, ...]
    taken: bool


@dataclass(frozen=True, slots=True)
class Gain:
    """The gain that decides; `shown` if it is beyond its error."""

    title: str
    text: str
    pictures: tuple[IntervalPicture, IntervalPicture]
    shown: bool


# A label, a figure, and what it is compared with.
Key = tuple[str, str, str]


@dataclass(frozen=True, slots=True)
class TotalsView:
    """All tests together: figures, and what they say."""

    key_figures: tuple[Key, ...]
    texts: tuple[str, ...]


def choices(report: Report) -> tuple[Choice, ...]:
    """The answer first, then those that it might have been; none if nothing is advised.

    Args:
        report: What was found on past tests.
    """
    answer = report.answer
    if answer is None or answer.kind == "withheld":
        return ()
    others = (
        Choice(title, (text,), False)
        for kind, (title, text) in _OTHERWISE.items()
        if kind != answer.kind
    )
    return (Choice(answer.title, _answer_texts(report), True), *others)


def _answer_texts(report: Report) -> tuple[str, ...]:
    answer, candidate, totals = report.answer, report.candidate, report.totals
    assert answer is not None  # who asks has one
    since = since_change(report)
    changed = () if since is None else (since,)
    if answer.kind != "change" or candidate is None or totals is None:
        return (answer.sentence, *changed)
    share = totals.samples / max(totals.samples_now, 1)
    drawn = f"{percent(share)} of the samples" if share < 2.0 else f"{share:,.1f} times the samples"
    return (
        sentence(candidate.advice),
        f"On the same tests the gain over today's rule is {gain_around(report)}, with {drawn}.",
        *changed,
    )


def gain(report: Report) -> Gain | None:
    """The first figure; None if there is no answer.

    Args:
        report: What was found on past tests.
    """
    answer, scale, corrected = report.answer, gain_scale(report), report.found.corrected
    if answer is None or answer.kind == "withheld":
        return None
    shown = answer.kind == "change"
    if shown:
        gained = scale.text(corrected.gain, signed=True)
        title = f"{gained} per {scale.unit} more than today, on the same tests"
    elif corrected.gain_high < 0.0:
        title = "What did best on some tests earns less than today's rule on others"
    elif corrected.gain_low <= 0.0:
        title = "What did best cannot be told apart from today's rule"
    else:
        title = "What did best loses less than today's rule, and is not shown to earn"
    text = (
        f"Paired gain in value per {scale.unit}, with its {level(report)} interval. The rule was "
        "chosen on some of the tests and scored on the others, so that luck in choosing does not "
        "count."
    )
    return Gain(title, text, gain_pictures(report), shown)


def key_figures(report: Report) -> tuple[Key, ...]:
    """What the best rule and today's earn, draw and ship, side by side.

    Args:
        report: What was found on past tests.
    """
    found, scale, corrected, best = (
        report.found,
        Scale.of(report),
        report.found.corrected,
        report.found.best,
    )
    now, unit = current_roi(report), f"per {scale.unit}"
    name = "Recommended rule" if _kind(report) == "change" else "What did best"
    entries = [
        (
            name,
            scale.text(corrected.roi),
            f"{scale.text(corrected.roi_low)} to {scale.text(corrected.roi_high)} {unit}",
        ),
        (
            "Today's rule",
            scale.text(found.current.roi),
            f"{scale.text(now.low)} to {scale.text(now.high)} {unit}",
        ),
    ]
    if best is None:
        return tuple(entries)
    drawn_now = found.current.cost - found.setup_cost
    fewer = found.current.cost - float(found.cost[best])
    change = f"{amount(abs(fewer))} {'fewer' if fewer >= 0.0 else 'more'}"
    entries.append(
        ("Samples a test", samples_a_test(report), f"today {amount(drawn_now)}: {change}")
    )
    if (took := durations_of(report)) is not None and took.best is not None:
        entries.append(
            (
                f"{took.unit.capitalize()} a test",
                amount(took.best),
                f"today {amount(took.now)}; half of all tests take no longer",
            )
        )
    entries.append(
        (
            "Ideas shipped",
            percent(float(found.accept_rate[best])),
            f"today {percent(found.current.accept_rate)}",
        )
    )
    return tuple(entries)


def totals(report: Report) -> TotalsView | None:
    """All tests together; None unless the answer is to change.

    Args:
        report: What was found on past tests.
    """
    found = report.totals if _kind(report) == "change" else None
    if found is None:
        return None
    digits = total_digits(found)

    def told(number: float) -> str:
        return minus(f"{number:+,.{digits}f}")

    low, high = told(found.difference_low), told(found.difference_high)
    fewer = f"{abs(found.saved):,} {'fewer' if found.saved >= 0 else 'more'} samples"
    entries: list[Key] = [
        ("Value of the same tests", told(found.difference), f"{low} to {high}, in {fewer}")
    ]
    further = round(found.further)
    low, high = told(found.gain_at_same_cost_low), told(found.gain_at_same_cost_high)
    more = f"{abs(further):,} {'further' if further >= 0 else 'fewer'} tests"
    entries.append(
        ("Value at the same cost", told(found.gain_at_same_cost), f"{low} to {high}, by {more}")
    )
    ideas = f"{max(1, round(found.break_even)):,}" if found.break_even else "0"
    entries.append(("Breaks even at", ideas, f"further ideas, beside {found.tests:,} tests"))
    texts = (f"{text[0].upper()}{text[1:]}" for text in total_sentences(found))
    return TotalsView(tuple(entries), tuple(texts))


def _kind(report: Report) -> Kind | None:
    return None if report.answer is None else report.answer.kind
