"""Dirty logs: refused in one sentence with the row, or counted; a dry run tells it all."""

import gzip
from contextlib import suppress
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as parquet
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import chisquare

from dwell import InvalidInput
from dwell.history.reading.inspection import Inspection, check
from dwell.history.reading.log import Log
from dwell.history.reading.quality import Quality
from dwell.history.reading.sources import Query
from tests.blocks import sample_blocks
from tests.refusals import refused
from tests.strategies import PROPERTY


def read(source: object, **options: Any) -> Quality:
    """Everything, summed up."""
    return sum((block.quality for block in Log(source, **options).blocks()), Quality())


def written(text: str | bytes, folder: Path, name: str = "log.csv") -> Path:
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def kinds(inspection: Inspection) -> dict[str, tuple[int, tuple[int, ...]]]:
    return {each.kind: (each.count, each.rows) for each in inspection.faults}


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("", ["columns", "test, order, value", "none"]),
        ("\n\n", ["columns", "test, order, value", "none"]),
        ("test,order\na,1", ["columns", "test, order, value", "'test, order'"]),
        ("test,order,value,value\na,1,2,3", ["one column 'value'", "2"]),
        ("test,order,value\na,1,0\na,2,far", ["value in row 2", "finite number", "'far'"]),
        ("test,order,value\na,1,nan", ["value in row 1", "'nan'"]),
        ("test,order,value\na,1,1\na,2,-inf", ["value in row 2", "'-inf'"]),
        ("test,order,value\na,1,1\n\na,2,", ["value in row 2", "''"]),
        ("test,order,value\na,1,1\n,2,1", ["test in row 2", "name a test", "''"]),
        ("test,order,value\na,1,1\na,x,1", ["order in row 2", "whole number", "'x'"]),
        ("test,order,value\na,1,1\na,1,2", ["rows 1 and 2", "test a"]),
        ("test,order,value\na,2,1\na,1,2", ["row 2", "test a", "sort=True"]),
        ("test,order,value\na,1,1\nb,1,1\na,2,2", ["test a again in row 3", "sort=True"]),
        ("test,order,value\na,1,1\na,2", ["3 cells", "2 in row 2"]),
        ("test,order,value\na,1,1\na,2,3,4", ["3 cells", "4 in row 2"]),
        ("test,arm,order,outcome\na,c,1,1\na,x,2,2", ["arm in row 2", "'x'", "arms"]),
        ("test,arm,order,outcome\na,c,1,1\na,t,1,2\na,c,1,4", ["rows 1 and 3", "test a"]),
        ("test,n_c,x_c,n_t,x_t\na,1,1,1,1.5", ["x_t in row 1", "whole number >= 0", "'1.5'"]),
        ("test,n_c,x_c,n_t,x_t\na,-1,1,1,1", ["n_c in row 1", "'-1'"]),
        ("test,n_c,x_c,n_t,x_t\na,1,1,1e30,1", ["n_t in row 1", "'1e30'"]),
        ("test,n_c,x_c,n_t,x_t\na,9,1,1,1\nb,9,10,9,0", ["at most n_c", "test b in row 2"]),
        ("test,n_c,x_c,n_t,x_t\na,1,1,1,1\nb,1,1,1,1\na,1,1,1,1", ["one row", "a in row 3"]),
        ("test,period,n,mean,variance\na,1,-1,1,1", ["n in row 1", ">= 0", "'-1'"]),
        ("test,period,n,mean,variance\na,1,2,1,NULL", ["variance in row 1", ">= 0", "'NULL'"]),
        ("test,period,n,mean,variance\na,1,1,,1", ["mean in row 1", "finite number", "''"]),
        ("test,period,n,mean,variance\na,1,1e16,1,1", ["n in row 1", "at most 2^53", "'1e16'"]),
        ("test,arm,order,outcome\na,b,1,1\na,c,2,2", ["which is the control", "b, c", "row 1"]),
        ("test,period,n,mean,variance\na,1,1,1,-1", ["variance in row 1", ">= 0", "'-1'"]),
        ("test,period,n,mean,variance\na,1,2,1,1\na,1,2,1,1", ["rows 1 and 2", "test a"]),
        (b"test,order,value\n\xff,1,1", ["CSV", "UTF8"]),
    ],
)
def test_a_dirty_log_is_refused_with_its_row(
    text: str | bytes, named: list[str], tmp_path: Path
) -> None:
    """Each in one sentence that names the file, and a dry run says the same."""
    path = written(text, tmp_path)
    with refused("log.csv", *named):
        read(path)
    inspection = check(path)
    assert not (inspection.usable and inspection.ordered)


@pytest.mark.parametrize(
    "text",
    [
        "\ufeffTest, ORDER ,value\r\na, 1, 2.5\r\n\r\na, 2,\t3e0\r\n",
        'value,other,test,order\n2.5,"x\ny",a,1\n3,"a ""b"", c",a,2',
    ],
)
def test_spaces_marks_and_other_columns_do_no_harm(text: str, tmp_path: Path) -> None:
    """As spreadsheets and warehouses write them."""
    [block] = sample_blocks(Log(written(text, tmp_path)))
    assert (block.names, block.samples.tolist()) == (("a",), [2.5, 3.0])


def test_tabs_separate_where_the_name_says_so(tmp_path: Path) -> None:
    """A file may end in .tsv."""
    assert read(written("test\torder\tvalue\na\t1\t2\n", tmp_path, "log.tsv")).rows == 1


def test_what_is_missing_or_no_log_is_refused(tmp_path: Path) -> None:
    """Paths, kinds of files, queries and objects."""
    with refused("nowhere.csv", "none"):
        Log(tmp_path / "nowhere.csv")
    with refused("*.csv", "none"):
        Log(str(tmp_path / "*.csv"))
    with refused(tmp_path, "0 others"):
        Log(tmp_path)
    with refused("log.xlsx", ".parquet"):
        Log(written("test", tmp_path, "log.xlsx"))
    with refused("bad.parquet", "Parquet"):
        Log(written("test", tmp_path, "bad.parquet"))
    with refused("query", "nowhere"):
        Log(Query("select nothing from nowhere"))
    with refused("select"):
        Log(Query("select 1 as test"), form="raw", columns={"value": "select"})
    with refused("query", "columns"):
        Log(Query("set threads = 1"))
    with refused("mysql://", "DuckDB"):
        Query("select 1", "mysql://somewhere")
    with refused("no.duckdb"):
        Log(Query("select 1", tmp_path / "no.duckdb"))
    with refused("path", "7"):
        Log(7)


def test_options_that_make_no_sense_are_refused() -> None:
    """Each names its value."""
    table = pa.table({"test": [1], "order": [1], "value": [1.0]})
    options: list[tuple[dict[str, Any], list[str]]] = [
        ({"form": "odd"}, ["form", "'odd'"]),
        ({"form": "counts"}, ["n_c", "'test, order, value'"]),
        ({"columns": {"valeu": "value"}}, ["'valeu'"]),
        ({"columns": {"value": "revenue"}}, ["'revenue'", "value"]),
        ({"bounds": (1, 0)}, ["bounds", "(1, 0)"]),
        ({"arms": ("a", "a")}, ["arms"]),
        ({"seed": -1}, ["seed", "-1"]),
        ({"seed": "x"}, ["seed", "'x'"]),
    ]
    for chosen, named in options:
        with refused(*named):
            Log(table, **chosen)
    with refused("rows", 0):
        Log(table).blocks(0)
    with refused("sorted", "much"):
        read(table, sort=True, memory="much")
    with refused("sorted within 1KB", "give more"):
        read(table, sort=True, memory="1KB")


def test_files_of_a_folder_must_be_alike(tmp_path: Path) -> None:
    """Rows are counted through all of them; a column that one lacks is named with the file."""
    written("test,order,value\na,1,1\n", tmp_path, "1.csv")
    written("order,value,test\n2,far,a\n", tmp_path, "2.csv")
    with refused("value in row 2", "'far'"):
        read(tmp_path)
    written("order,value\n2,1\n", tmp_path, "2.csv")
    with refused("2.csv", "column test"):
        read(tmp_path)
    parquet.write_table(pa.table({"test": [1]}), tmp_path / "3.parquet")
    with refused("all of one kind"):
        read(tmp_path)


def test_a_dirty_row_is_named_though_the_log_is_sorted(tmp_path: Path) -> None:
    """By its number in the log as it is, not as sorted."""
    with refused("value in row 3", "'far'"):
        read(written("test,order,value\na,2,1\na,1,1\na,3,far", tmp_path), sort=True)
    with refused("rows 1 and 3"):
        read(written("test,order,value\na,2,1\na,1,1\na,2,1", tmp_path), sort=True)
    late = np.ones(300_000)
    late[-2] = np.nan
    with refused("value in row 299999", "nan"):
        orders = np.arange(len(late))[::-1]
        read(pa.table({"test": np.ones(len(late)), "order": orders, "value": late}), sort=True)


def test_text_among_the_numbers_of_a_data_frame_is_named() -> None:
    """A pandas column of mixed objects."""
    frame = pd.DataFrame({"test": [1, 1], "order": [1, 2], "value": [0.5, "far"]})
    with refused("value in row 2", "'far'"):
        read(frame)
    with refused("value in row 2", "nan"):
        read(pa.table({"test": [1, 1], "order": [1, 2], "value": [0.5, float("nan")]}))
    with refused("value in row 2", "None"):
        read(pa.table({"test": [1, 1], "order": [1, 2], "value": [0.5, None]}))


def test_a_dry_run_counts_everything(tmp_path: Path) -> None:
    """All faults at once, each with its rows; the rest of the log is understood."""
    rows = ["a,1,5", "a,2,far", "a,3,", "b,1,1", "b,1,2", "c,1,1", "c,2,1", "c,5,1", "d,9,2"]
    path = written("test,order,revenue\n" + "\n".join(rows), tmp_path)
    found = check(path, columns={"value": "revenue"}, bounds=(0, 4))
    assert (found.form, found.ordered, found.usable) == ("raw", True, False)
    assert found.columns == {"test": "test", "order": "order", "value": "revenue"}
    assert kinds(found) == {
        "revenue must be a finite number": (2, (2, 3)),
        "repeated rows": (1, (5,)),
        "short tests": (2, (1, 9)),
        "constant tests": (1, (6,)),
        "gaps in the order": (1, (6,)),
        "values out of range": (1, (1,)),
    }
    assert found.quality == Quality(
        rows=7, tests=4, samples=7, short_tests=2, constant_tests=1, gaps=2, out_of_range=1
    )


def test_a_dry_run_sorts_what_is_not_in_order(tmp_path: Path) -> None:
    """And says that it had to."""
    found = check(written("test,order,value\na,2,1\nb,1,1\na,1,2\nb,2,3", tmp_path))
    assert (found.ordered, found.usable, found.quality.tests) == (False, True, 2)


def test_a_dry_run_of_an_empty_log_says_so(tmp_path: Path) -> None:
    """A header alone is no log; nor is nothing."""
    for text in ("test,order,value", "test,order,value\n"):
        found = check(written(text, tmp_path))
        assert (found.form, found.usable) == ("raw", False)
        assert "none" in found.faults[0].sentence
    assert not check(written("", tmp_path)).usable


def test_gaps_are_counted_only_where_rows_are_numbered() -> None:
    """Numbers of which most are missing are times; two arms may share numbers."""

    def gaps(orders: list[int], arms: list[str] | None = None) -> int:
        columns: dict[str, Any] = {"test": [1] * len(orders), "order": orders}
        values = list(range(len(orders)))
        named = {"value": values} if arms is None else {"arm": arms, "outcome": values}
        return read(pa.table(columns | named)).gaps

    assert gaps([1, 2, 4, 7]) == 3
    assert gaps([10, 200, 3000]) == 0
    assert gaps([-(2**62), 2**62]) == 0
    assert gaps([1, 2, 1, 2, 4], ["c", "c", "t", "t", "t"]) == 1
    assert gaps([1, 2, 3, 4, 6], ["c", "t", "t", "c", "c"]) == 1


def test_arms_of_unequal_size_are_noted() -> None:
    """By a chi-square p-value, of each test and of all together."""
    table = pa.table({"test": [1, 2], "n_c": [900, 50], "x_c": [9, 5]})
    table = table.append_column("n_t", pa.array([1100, 55])).append_column("x_t", pa.array([9, 5]))
    found = check(table)
    assert kinds(found) == {"sample-ratio mismatch": (1, (1,))}
    assert found.usable
    assert found.quality.mismatched == 1
    assert found.quality.sample_ratio_p_value == pytest.approx(chisquare([950, 1155]).pvalue)
    assert Quality().sample_ratio_p_value is None


def test_every_count_has_its_note() -> None:
    """Nothing is counted and then not said."""
    clean = Quality(rows=9, tests=2, samples=9)
    assert clean.notes == ()
    dirty = Quality(
        unpaired=1, short_tests=1, constant_tests=1, gaps=1, out_of_range=1, mismatched=1
    )
    assert len(dirty.notes) == 6
    assert "split evenly" in Quality(controls=10, treated=90).notes[0]


def test_columns_of_other_types_are_refused_or_read() -> None:
    """Lists are no names and no numbers; truth values, decimals and views of text are read."""
    good: dict[str, Any] = {"test": ["a", "a"], "order": [1, 2], "value": [1.0, 2.0]}
    for title in good:
        with refused(f"{title} in row 1", "[1]"):
            read(pa.table(good | {title: [[1], [2]]}))
        with refused(f"{title} in row 1", "None"):
            read(pa.table(good | {title: [None, None]}))
    for values in (pa.array([True, False]), pa.array([Decimal("1.5"), Decimal(2)])):
        assert read(pa.table(good | {"value": values})).samples == 2
    views = {title: pa.array(["1", "2"], pa.string_view()) for title in ("order", "value")}
    assert read(pa.table(good | views)).samples == 2
    with refused("order in row 2", "inf"):
        read(pa.table(good | {"order": [0.5, float("inf")]}))


CELLS = st.sampled_from(
    ["", "a", "b", "1", "2", "3", "0", "-1", "1.5", "nan", "inf", "1e400", "c", "t", " ", '"', "é"]
) | st.text(max_size=4)
HEADERS = st.sampled_from(
    [
        "test,order,value",
        "test,arm,order,outcome",
        "test,n_c,x_c,n_t,x_t",
        "test,period,n,mean,variance",
        "test,arm,period,n,mean,variance",
    ]
) | st.text(max_size=20)


@given(
    header=HEADERS,
    lines=st.lists(st.lists(CELLS, min_size=2, max_size=6), max_size=6),
    sort=st.booleans(),
)
@PROPERTY
def test_any_small_file_is_read_or_refused(
    tmp_path_factory: pytest.TempPathFactory, header: str, lines: list[list[str]], sort: bool
) -> None:
    """Nothing else than InvalidInput comes out, and a dry run never raises."""
    text = "\n".join([header, *(",".join(line) for line in lines)])
    path = written(text.encode("utf-8", "surrogatepass"), tmp_path_factory.mktemp("fuzz"))
    with suppress(InvalidInput):
        read(path, sort=sort)
    assert all("\n" not in fault.sentence for fault in check(path).faults)


SOUND = {
    "test,order,value": ["a,1,1", "a,2,0", "b,1,-1", "b,2,1.5"],
    "test,arm,order,outcome": ["a,control,1,0", "a,treatment,2,1", "a,treatment,3,0"],
    "test,n_c,x_c,n_t,x_t": ["a,3,1,3,2", "b,5,3,4,0"],
    "test,period,n,mean,variance": ["a,1,3,1,0.5", "a,2,1,0,0", "b,1,2,-1,3"],
}


@pytest.mark.parametrize("header", SOUND)
def test_a_sound_file_of_which_a_cell_is_another_is_read_or_refused(
    header: str, tmp_path: Path
) -> None:
    """At least a tenth is read and a tenth refused; a dry run says which."""
    outcomes: list[bool] = []

    @settings(PROPERTY, max_examples=40)
    @given(st.data())
    def examined(data: st.DataObject) -> None:
        lines = [line.split(",") for line in SOUND[header]]
        line = data.draw(st.sampled_from(lines))
        line[data.draw(st.integers(0, len(line) - 1))] = data.draw(CELLS)
        text = "\n".join([header, *map(",".join, lines)])
        path = written(text.encode("utf-8", "surrogatepass"), tmp_path)
        try:
            read(path, sort=True)
        except InvalidInput:
            outcomes.append(False)
        else:
            outcomes.append(True)
        assert outcomes[-1] != any(fault.fatal for fault in check(path).faults)

    examined()
    assert 0.1 <= np.mean(outcomes) <= 0.9


@given(
    data=st.sampled_from([("test", "order", "value"), ("test", "arm", "order", "outcome")]).flatmap(
        lambda titles: st.lists(
            st.tuples(*[st.sampled_from(["a", "b", "c", "t", "1", "2", "3"])] * len(titles)),
            max_size=8,
        ).map(lambda rows: (titles, rows))
    )
)
@PROPERTY
def test_no_row_is_lost(
    tmp_path_factory: pytest.TempPathFactory,
    data: tuple[tuple[str, ...], list[tuple[str, ...]]],
) -> None:
    """In a dry run each row is used, or counted as a fault at least once."""
    titles, rows = data
    text = "\n".join(",".join(line) for line in [titles, *rows])
    found = check(written(text, tmp_path_factory.mktemp("lost")))
    left_out = sum(each.count for each in found.faults if " must " in each.kind)
    assert found.quality.rows <= len(rows) <= found.quality.rows + left_out
    used = found.quality.samples * (2 if found.form == "two-arm" else 1)
    assert used + found.quality.unpaired == found.quality.rows


ROWS = ["test,order,value", "a,1,0.5", "a,2,1.5", "b,1,2", "b,2,3"]
TEXT = "\n".join(ROWS) + "\n"


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("semicolons.csv", TEXT.replace(",", ";").encode()),
        ("tabs.csv", TEXT.replace(",", "\t").encode()),
        ("bars.csv", TEXT.replace(",", "|").encode()),
        ("commas.tsv", TEXT.encode()),
        ("quoted.csv", TEXT.replace("order", '"order"').replace(",", ";").encode()),
        ("marked.csv", b"\xef\xbb\xbf" + TEXT.encode()),
        ("utf16.csv", TEXT.encode("utf-16")),
        ("big-endian.csv", b"\xfe\xff" + TEXT.replace(",", ";").encode("utf-16-be")),
        ("log.csv.gz", gzip.compress(TEXT.encode(), mtime=0)),
        ("compressed.csv", gzip.compress(TEXT.replace(",", ";").encode("utf-16"), mtime=0)),
    ],
)
def test_a_file_is_read_as_people_save_it(name: str, content: bytes, tmp_path: Path) -> None:
    """Whatever separates cells, in UTF-8 or UTF-16, compressed by gzip or not."""
    blocks = list(sample_blocks(Log(written(content, tmp_path, name))))
    assert [name for block in blocks for name in block.names] == ["a", "b"]
    samples = [x for block in blocks for x in block.samples.tolist()]
    assert samples == [0.5, 1.5, 2.0, 3.0]


@pytest.mark.parametrize(
    ("name", "content", "named"),
    [
        ("sheet.csv", b"PK\x03\x04rest of a workbook", ["Excel", "save its sheet as CSV"]),
        ("sheet.xlsx", b"PK\x03\x04", ["sheet.xlsx", "save the sheet as CSV"]),
        ("old.csv", b"\xd0\xcf\x11\xe0", ["old Excel"]),
        ("columns.csv", b"PAR1 and so on", ["Parquet", "end in .parquet"]),
        ("packed.csv", b"BZh9", ["bzip2", "unpack"]),
        ("log.zip", b"PK\x03\x04", ["log.zip", "unpack"]),
        ("log.gz", gzip.compress(b"test", mtime=0), ["log.gz", ".csv.gz"]),
        ("log.json", b"{}", ["log.json", "query"]),
        ("unmarked.csv", TEXT.encode("utf-16-le"), ["UTF-8", "UTF-16 with its mark"]),
        ("commas.csv", b"test;order;value\na;1;0,5", ["'0,5'", "decimal point"]),
        ("torn.csv.gz", gzip.compress(TEXT.encode(), mtime=0)[:-12], ["torn.csv.gz", "CSV"]),
    ],
)
def test_a_file_of_another_kind_is_called_what_it_is(
    name: str, content: bytes, named: list[str], tmp_path: Path
) -> None:
    """In one sentence with what to do."""
    with refused(*named):
        read(written(content, tmp_path, name))


@pytest.mark.parametrize("path", ["", "  "])
def test_an_empty_path_is_no_folder(path: str) -> None:
    """It is not the folder that one works in."""
    with refused("must be a file", "''"):
        Log(path)
