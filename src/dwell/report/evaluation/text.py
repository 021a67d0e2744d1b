"""An evaluation in three lines and a table."""

from dataclasses import replace

from dwell.history.replay.evaluation import Verdict
from dwell.report.evaluation.report import Report
from dwell.report.evaluation.scale import Scale
from dwell.report.tables import Grid, amount, sentence

_MOST_SHOWN = 15
_INDISTINGUISHABLE = "≈"  # the word itself would be the widest column
# Between columns of a terminal's table; and which columns are left out first where it is narrow:
# the ends of the gain, how many tests are shipped, are truncated, and what is saved.
_GAP = 3
_DISPENSABLE = ({5, 6}, {7}, {10}, {9}, {4})


def summary(report: Report) -> tuple[str, ...]:
    """What to do and what it earns; how that compares with the current rule; how certain it is.

    Args:
        report: What was found on past tests.
    """
    if report.withheld is not None:
        return (
            f"What to do: nothing is advised on this log. {sentence(report.withheld)}",
            "What it earns: the figures below are of the rest alone, and are not to be relied on.",
        )
    if report.found.best is None:
        return _nothing_earned(report)
    best = report.found.best
    return _to_do(report, best), _earnings(report, best), _certainty(report, best)


def _to_do(report: Report, best: int) -> str:
    advice = report.replayed.candidates[best].advice
    head = "What to do" if beats_current(report) else "What did best"
    return f"{head}: {sentence(advice)}"


def _earnings(report: Report, best: int) -> str:
    found, scale, corrected = report.found, Scale.of(report), report.found.corrected
    reach = scale.text(corrected.reach * corrected.error)
    earned = (
        f"What it earns: {scale.text(corrected.roi)} ± {reach} per {scale.unit} on tests that it "
        "was not chosen by"
    )
    current = f"the current rule's {scale.text(found.current.roi)} ({report.current})"
    gain = _size(report, corrected.gain)
    gain += f" ± {_size(report, corrected.reach * corrected.gain_error).lstrip('+')}"
    meaning = f"± is an approximate {_level(report)} interval"
    if not beats_current(report):
        return f"{earned}; that this beats {current} is not shown: {gain}; {meaning}."
    fewer = found.current.cost - float(found.cost[best])
    change = f"{amount(abs(fewer))} {'fewer' if fewer >= 0.0 else 'more'} samples a test"
    return f"{earned}, {gain} above {current}, with {change}; {meaning}."


def beats_current(report: Report) -> bool:
    """Whether choosing a candidate is shown to earn more than the current rule.

    Args:
        report: What was found on past tests.
    """
    return report.found.corrected.gain_low > 0.0


def _certainty(report: Report, best: int) -> str:
    found, scale = report.found, Scale.of(report)
    text = (
        f"How certain: by {found.tests:,} tests it earns "
        f"{_between(scale, found.approximate, best)} (approximate {_level(report)} "
        f"interval{_left_out(report)}), and {len(found.approximate.indistinguishable) - 1:,} of "
        f"{len(found.policies) - 1:,} others are indistinguishable from it"
    )
    if found.guaranteed is None:
        return f"{text}."
    ends = _between(scale, found.guaranteed, best)
    return (
        f"{text}; the guaranteed interval is {ends}, and by such intervals "
        f"{len(found.guaranteed.indistinguishable) - 1:,} of them are."
    )


def _nothing_earned(report: Report) -> tuple[str, ...]:
    found = report.found
    return (
        "What to do: none of these. No policy earned anything on these tests.",
        f"The current rule ({report.current}) earned {_earned_now(report)}.",
        f"How certain: that is by {found.tests:,} tests{_left_out(report)}.",
    )


def _left_out(report: Report) -> str:
    left = report.replayed.left_out
    return f"; {left:,} too short to be judged" if left else ""


def _earned_now(report: Report) -> str:
    scale = Scale.of(report)
    return f"{scale.text(report.found.current.roi)} per {scale.unit}"


def _size(report: Report, gain: float) -> str:
    """A gain in percent of what the current rule earns, where that is above 0."""
    current = report.found.current.roi
    if current > 0.0:
        rounded = round(gain / current, 2) + 0.0
        return f"{rounded:{'+' if rounded else ''},.0%}"
    scale = Scale.of(report)
    return f"{scale.text(gain, signed=True)} per {scale.unit}"


def _between(scale: Scale, verdict: Verdict, index: int) -> str:
    low, high = float(verdict.roi_low[index]), float(verdict.roi_high[index])
    return f"{scale.text(low)} to {scale.text(high)}"


def _level(report: Report) -> str:
    return f"{100.0 * (1.0 - report.found.alpha):.4g}%"


def ranked(report: Report) -> list[int]:
    """The policies by their ROI, after the one that is advised.

    Args:
        report: What was found on past tests.
    """
    found = report.found
    return sorted(range(len(found.policies)), key=lambda k: (k != found.best, -float(found.roi[k])))


def grid(report: Report, *, most: int | None = _MOST_SHOWN, full: bool = False) -> Grid:
    """The policies as a table, the best first.

    Args:
        report: What was found on past tests.
        most: How many rows to show; None for all.
        full: Whether to compare them with the best, too, and to show guaranteed intervals.
    """
    shown = ranked(report)[:most]
    marked = frozenset(place for place, k in enumerate(shown) if _mark(report, k) == "best")
    columns = _columns(report, full)
    cells = tuple(tuple(column[k] for _, column in columns) for k in shown)
    return Grid(tuple(title for title, _ in columns), cells, marked, left=1)


def _columns(report: Report, full: bool) -> list[tuple[str, list[str]]]:
    """Titles, and a text per policy under each."""
    found, approximate, guaranteed = report.found, report.found.approximate, report.found.guaranteed
    scale = Scale.of(report)
    columns = [
        ("policy", [candidate.name for candidate in report.replayed.candidates]),
        ("ROI", scale.texts(found.roi)),
        ("low", scale.texts(approximate.roi_low)),
        ("high", scale.texts(approximate.roi_high)),
    ]
    columns += [
        ("vs current", scale.texts(found.roi - found.current.roi, signed=True)),
        ("low", scale.texts(approximate.gain_low, signed=True)),
        ("high", scale.texts(approximate.gain_high, signed=True)),
        ("shipped", [f"{share:.1%}" for share in found.accept_rate]),
        ("samples", [amount(float(cost) - found.setup_cost) for cost in found.cost]),
        ("saved", [f"{share:.0%}" for share in found.saved]),
        ("truncated", [f"{count:,}" for count in found.truncated]),
        ("", [_mark(report, k) for k in range(len(found.policies))]),
    ]
    if full:
        columns += [
            ("vs best", scale.texts(found.lead, signed=True)),
            ("low", scale.texts(approximate.lead_low, signed=True)),
            ("high", scale.texts(approximate.lead_high, signed=True)),
        ]
    if full and guaranteed is not None:
        columns.append(("guaranteed low", scale.texts(guaranteed.roi_low)))
        columns.append(("guaranteed high", scale.texts(guaranteed.roi_high)))
    return columns


def fitted(table: Grid, width: int) -> Grid:
    """The table of a terminal so many columns wide: what does not fit is left out.

    Args:
        table: All of it that is not for a full one.
        width: How many characters there are in a line.
    """
    lines = (table.header, *table.rows)
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    kept = list(range(len(widths)))
    for dropped in _DISPENSABLE:
        if sum(widths[column] + _GAP for column in kept) <= width:
            break
        kept = [column for column in kept if column not in dropped]
    header, *rows = (tuple(line[column] for column in kept) for line in lines)
    return replace(table, header=header, rows=tuple(rows))


def _mark(report: Report, index: int) -> str:
    if report.withheld is not None:
        return ""
    if index == report.found.best:
        return "best"
    return _INDISTINGUISHABLE if index in report.found.approximate.indistinguishable else ""


def legend(report: Report, table: Grid) -> str:
    """What the columns of the table are.

    Args:
        report: What was found on past tests.
        table: The table.
    """
    meanings = {
        "ROI": f"ROI is what is earned per {Scale.of(report).unit}, set-up included; low and high "
        f"are the ends of its approximate interval ({_level(report)}, for all policies at once).",
        "vs current": "Vs current is by how much it is above the current rule's ROI.",
        "saved": "Saved is the share of all samples that are not drawn.",
        "truncated": "Truncated counts tests that ended before the policy had stopped: they are "
        "taken as dropped.",
        "vs best": "Vs best is by how much it is above the ROI of the best, test by test.",
        "guaranteed low": "Guaranteed low and high are the ends of its guaranteed interval.",
        "": f"Policies marked {_INDISTINGUISHABLE} are indistinguishable from the best.",
    }
    return " ".join(text for title, text in meanings.items() if title in table.header)
