"""What comes to more than it looks, once it is unpacked or read, is refused or harmless."""

import gzip
import json
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as parquet
import pytest

from dwell.service.calls import answered
from tests.guarded import Service
from tests.guarded import public as public

COUNTS = b"test,n_c,x_c,n_t,x_t\n"


@pytest.mark.parametrize(
    ("log", "status"),
    [
        (gzip.compress(COUNTS + b"a,5,1,5,1\n" * 10_000_000, 1), 413),
        (COUNTS + b'"' + b"a,\n" * 2**20, 422),
    ],
    ids=["gzip", "quote"],
)
def test_a_bomb_does_no_harm_to_the_service(public: Service, log: bytes, status: int) -> None:
    """A log that would come to much once it is unpacked, and one that never ends its first cell."""
    answer = public.call(
        *("POST", "/api/v1/evaluate", "read"),
        files={"log": ("log.csv", log)},
        data={"setup_cost": "1"},
        timeout=60.0,
    )
    assert answer.status_code == status, answer.text
    assert public.call("GET", "/healthz").status_code == 200


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("", b"[" * 10**6),
        ("", b'{"name":' * 10**5),
        ("", b'{"name": "a", "cap": ' + b"9" * 10**6 + b"}"),
        ("", b'{"name": "a", "setup_cost": 1e999}'),
        ("", b'{"name": "\\ud800", "caps": "1"}'),
        ("", b'{"name": "a\\u0000b", "caps": "1"}'),
        ("", b"\xff\xfe{}"),
        ("", b'{"name": "a", "caps": "1:1e18"}'),
        ("", b'{"name": "a", "caps": "1:4000000"}'),
        ("/checkout/tellings", b'{"tellings": [' + b"{}," * 10**6 + b"{}]}"),
    ],
    ids=[
        *("lists", "objects", "digits", "infinity", "half", "null"),
        "bytes",
        "caps",
        "many",
        "tells",
    ],
)
def test_json_that_is_made_to_break_something_is_refused(
    public: Service, path: str, body: bytes
) -> None:
    """Deep, long, or no text at all: a problem that is the sender's, and no fault."""
    headers = {"Content-Type": "application/json"}
    answer = public.call(
        *("POST", f"/api/v1/programmes{path}", "admin"), content=body, headers=headers, timeout=60.0
    )
    assert answer.status_code in (400, 422), answer.text[:300]
    assert answer.headers["content-type"] == "application/problem+json"
    assert len(answer.content) < 10_000


def evaluated(path: Path) -> dict[str, Any]:
    """What the process that evaluates makes of a log."""
    asked = {"path": str(path), "setup_cost": 1.0}
    call = {"call": "evaluate", "asked": asked, "page": False}
    return answered(json.dumps(call), lambda _: None)


@pytest.mark.parametrize(
    ("log", "said"),
    [
        (gzip.compress(bytes(2**24)), "must be a CSV file"),
        (COUNTS + b"a" * 2**22 + b",5,1,5,1\n", "must be a CSV file"),
        (b",".join(b"c%d" % i for i in range(2**17)) + b"\n", "must have the columns"),
        (COUNTS + b"a,9" + b"9" * 2**16 + b",1,5,1\n", "at most 2^53"),
        (COUNTS + b"a,99999999999999999999,1,5,1\nb,5,1,5,1\n", "at most 2^53"),
    ],
    ids=["zeros", "a cell", "columns", "digits", "users"],
)
def test_a_log_that_is_larger_than_it_looks_is_refused(
    tmp_path: Path, log: bytes, said: str
) -> None:
    """Small files that would come to much: unpacked twice, in one cell, in columns, in users."""
    path = tmp_path / "log.csv"
    path.write_bytes(log)
    answer = evaluated(path)
    assert answer["error"] == "InvalidInput"
    assert said in answer["detail"]
    assert str(tmp_path) not in answer["detail"]
    assert len(answer["detail"]) < 1000


def test_a_parquet_file_that_expands_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A column of equal values takes a few bytes, however many there are: they are counted."""
    rows = 2**20
    monkeypatch.setattr("dwell.service.calls._MOST_VALUES", 2 * rows)
    names = pa.DictionaryArray.from_arrays(pa.array(np.zeros(rows, np.int8)), pa.array(["blue"]))
    numbers = pa.array(np.zeros(rows))
    path = tmp_path / "log.parquet"
    parquet.write_table(pa.table({"test": names, "order": numbers, "value": numbers}), path)
    assert path.stat().st_size < rows // 16
    answer = evaluated(path)
    assert answer["error"] == "InvalidInput"
    assert f"got {3 * rows:,}" in answer["detail"]
    path.write_bytes(path.read_bytes()[:-100] + bytes(92) + b"\0\xff\xff\x7fPAR1")
    assert "must be a Parquet file" in evaluated(path)["detail"]
