"""Tables of an evaluation: rules, best first; and the best rule at each set-up cost."""

from dataclasses import replace

from dwell.report.evaluation.report import Report
from dwell.report.evaluation.scale import Scale
from dwell.report.evaluation.text import gain_scale, level, samples_a_test
from dwell.report.tables import Grid, amount

_MOST_SHOWN = 15
_INDISTINGUISHABLE = "≈"  # the words would be the widest column
# Between columns of a terminal's table; and which columns are left out first where it is narrow:
# the ends of the gain, how many tests are shipped, are truncated, and what is saved.
_GAP = 3
_DISPENSABLE = ({5, 6}, {7}, {10}, {9}, {4})
_ANSWERS = {
    "change": "change",
    "keep": "keep today's",
    "nothing-earns": "nothing earns",
    "withheld": "none",
}


def ranked(report: Report) -> list[int]:
    """The policies by their ROI, the best first.

    Args:
        report: What was found on past tests.
    """
    return sorted(range(len(report.found.policies)), key=lambda k: -float(report.found.roi[k]))


def best_first(report: Report) -> list[int]:
    """The one that is advised, then the others by their ROI.

    Args:
        report: What was found on past tests.
    """
    best = report.found.best
    others = [k for k in ranked(report) if k != best]
    return others if best is None else [best, *others]


def different(report: Report) -> list[int]:
    """The same; of policies that would have done the same only one.

    Args:
        report: What was found on past tests.
    """
    found, seen = report.found, dict[tuple[float, float, float], int]()
    for k in best_first(report):
        key = (float(found.reward[k]), float(found.cost[k]), float(found.accept_rate[k]))
        seen.setdefault(key, k)
    return list(seen.values())


def grid(report: Report, *, most: int | None = _MOST_SHOWN, full: bool = False) -> Grid:
    """The rules as a table, the best first.

    Args:
        report: What was found on past tests.
        most: How many rows to show; None for all.
        full: Whether to compare them with the best, too, and to show guaranteed intervals.
    """
    shown = best_first(report)[:most]
    marked = frozenset(place for place, k in enumerate(shown) if _mark(report, k) == "best")
    columns = _columns(report, full)
    cells = tuple(tuple(column[k] for _, column in columns) for k in shown)
    return Grid(tuple(title for title, _ in columns), cells, marked, left=1)


def _columns(report: Report, full: bool) -> list[tuple[str, list[str]]]:
    """Titles, and a text per policy under each."""
    found, approximate, guaranteed = report.found, report.found.approximate, report.found.guaranteed
    scale = Scale.of(report)
    columns = [
        ("rule", [candidate.name for candidate in report.replayed.candidates]),
        ("ROI", scale.texts(found.roi)),
        ("low", scale.texts(approximate.roi_low)),
        ("high", scale.texts(approximate.roi_high)),
    ]
    columns += [
        ("gain", scale.texts(found.roi - found.current.roi, signed=True)),
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
    certain = f"{level(report)}, for all {len(report.found.policies):,} rules at once"
    meanings = {
        "ROI": f"ROI is what is earned per {Scale.of(report).unit}, set-up included, and gain by "
        "how much that is above today's rule; low and high are the ends of intervals "
        f"({certain}: so they are wider than those above, which decide).",
        "saved": "Saved is the share of all samples that are not drawn.",
        "truncated": "Truncated counts tests that ended before the rule had stopped: "
        f"{cut_short(report)}.",
        "vs best": "Vs best is by how much it is above the ROI of the best, test by test.",
        "guaranteed low": "Guaranteed low and high are the ends of its guaranteed interval.",
        "": f"Rules marked {_INDISTINGUISHABLE} cannot be told apart from the best.",
    }
    return " ".join(text for title, text in meanings.items() if title in table.header)


def cut_short(report: Report) -> str:
    """What becomes of a test that ends before a rule has stopped.

    Args:
        report: What was found on past tests.
    """
    if any(candidate.rule is None for candidate in report.replayed.candidates):
        return "it is taken as dropped"
    return "what is ahead there is shipped, but for rules that drop what is undecided"


def setup_grid(report: Report) -> Grid:
    """The best rule at each set-up cost, what it earns and its gain over the current one.

    Args:
        report: What was found on past tests.
    """
    shown = report.by_setup_cost
    samples = setup_scale(report).samples
    rows = tuple(_setup_row(each, samples) for each in shown)
    marked = frozenset(
        place for place, each in enumerate(shown) if each.setup_cost == report.setup_cost
    )
    header = ("set-up cost", "answer", "best rule", "ROI", "gain", "at least", "at most", "samples")
    return Grid(header, rows, marked, left=3)


def setup_scale(report: Report) -> Scale:
    """Per how many samples ROIs are given where set-up costs differ.

    Args:
        report: What was found on past tests.
    """
    shown = report.by_setup_cost
    return Scale.of(shown[len(shown) // 2])


def _setup_row(report: Report, samples: int) -> tuple[str, ...]:
    corrected, finer = report.found.corrected, gain_scale(report, samples)
    assert report.setup_cost is not None  # it is what rows differ in
    assert report.answer is not None
    return (
        f"{report.setup_cost:,g}",
        _ANSWERS[report.answer.kind],
        "none" if report.candidate is None else report.candidate.name,
        Scale.of(report, samples).text(corrected.roi),
        *(
            finer.text(end, signed=True)
            for end in (corrected.gain, corrected.gain_low, corrected.gain_high)
        ),
        samples_a_test(report),
    )


def setup_legend(report: Report) -> str:
    """What the columns of that table are.

    Args:
        report: What was found on past tests.
    """
    return (
        "Set-up costs are in samples, from 0 to ten times a past test. ROI is what choosing the "
        f"best rule earns per {setup_scale(report).unit} on tests that it was not chosen by; gain "
        f"is by how much that is above today's rule ({report.current}) on the same tests, with "
        f"its {level(report)} interval (at least, at most); samples are what a test of that rule "
        "draws."
    )


def setup_finding(report: Report) -> str:
    """Where a change pays, as the heading of what shows it.

    Args:
        report: What was found on past tests.
    """
    places = [
        place
        for place, each in enumerate(report.by_setup_cost)
        if each.answer is not None and each.answer.kind == "change"
    ]
    pays = [f"{report.by_setup_cost[place].found.setup_cost:,g}" for place in places]
    if not pays:
        return "At none of these set-up costs is a change shown to pay"
    if len(pays) == 1:
        return f"A change is shown to pay at a set-up cost of {pays[0]} samples"
    if places == list(range(places[0], places[-1] + 1)):
        return f"A change is shown to pay at set-up costs of {pays[0]} to {pays[-1]} samples"
    listed = f"{', '.join(pays[:-1])} and {pays[-1]}"
    return f"A change is shown to pay at set-up costs of {listed} samples"
