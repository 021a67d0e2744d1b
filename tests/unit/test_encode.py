"""Figures for programs: JSON and CSV."""

import csv
import io
import json
from dataclasses import dataclass
from math import inf, nan

import pytest

from dwell.report.encode import csv_text, json_text, plain


@dataclass(frozen=True, slots=True)
class Row:
    """A row as commands have them."""

    name: str
    roi: float | None
    caps: tuple[int, ...] = ()


def test_dataclasses_are_dicts_at_any_depth() -> None:
    """Within lists and mappings, and within one another."""
    row = Row("a", 0.5, (1, 2))
    expected = {"name": "a", "roi": 0.5, "caps": [1, 2]}
    assert plain({"rows": [row], "best": row}) == {"rows": [expected], "best": expected}


@pytest.mark.parametrize("number", [nan, inf, -inf])
def test_what_is_no_finite_number_is_not_known(number: float) -> None:
    """Null in JSON, empty in CSV, however deep it lies."""
    row = Row("a", number)
    assert json.loads(json_text({"rows": [row, [number]]})) == {
        "rows": [{"name": "a", "roi": None, "caps": []}, [None]]
    }
    [written] = csv.DictReader(io.StringIO(csv_text([row])))
    assert written["roi"] == ""


def test_csv_quotes_what_it_has_to() -> None:
    """A name may hold commas, quotes and line ends."""
    name = 'a, "b"\nc'
    [written] = csv.DictReader(io.StringIO(csv_text([{"name": name, "roi": 1.0}])))
    assert written == {"name": name, "roi": "1.0"}
