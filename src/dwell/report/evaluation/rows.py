"""An evaluation as plain figures for programs."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from dwell.report.encode import plain
from dwell.report.evaluation.report import Report
from dwell.report.evaluation.text import beats_today, ranked, summary


def about(report: Report, notes: Sequence[str] = ()) -> dict[str, object]:
    """What the figures are about, for programs.

    Args:
        report: What was found on past tests.
        notes: What else to know about the log.
    """
    found, past = report.found, report.past
    present = {**asdict(found.present), "roi": found.present.roi}
    return {
        "summary": list(summary(report)),
        "best": None if report.candidate is None else report.candidate.name,
        "advice": None if report.candidate is None else report.candidate.advice,
        "beats_today": found.best is not None and beats_today(report),
        "setup_cost": found.setup_cost,
        "alpha": found.alpha,
        "tests": found.tests,
        "left_out": past.left_out,
        "ordered": past.ordered,
        "present": {
            "name": report.present,
            **plain(present),
            "roi_low": plain(found.rough.present.low),
            "roi_high": plain(found.rough.present.high),
        },
        "corrected": {
            name: plain(getattr(found.corrected, name))
            for name in ("roi", "error", "gain", "gain_error")
        }
        | {"chosen": [past.candidates[k].name for k in found.corrected.chosen]},
        "quality": asdict(past.quality),
        "notes": [*notes, *report.notes],
    }


def rows(report: Report) -> list[dict[str, Any]]:
    """The figures of each policy as plain values, the best first; None for what is not known.

    Args:
        report: What was found on past tests.
    """
    sure = tuple(
        f"{what}_surely_{end}" for what in ("roi", "gain", "lead") for end in ("low", "high")
    )
    table = report.table
    found = report.found
    columns = [*(name for name in table if name not in ("alike", *sure)), *sure]
    return [
        {name: plain(table[name][k]) if name in table else None for name in columns}
        | {
            "samples": float(found.cost[k]) - found.setup_cost,
            "best": k == found.best,
            "alike": k in found.rough.alike,
            "surely_alike": None if found.sure is None else k in found.sure.alike,
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
