"""The table of rules on the page of an evaluation: each in words, with its interval drawn."""

from dataclasses import dataclass

from dwell.report.evaluation.pictures import MiniPicture, mini_pictures
from dwell.report.evaluation.report import Report
from dwell.report.evaluation.scale import Scale
from dwell.report.evaluation.table import different
from dwell.report.evaluation.text import level
from dwell.report.tables import amount, sentence

_MOST_RULES = 12


@dataclass(frozen=True, slots=True)
class RuleRow:
    """A rule in the table: its interval and its figures, and how it stands."""

    name: str
    words: str
    picture: MiniPicture | None
    gain: str
    ends: str
    figures: tuple[str, ...]
    state: str
    out: bool = False
    marked: bool = False

    @property
    def strong(self) -> bool:
        """Whether its state is one that no other rule has."""
        return self.marked or self.picture is None


@dataclass(frozen=True, slots=True)
class RuleTable:
    """Rules, a row each; `text` beside the heading, `titles` of their figures."""

    text: str
    caption: str
    titles: tuple[str, ...]
    rows: tuple[RuleRow, ...]


def rule_table(report: Report) -> RuleTable:
    """The best rules and today's, with what they gain.

    Args:
        report: What was found on past tests.
    """
    found, scale = report.found, Scale.of(report)
    shown = different(report)[:_MOST_RULES]
    near = found.approximate.indistinguishable
    places = [
        (
            float(found.approximate.gain_low[k]),
            float(found.roi[k] - found.current.roi),
            float(found.approximate.gain_high[k]),
        )
        for k in shown
    ]
    pictures = mini_pictures(places, [k in near for k in shown])
    rows = [
        _rule_row(report, k, place, picture)
        for k, place, picture in zip(shown, places, pictures, strict=True)
    ]
    current = found.current
    today = RuleRow(
        "Today's rule",
        sentence(report.current),
        None,
        "",
        "",
        (
            scale.text(current.roi),
            f"{current.accept_rate:.1%}".replace("%", " %"),
            amount(current.cost - found.setup_cost),
            "-",
        ),
        "in force",
    )
    at = sum(float(found.roi[k]) > current.roi for k in shown)
    rows.insert(at, today)
    every = len(found.policies)
    others = max(len(near) - 1, 0)
    text = (
        f"{others:,} of {every - 1:,} others cannot be told apart from the best: take one that "
        "people can explain."
    )
    caption = (
        f"Value per {scale.unit}. These intervals hold for all {every:,} rules at once "
        f"({level(report)}), on the tests that rules are ranked by: so they are wider than the one "
        "that decides, and their middles are kinder. The upright mark is 0. The state is against "
        "the best rule, test by test. Of rules that would have done the same, one is shown."
    )
    titles = ("ROI", "Shipped", "Samples a test", "Cut short")
    return RuleTable(text if others else "", caption, titles, tuple(rows))


def _rule_row(
    report: Report, index: int, place: tuple[float, float, float], picture: MiniPicture
) -> RuleRow:
    found, scale = report.found, Scale.of(report)
    candidate = report.replayed.candidates[index]
    best, answer = index == found.best and report.withheld is None, report.answer
    near = index in found.approximate.indistinguishable
    low, middle, high = (scale.text(each, signed=True) for each in place)
    state = "cannot be told apart" if near else "surely lower"
    if best:
        changes = answer is not None and answer.kind == "change"
        state = "recommended" if changes else "did best"
    if found.best is None or report.withheld is not None:
        state = "-"
    return RuleRow(
        f"{candidate.name[0].upper()}{candidate.name[1:]}",
        sentence(candidate.advice),
        picture,
        middle,
        f"{low} to {high}",
        (
            scale.text(float(found.roi[index])),
            f"{found.accept_rate[index]:.1%}".replace("%", " %"),
            amount(float(found.cost[index]) - found.setup_cost),
            f"{int(found.truncated[index]):,}",
        ),
        state,
        out=found.best is not None and not near and not best,
        marked=best,
    )
