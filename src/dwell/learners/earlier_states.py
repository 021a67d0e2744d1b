"""States of EmpiricalBayes that earlier versions wrote: logs of programmes hold them for ever."""

from collections.abc import Mapping
from typing import Any

from dwell.fitting.readings import Readings


def without_drift(fields: Mapping[str, Any]) -> dict[str, Any]:
    """What a version wrote to which the pool never changed, as this one would write it."""
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
