"""States of EmpiricalBayes that earlier versions wrote: logs of programmes hold them for ever."""

from collections.abc import Mapping
from typing import Any

from dwell.fitting.readings import Readings


def as_written_now(fields: Mapping[str, Any]) -> Mapping[str, Any]:
    """What any version wrote, as this one would write it."""
    if "drift" not in fields["settings"]:
        fields = _without_drift(fields)
    return fields if "steady" in fields["state"] else _without_fading(fields)


def _without_fading(fields: Mapping[str, Any]) -> dict[str, Any]:
    """Of a version to which all tests counted alike until the pool changed."""
    state = fields["state"]
    spans = [{**span, "doubtful": False} for span in state["readings"]["spans"]]
    readings = {**state["readings"], "spans": spans, "faded": []}
    return {**fields, "state": {**state, "readings": readings, "steady": [], "steady_at": 0}}


def _without_drift(fields: Mapping[str, Any]) -> dict[str, Any]:
    """Of a version to which the pool never changed."""
    state = dict(fields["state"])
    kinds, counts = state.pop("kinds"), state.pop("counts")
    tests = round(sum(counts))
    span = {
        "start": 0,
        "tests": tests,
        "kinds": kinds,
        "counts": counts,
        "evidence": [],
        "counted": 1.0,
    }
    readings = {
        "spans": [span],
        "shares": [[1.0]],
        "chances": Readings.of(0).chances.tolist(),
        "next_look": 5,
        "evidence": 0.0,
    }
    rounds = [{**each, "tests": float(tests)} for each in state["rounds"]]
    return {
        **fields,
        "settings": {**fields["settings"], "drift": False},
        "state": {**state, "readings": readings, "changes": [], "rounds": rounds},
    }
