"""Figures for programs: JSON and CSV, made here and nowhere else.

What is no finite number is not known: null in JSON, an empty cell in CSV.
"""

import csv
import io
import json
from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass
from math import isfinite
from typing import Any


def plain(value: Any) -> Any:
    """A value as JSON has it: dataclasses and mappings are dicts, sequences are lists.

    Example:
        >>> plain({"roi": float("nan"), "caps": (1, 2)})
        {'roi': None, 'caps': [1, 2]}
    """
    if is_dataclass(value):
        return {field.name: plain(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, Mapping):
        return {name: plain(entry) for name, entry in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(entry) for entry in value]
    return None if isinstance(value, float) and not isfinite(value) else value


# Raised where a field goes away or changes its meaning; a new field does not raise it.
VERSION = 1


def document(value: Mapping[str, object]) -> str:
    """What a command found, as JSON: docs/json.md says what its fields are.

    Example:
        >>> print(document({"cap": 8}))
        {
          "version": 1,
          "cap": 8
        }
    """
    return json_text({"version": VERSION, **value})


def json_text(value: Any) -> str:
    """A value as JSON.

    Example:
        >>> print(json_text({"cap": 8, "roi": float("inf")}))
        {
          "cap": 8,
          "roi": null
        }
    """
    return json.dumps(plain(value), indent=2, allow_nan=False)


def csv_text(rows: Sequence[Any]) -> str:
    """Rows of the same kind, at least one, as CSV with the names of the columns first.

    Example:
        >>> print(csv_text([{"cap": 8, "roi": 0.5}, {"cap": 9, "roi": None}]), end="")
        cap,roi
        8,0.5
        9,
    """
    dicts = [{name: _cell(entry) for name, entry in plain(row).items()} for row in rows]
    text = io.StringIO()
    writer = csv.DictWriter(text, list(dicts[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(dicts)
    return text.getvalue()


def _cell(value: Any) -> Any:
    """A cell: what holds several values is JSON."""
    return json.dumps(value) if isinstance(value, (dict, list)) else value
