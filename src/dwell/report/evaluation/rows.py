"""An evaluation as plain figures for programs."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, fields
from typing import Any

from dwell.history.replay.interval_methods import UNKNOWN
from dwell.report.encode import plain
from dwell.report.evaluation.answer import current_roi
from dwell.report.evaluation.change import changed_fields
from dwell.report.evaluation.durations import Durations, durations_of
from dwell.report.evaluation.report import Report
from dwell.report.evaluation.table import ranked
from dwell.report.evaluation.text import summary
from dwell.report.evaluation.totals import Totals

_CORRECTED = (
    *("roi", "error", "roi_low", "roi_high"),
    *("gain", "gain_error", "gain_low", "gain_high"),
)


def about(report: Report, notes: Sequence[str] = ()) -> dict[str, object]:
    """What the figures are about, for programs; without a set-up cost there is less to say.

    Args:
        report: What was found on past tests.
        notes: What else to know about the log.
    """
    answer, asked = report.answer, report.setup_cost is not None
    return {
        "answer": None if answer is None else answer.kind,
        "sentence": None if answer is None else answer.sentence,
        "summary": list(summary(report)),
        "withheld": report.withheld,
        **(_advised(report) if asked else {}),
        "setup_cost": report.setup_cost,
        "alpha": report.found.alpha,
        "tests": report.found.tests,
        "left_out": report.replayed.left_out,
        "ordered": report.replayed.ordered,
        **(_compared(report) if asked else {"current": {"name": report.current}}),
        "quality": asdict(report.replayed.quality),
        "notes": [*notes, *report.notes],
        "changed": changed_fields(report),
    }


def _advised(report: Report) -> dict[str, object]:
    advised = report.candidate if report.withheld is None else None
    return {
        "best": None if advised is None else advised.name,
        "advice": None if advised is None else advised.advice,
        "beats_current": advised is not None and report.found.corrected.gain_low > 0.0,
    }


def _compared(report: Report) -> dict[str, object]:
    found, candidates = report.found, report.replayed.candidates
    guaranteed = UNKNOWN if found.guaranteed is None else found.guaranteed.current
    alone = current_roi(report)
    chosen = Counter(found.corrected.chosen).most_common()
    return {
        "current": {
            "name": report.current,
            **plain({**asdict(found.current), "roi": found.current.roi}),
            "roi_low": plain(alone.low),
            "roi_high": plain(alone.high),
            "roi_guaranteed_low": plain(guaranteed.low),
            "roi_guaranteed_high": plain(guaranteed.high),
        },
        "corrected": {
            **{name: plain(getattr(found.corrected, name)) for name in _CORRECTED},
            "chosen": [{"policy": candidates[k].name, "times": times} for k, times in chosen],
        },
        "totals": _fields(report.totals, Totals),
        "durations": _fields(durations_of(report), Durations),
        "by_setup_cost": setup_rows(report),
    }


def _fields(found: Any, kind: Any) -> dict[str, object]:
    """Each field of a dataclass; None for what is not known."""
    return {each.name: plain(getattr(found, each.name, None)) for each in fields(kind)}


def setup_rows(report: Report) -> list[dict[str, Any]]:
    """The answer at each set-up cost, and the figures that it rests on.

    Args:
        report: What was found on past tests.
    """
    return [_setup_row(each) for each in report.by_setup_cost]


def _setup_row(report: Report) -> dict[str, Any]:
    found, corrected, best = report.found, report.found.corrected, report.found.best
    answer, advised = report.answer, _advised(report)
    return {
        "setup_cost": report.setup_cost,
        "answer": None if answer is None else answer.kind,
        "policy": advised["best"],
        "advice": advised["advice"],
        **{
            name: plain(getattr(corrected, name))
            for name in ("roi", "roi_low", "roi_high", "gain", "gain_low", "gain_high")
        },
        "current_roi": found.current.roi,
        "samples": None if best is None else float(found.cost[best]) - found.setup_cost,
    }


def rows(report: Report) -> list[dict[str, Any]]:
    """The figures of each policy as plain values, the best first; None for what is not known.

    Without a set-up cost, those of the best policy at each.

    Args:
        report: What was found on past tests.
    """
    if report.setup_cost is None:
        return setup_rows(report)
    guaranteed = tuple(
        f"{what}_guaranteed_{end}" for what in ("roi", "gain", "lead") for end in ("low", "high")
    )
    table = report.table
    found = report.found
    columns = [
        *(name for name in table if name not in ("indistinguishable", *guaranteed)),
        *guaranteed,
    ]
    return [
        {name: plain(table[name][k]) if name in table else None for name in columns}
        | {
            "samples": float(found.cost[k]) - found.setup_cost,
            "best": k == found.best and report.withheld is None,
            "indistinguishable": k in found.approximate.indistinguishable,
            "indistinguishable_guaranteed": None
            if found.guaranteed is None
            else k in found.guaranteed.indistinguishable,
        }
        for k in ranked(report)
    ]


def figures(report: Report, notes: Sequence[str] = ()) -> dict[str, object]:
    """All of it.

    Args:
        report: What was found on past tests.
        notes: What else to know about the log.
    """
    return {**about(report, notes), "rows": rows(report)}
