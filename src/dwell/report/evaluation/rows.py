"""An evaluation as plain figures for programs."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from dwell.history.replay.interval_methods import UNKNOWN
from dwell.report.encode import plain
from dwell.report.evaluation.report import Report
from dwell.report.evaluation.text import beats_current, ranked, summary


def about(report: Report, notes: Sequence[str] = ()) -> dict[str, object]:
    """What the figures are about, for programs.

    Args:
        report: What was found on past tests.
        notes: What else to know about the log.
    """
    found, replayed = report.found, report.replayed
    current = {**asdict(found.current), "roi": found.current.roi}
    guaranteed = UNKNOWN if found.guaranteed is None else found.guaranteed.current
    advised = report.candidate if report.withheld is None else None
    return {
        "summary": list(summary(report)),
        "withheld": report.withheld,
        "best": None if advised is None else advised.name,
        "advice": None if advised is None else advised.advice,
        "beats_current": advised is not None and beats_current(report),
        "setup_cost": found.setup_cost,
        "alpha": found.alpha,
        "tests": found.tests,
        "left_out": replayed.left_out,
        "ordered": replayed.ordered,
        "current": {
            "name": report.current,
            **plain(current),
            "roi_low": plain(found.approximate.current.low),
            "roi_high": plain(found.approximate.current.high),
            "roi_guaranteed_low": plain(guaranteed.low),
            "roi_guaranteed_high": plain(guaranteed.high),
        },
        "corrected": {
            name: plain(getattr(found.corrected, name))
            for name in (
                *("roi", "error", "roi_low", "roi_high"),
                *("gain", "gain_error", "gain_low", "gain_high"),
            )
        }
        | {
            "chosen": [
                {"policy": replayed.candidates[k].name, "times": times}
                for k, times in Counter(found.corrected.chosen).most_common()
            ]
        },
        "quality": asdict(replayed.quality),
        "notes": [*notes, *report.notes],
    }


def rows(report: Report) -> list[dict[str, Any]]:
    """The figures of each policy as plain values, the best first; None for what is not known.

    Args:
        report: What was found on past tests.
    """
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
