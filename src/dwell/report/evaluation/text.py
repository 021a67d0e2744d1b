"""An evaluation in three lines and a table."""

from dataclasses import replace
from statistics import NormalDist

from dwell.history.evaluation import Verdict
from dwell.report.evaluation.report import Report
from dwell.report.evaluation.scale import Scale
from dwell.report.tables import Grid, amount, sentence

_MOST_SHOWN = 15
# Between columns of a terminal's table; and which columns are left out first where it is narrow:
# the ends of the gain, how many tests are shipped, are cut, and what is saved.
_GAP = 3
_DISPENSABLE = ({5, 6}, {7}, {10}, {9}, {4})


def summary(report: Report) -> tuple[str, ...]:
    """What to do and what it earns; how that compares with today; how sure it is.

    Args:
        report: What was found on past tests.
    """
    if report.found.best is None:
        return _nothing_earned(report)
    best = report.found.best
    return _to_do(report, best), _earnings(report, best), _sureness(report, best)


def _to_do(report: Report, best: int) -> str:
    advice = report.past.candidates[best].advice
    head = "What to do" if beats_today(report) else "What did best"
    return f"{head}: {sentence(advice)}"


def _earnings(report: Report, best: int) -> str:
    found, scale, corrected = report.found, Scale.of(report), report.found.corrected
    earned = (
        f"What it earns: {scale.text(corrected.roi)} ± {scale.text(corrected.error)} per "
        f"{scale.unit} on tests that it was not chosen by"
    )
    now = f"today's {scale.text(found.present.roi)} ({report.present})"
    gain, error = (_size(report, size) for size in (corrected.gain, corrected.gain_error))
    if not beats_today(report):
        return f"{earned}; that this beats {now} is not shown: {gain} ± {error.lstrip('+')}."
    fewer = found.present.cost - float(found.cost[best])
    change = f"{amount(abs(fewer))} {'fewer' if fewer >= 0.0 else 'more'} samples a test"
    return f"{earned}, {gain} ± {error.lstrip('+')} above {now}, with {change}."


def beats_today(report: Report) -> bool:
    """Whether choosing a candidate is shown to earn more than is earned today.

    Args:
        report: What was found on past tests.
    """
    corrected, alpha = report.found.corrected, report.found.alpha
    return corrected.gain > NormalDist().inv_cdf(1.0 - alpha / 2.0) * corrected.gain_error


def _sureness(report: Report, best: int) -> str:
    found, scale = report.found, Scale.of(report)
    text = (
        f"How sure: by {found.tests:,} tests it earns {_between(scale, found.rough, best)} "
        f"({_level(report)}, roughly{_left_out(report)}), "
    )
    others = len(found.policies) - 1
    text += f"and {len(found.rough.alike) - 1:,} of {others:,} others cannot be told apart from it"
    if found.sure is None:
        return f"{text}."
    surely = _between(scale, found.sure, best)
    return f"{text}; for sure it is {surely}, and {len(found.sure.alike) - 1:,} of them cannot."


def _nothing_earned(report: Report) -> tuple[str, ...]:
    found = report.found
    return (
        "What to do: none of these. No policy earned anything on these tests.",
        f"What is done today ({report.present}) earned {_earned_today(report)}.",
        f"How sure: that is by {found.tests:,} tests{_left_out(report)}.",
    )


def _left_out(report: Report) -> str:
    left = report.past.left_out
    return f"; {left:,} too short to be judged" if left else ""


def _earned_today(report: Report) -> str:
    scale = Scale.of(report)
    return f"{scale.text(report.found.present.roi)} per {scale.unit}"


def _size(report: Report, gain: float) -> str:
    """A gain in percent of what is earned today, where that is above 0."""
    now = report.found.present.roi
    if now > 0.0:
        rounded = round(gain / now, 2) + 0.0
        return f"{rounded:{'+' if rounded else ''},.0%}"
    scale = Scale.of(report)
    return f"{scale.text(gain, signed=True)} per {scale.unit}"


def _between(scale: Scale, verdict: Verdict, index: int) -> str:
    low, high = float(verdict.roi_low[index]), float(verdict.roi_high[index])
    return f"{scale.text(low)} to {scale.text(high)}"


def _level(report: Report) -> str:
    return f"{100.0 * (1.0 - report.found.alpha):.4g}%"


def ranked(report: Report) -> list[int]:
    """The policies by their ROI, the best first.

    Args:
        report: What was found on past tests.
    """
    return sorted(range(len(report.found.policies)), key=lambda k: -float(report.found.roi[k]))


def grid(report: Report, *, most: int | None = _MOST_SHOWN, full: bool = False) -> Grid:
    """The policies as a table, the best first.

    Args:
        report: What was found on past tests.
        most: How many rows to show; None for all.
        full: Whether to compare them with the best, too, and to show intervals that are sure.
    """
    shown = ranked(report)[:most]
    marked = frozenset(place for place, k in enumerate(shown) if k == report.found.best)
    columns = _columns(report, full)
    cells = tuple(tuple(column[k] for _, column in columns) for k in shown)
    return Grid(tuple(title for title, _ in columns), cells, marked, left=1)


def _columns(report: Report, full: bool) -> list[tuple[str, list[str]]]:
    """Titles, and a text per policy under each."""
    found, rough, sure = report.found, report.found.rough, report.found.sure
    scale = Scale.of(report)
    columns = [
        ("policy", [candidate.name for candidate in report.past.candidates]),
        ("ROI", scale.texts(found.roi)),
        ("low", scale.texts(rough.roi_low)),
        ("high", scale.texts(rough.roi_high)),
    ]
    columns += [
        ("vs today", scale.texts(found.roi - found.present.roi, signed=True)),
        ("low", scale.texts(rough.gain_low, signed=True)),
        ("high", scale.texts(rough.gain_high, signed=True)),
        ("shipped", [f"{share:.1%}" for share in found.accept_rate]),
        ("samples", [amount(float(cost) - found.setup_cost) for cost in found.cost]),
        ("saved", [f"{share:.0%}" for share in found.saved]),
        ("cut", [f"{count:,}" for count in found.cut]),
        ("", [_mark(report, k) for k in range(len(found.policies))]),
    ]
    if full:
        columns += [
            ("vs best", scale.texts(found.roi - found.roi.max(), signed=True)),
            ("low", scale.texts(rough.lead_low, signed=True)),
            ("high", scale.texts(rough.lead_high, signed=True)),
        ]
    if full and sure is not None:
        columns.append(("surely low", scale.texts(sure.roi_low)))
        columns.append(("surely high", scale.texts(sure.roi_high)))
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
    if index == report.found.best:
        return "best"
    return "alike" if index in report.found.rough.alike else ""


def legend(report: Report, table: Grid) -> str:
    """What the columns of the table are.

    Args:
        report: What was found on past tests.
        table: The table.
    """
    meanings = {
        "ROI": f"ROI is what is earned per {Scale.of(report).unit}, set-up included; low and high "
        f"are the ends of its rough interval ({_level(report)}, for all policies at once).",
        "vs today": "Vs today is by how much it is above the ROI of what is done today.",
        "saved": "Saved is the share of all samples that are not drawn.",
        "cut": "Cut counts tests that ended before the policy had stopped: they are taken as "
        "dropped.",
        "vs best": "Vs best is by how much it is above the ROI of the best, test by test.",
        "surely low": "Surely low and high are the ends of the ROI's interval that is sure.",
        "": "Policies that are alike cannot be told apart from the best.",
    }
    return " ".join(text for title, text in meanings.items() if title in table.header)
