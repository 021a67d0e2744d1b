"""Plans and evaluations over HTTP: what the commands print, whatever is sent."""

import gzip
import io
import json
from collections.abc import Iterator
from pathlib import Path
from resource import RLIMIT_AS, prlimit
from time import monotonic, process_time
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv as arrow_csv
import pyarrow.parquet as parquet
import pytest

from dwell.errors import InvalidInput
from dwell.service.calls import MEMORY
from dwell.service.problems import Refused
from dwell.service.settings import Settings
from dwell.service.uploads import kept
from dwell.service.workers import Workers, _Worker
from tests.acceptance.commands import run
from tests.api import Api

BOMBS = {
    "nothing": b"",
    "no log": b"a,b\n1,2\n",
    "no number": b"test,order,value\nx,1,far\n",
    "not in order": b"test,order,value\nx,2,1\nx,1,1\ny,1,1\nx,3,1\n",
    "ragged": b"test,order,value\nx,1\n",
    "no text": bytes(range(256)) * 9,
    "broken gzip": b"\x1f\x8b" + b"x" * 99,
    "half a gzip": gzip.compress(b"test,order,value\n" * 9)[:-20],
    "broken Parquet": b"PAR1" + b"x" * 99,
    "a workbook": b"PK\x03\x04" + b"x" * 99,
    "columns without end": b"," * 2**21,
    "a line without end": b"test,order,value\n" + b"9" * 2**21,
    "a path": b"/etc/passwd",
    "a query": b"select * from read_csv('/etc/passwd')",
}


@pytest.fixture(scope="module")
def api() -> Api:
    """A service that takes small logs."""
    return Api(settings=Settings(largest_upload=3 * 2**20, requests_per_second=1e6))


@pytest.fixture(scope="module")
def table() -> pa.Table:
    """A small log."""
    rng = np.random.default_rng(0)
    values = rng.normal(0.1, 1.0, (200, 40)) + rng.normal(0.0, 0.3, (200, 1))
    return pa.table(
        {
            "test": [f"t{i}" for i in range(200) for _ in range(40)],
            "order": [*range(40)] * 200,
            "value": values.ravel().round(3),
        }
    )


@pytest.fixture(scope="module")
def csv(table: pa.Table) -> bytes:
    """The same as CSV."""
    stream = io.BytesIO()
    arrow_csv.write_csv(table, stream)
    return stream.getvalue()


def printed(*words: str) -> Any:
    """The JSON that a command prints."""
    result = run(*words, "--json")
    assert result.exit_code == 0, result.stderr
    return json.loads(result.stdout)


@pytest.mark.parametrize(
    ("sent", "words"),
    [
        ({}, ()),
        (
            {
                "prior": "Atoms(-0.01:0.5, 0.02:0.5)",
                "sd": 0.3,
                "rules": ["p05-two-sided"],
                "setup_cost": 5000,
                "price_per_sample": 0.0,
                "traffic_per_day": 500,
                "min_days": 2,
                "max_days": 10,
                "value_of_lift": 5e6,
            },
            (
                *("--prior", "Atoms(-0.01:0.5, 0.02:0.5)", "--sd", "0.3"),
                *("--rules", "p05-two-sided", "--setup-cost", "5000", "--price-per-sample", "0"),
                *("--traffic-per-day", "500", "--min-days", "2", "--max-days", "10"),
                *("--value-of-lift", "5e6"),
            ),
        ),
        (
            {"law": "Signs", "prior": "Beta(2, 3)", "max_days": 5, "traffic_per_day": 9},
            (
                "--law",
                "Signs",
                "--prior",
                "Beta(2, 3)",
                "--max-days",
                "5",
                "--traffic-per-day",
                "9",
            ),
        ),
    ],
    ids=["defaults", "all terms", "a law"],
)
def test_a_plan_is_what_the_command_prints(
    api: Api, sent: dict[str, Any], words: tuple[str, ...]
) -> None:
    """Field by field, defaults included."""
    assert api.json("POST", "/plan", sent) == printed("plan", *words)


def test_terms_that_make_no_plan_are_refused(api: Api) -> None:
    """Nothing worth testing is a problem of its own; odd terms are those of the command."""
    answer = api("POST", "/plan", json={"price_per_sample": 1e9})
    assert answer.status_code == 422
    assert answer.json()["type"] == "urn:dwell:problem:nothing-worth-testing"
    for sent, words in (
        ({"prior": "Cauchy(1)"}, "unknown prior"),
        ({"law": "Signs", "sd": 1}, "give law or sd, not both"),
        ({"rules": ["luck"]}, "there is no rule"),
        ({"min_days": 9, "max_days": 3}, "min_days must be at most max_days"),
        ({"max_days": 10**12}, "max_days must be at most"),
        ({"sd": 1e300}, "must lie between 1e-30 and 1e30"),
    ):
        status, detail = api.refused("POST", "/plan", sent)
        assert (status, words in detail) == (422, True), detail


def test_an_evaluation_is_what_the_command_prints(
    api: Api, csv: bytes, table: pa.Table, tmp_path: Path
) -> None:
    """CSV, compressed in two parts, and Parquet."""
    path = tmp_path / "log.csv"
    path.write_bytes(csv)
    expected = printed("evaluate", str(path), "--setup-cost", "20", "--bounds", "-9,9")
    stream = io.BytesIO()
    parquet.write_table(table, stream)
    for log in (gzip.compress(csv[:999]) + gzip.compress(csv[999:]), stream.getvalue()):
        terms = {"setup_cost": "20", "bounds": "-9,9"}
        answer = api("POST", "/evaluate", files={"log": ("a.csv", log)}, data=terms)
        assert answer.status_code == 200, answer.text
        assert answer.json() == expected


def test_terms_of_an_evaluation_are_those_of_the_command(
    api: Api, table: pa.Table, tmp_path: Path
) -> None:
    """All that can be said of a log without a file, an address or a query."""
    path = tmp_path / "log.csv"
    arrow_csv.write_csv(table.rename_columns(["id", "order", "revenue"]), path)
    words = {
        **{"columns": "test=id,value=revenue", "form": "raw", "current": "significant"},
        **{"min_samples": "5", "alpha": "0.1", "longest": "50", "bounds": "-9,9", "seed": "3"},
    }
    options = [f"--{name.replace('_', '-')}={value}" for name, value in words.items()]
    log = {"log": ("a.csv", path.read_bytes())}
    answer = api("POST", "/evaluate", files=log, data=words)
    assert answer.json() == printed("evaluate", str(path), *options)


@pytest.mark.parametrize("log", BOMBS.values(), ids=BOMBS.keys())
def test_what_is_no_log_is_refused(api: Api, log: bytes) -> None:
    """In a sentence that names no file of ours."""
    status, detail = api.refused(
        "POST", "/evaluate", files={"log": ("../../etc/passwd", log)}, data={"setup_cost": "1"}
    )
    assert status in (413, 422), detail
    assert "dwell-" not in detail
    assert "/tmp" not in detail


def test_a_log_that_unpacks_to_too_much_is_not_unpacked(api: Api) -> None:
    """Compressed or not, what is too large is refused before it is read."""
    for log in (gzip.compress(b"0" * 2**26), b"0" * (3 * 2**20 + 1)):
        answer = api("POST", "/evaluate", files={"log": ("a.csv", log)})
        assert answer.status_code == 413
        assert answer.json()["type"] == "urn:dwell:problem:too-large"


def test_a_log_in_very_many_packed_parts_is_refused_soon() -> None:
    """Empty ones come to nothing, however many there are, and take long; a few are no matter."""
    began = process_time()
    with (
        pytest.raises(InvalidInput, match="more than 65,536 parts"),
        kept(io.BytesIO(gzip.compress(b"") * 300_000), 2**26),
    ):
        pass
    assert process_time() - began < 5.0
    parts = b"".join(gzip.compress(b"%d\n" % k) + gzip.compress(b"") for k in range(500))
    with kept(io.BytesIO(parts), 2**26) as path:
        assert path.read_bytes() == b"".join(b"%d\n" % k for k in range(500))


def test_few_bytes_of_parquet_that_are_very_many_rows_come_to_an_end() -> None:
    """A process of its own runs out of time or memory, and the service goes on."""
    stream, rows = io.BytesIO(), 2**20
    piece = pa.table({"test": pa.repeat("a", rows), "value": pa.repeat(0.5, rows)})
    piece = piece.append_column("order", pa.repeat(1, rows))
    with parquet.ParquetWriter(stream, piece.schema, compression="zstd") as writer:
        for _ in range(30):
            writer.write_table(piece)
    assert len(stream.getvalue()) < 2**20
    hurried = Api(settings=Settings(call_seconds=1.0))
    files = {"log": ("a.parquet", stream.getvalue())}
    assert hurried.refused("POST", "/evaluate", files=files)[0] in (413, 422)
    assert hurried.client.get("/healthz").status_code == 200


def test_what_takes_too_long_is_ended() -> None:
    """Whatever the process does."""
    with pytest.raises(Refused, match=r"more than the 0\.2 s"):
        Workers(1, 0.2).compute("plan", _asked())


def test_a_process_that_computes_has_so_much_memory_and_no_more() -> None:
    """Whatever a log comes to: the service has the rest."""
    worker = _Worker()
    try:
        call = {"call": "evaluate", "asked": {"path": "nowhere.csv"}, "page": False}
        assert worker.answer(call, monotonic() + 60.0, lambda _: None), "it is at work"
        assert prlimit(worker._process.pid, RLIMIT_AS) == (MEMORY, MEMORY)
    finally:
        worker.end()


def test_no_more_is_computed_at_once_than_may_be(api: Api) -> None:
    """Others are asked to come again, and are let in once there is room."""
    workers = api.app.state.workers
    for _ in range(Settings().most_calls):
        assert workers._free.acquire(blocking=False)
    answer = api("POST", "/plan", json={})
    assert (answer.status_code, answer.headers["retry-after"]) == (503, "2")
    assert answer.json()["type"] == "urn:dwell:problem:busy"
    for _ in range(Settings().most_calls):
        workers._free.release()
    assert api.refused("POST", "/plan", {"prior": "Cauchy(1)"})[0] == 422


def test_a_process_that_died_is_replaced(api: Api) -> None:
    """The next call is answered by another."""
    workers = api.app.state.workers
    dead = _Worker()
    dead._process.kill()
    dead._process.wait()
    workers._idle.append(dead)
    assert api.refused("POST", "/plan", {"prior": "Cauchy(1)"})[0] == 422
    assert dead not in workers._idle


def test_progress_is_told_and_a_page_is_drawn(api: Api, csv: bytes, tmp_path: Path) -> None:
    """Shares of the work come in order, and the page is the command's."""
    path = tmp_path / "log.csv"
    path.write_bytes(csv)
    shares: list[float] = []
    found = api.app.state.workers.compute(
        "evaluate", {"path": str(path), "setup_cost": 20.0}, page=True, advance=shares.append
    )
    assert shares == sorted(shares)
    assert found.page.startswith("<!DOCTYPE html>")


def _asked(**given: Any) -> dict[str, Any]:
    """Terms of a plan, nearly all of them left out."""
    return {**dict.fromkeys(_names()), **given}


def _names() -> Iterator[str]:
    from dwell.service.api.computed import PlanSent

    return iter(PlanSent.model_fields)
