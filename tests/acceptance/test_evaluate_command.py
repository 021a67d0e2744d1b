"""`dwell evaluate`."""

import csv
import json
import os
import re
from pathlib import Path

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet
import pytest

import dwell
from dwell.cli.output import progress_by_share
from tests.acceptance.commands import (
    assert_refused,
    assert_self_contained,
    figures,
    fill_disk,
    run,
    started,
)

TESTS, LENGTH = 240, 40
COST = ("--setup-cost", "5")
DIRTY = "test,order,value\na,1,0.5\na,2,far\na,3,\nb,1,1\nb,1,2\nc,1,4\nc,2,5\nc,4,6\n"


def table() -> pa.Table:
    """A raw log of thumbs up and down."""
    world = dwell.World(dwell.Atoms([-0.2, 0.5], [0.7, 0.3]), dwell.Signs())
    _, samples = world.sample(TESTS, LENGTH, rng=3)
    return pa.table(
        {
            "test": np.repeat([f"idea {i}" for i in range(TESTS)], LENGTH),
            "order": np.tile(np.arange(LENGTH), TESTS),
            "value": samples.ravel().astype(np.float64),
        }
    )


@pytest.fixture(scope="module")
def log(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The same as CSV."""
    path = tmp_path_factory.mktemp("log") / "log.csv"
    pyarrow.csv.write_csv(table(), path)
    return str(path)


@pytest.fixture
def dirty(tmp_path: Path) -> str:
    """A log with faults."""
    path = tmp_path / "dirty.csv"
    path.write_text(DIRTY, encoding="utf-8")
    return str(path)


def rows_shown(text: str) -> int:
    """How many rows a table has: a long name goes on in lines without figures."""
    return sum(re.search(r"^ .* \d+\.\d% ", line) is not None for line in text.splitlines())


def test_it_tells_what_to_do_how_that_compares_and_how_certain_it_is(log: str) -> None:
    """Four paragraphs, the best rules, and what their columns are."""
    result = run("evaluate", log, *COST, "--bounds", "-1,1")
    assert result.exit_code == 0, result.output
    do, earns, in_total, certain, *_ = (
        " ".join(part.split()) for part in result.stdout.split("\n\n")
    )
    report = dwell.evaluate(dwell.Log(log, bounds=(-1, 1)), setup_cost=5)
    assert report.candidate is not None
    assert do == f"Change to: {report.candidate.advice}."
    assert earns.startswith("What it earns: ")
    assert in_total.startswith("In total: the same 240 tests would have shipped ")
    assert "other rules cannot be told apart from the best" in certain
    lines = result.stdout.splitlines()
    [header] = [index for index, line in enumerate(lines) if line.split()[:2] == ["rule", "ROI"]]
    assert lines[header + 2].split()[-1] == "best"
    [below] = [
        index for index, line in enumerate(lines) if line.startswith("ROI is what is earned")
    ]
    assert rows_shown("\n".join(lines[header:below])) == 15
    assert result.stderr == "reading the log…\n"


def test_all_policies_are_shown_if_asked_for(log: str) -> None:
    """Not only the best 15."""
    short, every = (run("evaluate", log, *COST, *more).stdout for more in ((), ("--all",)))
    assert rows_shown(short) == 15
    assert rows_shown(every) == len(figures("evaluate", log, *COST)["rows"])


def test_its_json_is_what_the_library_computes(log: str) -> None:
    """A row per policy, the best first; and what they are about."""
    printed = figures("evaluate", log, *COST, "--bounds", "-1,1", "--min-samples", "3")
    report = dwell.evaluate(dwell.Log(log, bounds=(-1, 1)), setup_cost=5, min_samples=3)
    found, columns = report.found, report.table
    order = sorted(range(len(found.policies)), key=lambda k: -found.roi[k])
    for name in columns:
        assert [row[name] for row in printed["rows"]] == [columns[name][k] for k in order]
    assert [row["best"] for row in printed["rows"]] == [k == found.best for k in order]
    assert report.candidate is not None
    assert printed["best"] == report.candidate.name
    assert printed["tests"] == TESTS
    assert printed["corrected"]["gain"] == found.corrected.gain
    assert printed["current"]["roi"] == found.current.roi
    assert len(printed["summary"]) == 4
    assert (printed["answer"], printed["sentence"]) == ("change", printed["summary"][0])


def test_a_longest_test_is_declared_and_checked(log: str) -> None:
    """Then the current rule has a guaranteed interval, and so have gains over it."""
    without = figures("evaluate", log, *COST, "--bounds", "-1,1")
    assert without["rows"][0]["roi_guaranteed_low"] is not None
    assert without["rows"][0]["gain_guaranteed_low"] is None
    assert without["current"]["roi_guaranteed_low"] is None
    found = figures("evaluate", log, *COST, "--bounds", "-1,1", "--longest", "100")
    row, now = found["rows"][0], found["current"]
    assert row["gain_guaranteed_low"] < row["gain"] < row["gain_guaranteed_high"]
    assert now["roi_guaranteed_low"] < now["roi"] < now["roi_guaranteed_high"]
    belied = run("evaluate", log, *COST, "--longest", "39")
    assert belied.exit_code == 2
    assert "longest must be at least 40, as many samples as a test of the log has" in belied.stderr


def test_without_a_set_up_cost_there_is_a_table_over_them_and_no_answer(log: str) -> None:
    """For people, for programs and in Python alike; with one, the same table is in the JSON."""
    result = run("evaluate", log)
    assert result.exit_code == 0, result.output
    assert result.stdout.startswith("What to do: that hangs on what it costs to set up a test")
    assert "Change to" not in result.stdout
    printed = figures("evaluate", log)
    assert (printed["answer"], printed["sentence"], printed["setup_cost"]) == (None, None, None)
    assert "best" not in printed
    costs = [row["setup_cost"] for row in printed["rows"]]
    assert costs == [0.0, 4.0, 10.0, 40.0, 100.0, 400.0]
    for row, report in zip(printed["rows"], dwell.evaluate(log).by_setup_cost, strict=True):
        found = report.found.corrected
        assert (row["gain"], row["gain_low"]) == (found.gain, found.gain_low)
        assert report.answer is not None
        assert row["answer"] == report.answer.kind
        assert f" {row['setup_cost']:,g} " in result.stdout
    asked = figures("evaluate", log, *COST)["by_setup_cost"]
    assert [row["setup_cost"] for row in asked] == sorted([*costs, 5.0])


def test_the_current_rule_can_be_told(log: str) -> None:
    """Ship what is ahead in the end, or what is significant, or stop after so many."""
    policy = dwell.fixed(10, np.nextafter(0.0, 1.0))
    for text, rule in (
        ("ahead", dwell.AtEnd(0)),
        ("significant", dwell.AtEnd(1.959964)),
        ("10", policy),
    ):
        printed = figures("evaluate", log, *COST, "--current", text)["current"]
        report = dwell.evaluate(log, setup_cost=5, current=rule)
        assert printed["name"] == report.current
        assert printed["roi"] == report.found.current.roi


def test_figures_are_the_same_for_any_number_of_workers(log: str, tmp_path: Path) -> None:
    """Threads or none, from CSV or in parts from Parquet."""
    path = tmp_path / "log.parquet"
    pyarrow.parquet.write_table(table(), path, row_group_size=500)
    printed = figures("evaluate", log, "--workers", "1")
    for source in (log, str(path), str(tmp_path), str(tmp_path / "*.parquet")):
        assert figures("evaluate", source, "--workers", "2") == printed


def test_a_log_out_of_order_is_sorted_and_that_is_noted(log: str, tmp_path: Path) -> None:
    """Or sorted at once, where it is known to be out of order."""
    mixed = str(tmp_path / "mixed.csv")
    order = np.random.default_rng(0).permutation(TESTS * LENGTH)
    # Tests come in the order of their first rows.
    first = np.concatenate([np.arange(0, TESTS * LENGTH, LENGTH), order[order % LENGTH > 0]])
    pyarrow.csv.write_csv(table().take(pa.array(first)), mixed)
    result = run("evaluate", mixed, *COST)
    assert "Note: rows did not come in order, and were sorted first" in result.stderr.splitlines()
    rows = figures("evaluate", log, *COST)["rows"]
    assert figures("evaluate", mixed, *COST)["rows"] == rows
    assert figures("evaluate", mixed, *COST, "--sort", "--memory", "500MB")["rows"] == rows


def test_columns_can_be_named_and_arms_labelled(log: str, tmp_path: Path) -> None:
    """Titles that differ are mapped to ours; the rest is as ever."""
    renamed = str(tmp_path / "renamed.csv")
    pyarrow.csv.write_csv(table().rename_columns(["id", "at", "revenue"]), renamed)
    titles = ("--columns", "value=revenue, test=id,order=at")
    assert figures("evaluate", renamed, *titles) == figures("evaluate", log)
    arms = tmp_path / "arms.csv"
    rows = "".join(
        f"t{i},{arm},{k},{(i * k + j) % 3}\n"
        for i in range(6)
        for k in range(8)
        for j, arm in enumerate("xyz")
    )
    arms.write_text(f"test,arm,order,outcome\n{rows}", encoding="utf-8")
    printed = figures("evaluate", str(arms), "--arms", "x,y", "--form", "two-arm", "--check")
    assert (printed["controls"], printed["treated"], printed["other_arms"]) == (48, 48, 48)
    assert figures("evaluate", str(arms), "--arms", "x,y,z")["tests"] == 12


REFUSED_LATER = {
    "one test": "test,order,value\na,1,1\na,2,2\n",
    "short tests": "test,order,value\na,1,1\nb,1,2\nc,1,2\n",
    "nothing varies": "test,order,value\na,1,1\na,2,1\nb,1,1\nb,2,1\n",
    "too large to square": "test,order,value\na,1,1e200\na,2,-1e200\nb,1,1\nb,2,1\n",
    "sums that overflow": "test,period,n,mean,variance\n"
    "a,1,9,1e308,1\na,2,9,1,1\nb,1,9,1,1\nb,2,9,1,1\n",
    "too many samples": "test,period,n,mean,variance\n"
    + "".join(f"{test},{day},9e15,1,1\n" for test in "ab" for day in (1, 2)),
    "cumulative": "test,period,n,mean,variance\n"
    + "".join(f"{test},{day},{9 * day},1,1\n" for test in "ab" for day in range(1, 9)),
}


@pytest.mark.parametrize("kind", REFUSED_LATER)
def test_a_dry_run_promises_nothing_that_an_evaluation_refuses(kind: str, tmp_path: Path) -> None:
    """Both refuse, with the same sentence."""
    path = tmp_path / "log.csv"
    path.write_text(REFUSED_LATER[kind], encoding="utf-8")
    checked, evaluated = run("evaluate", str(path), "--check", "--json"), run("evaluate", str(path))
    assert (checked.exit_code, evaluated.exit_code) == (2, 2)
    sentences = [fault["sentence"] for fault in json.loads(checked.stdout)["faults"]]
    [said] = [line for line in evaluated.stderr.splitlines() if line.startswith("Error: ")]
    assert any(sentence in said for sentence in sentences)


def test_an_option_that_an_evaluation_refuses_is_refused_by_a_dry_run(log: str) -> None:
    """As what no test is long enough for."""
    result = run("evaluate", log, "--check", "--min-samples", "1000")
    assert result.exit_code == 2
    assert "min_samples" in result.stdout


def test_cumulative_statistics_are_taken_if_said_so(tmp_path: Path) -> None:
    """Else they are refused with the way out; that they are none can be said, too."""
    path = tmp_path / "log.csv"
    path.write_text(REFUSED_LATER["cumulative"], encoding="utf-8")
    assert "--cumulative" in run("evaluate", str(path)).stderr
    own = figures("evaluate", str(path), "--cumulative")
    as_told = figures("evaluate", str(path), "--not-cumulative")
    assert (own["quality"]["samples"], as_told["quality"]["samples"]) == (2 * 72, 2 * 324)


def test_a_query_is_read_like_a_log(log: str, tmp_path: Path) -> None:
    """Over files, or over a database that is a DuckDB file."""
    database = tmp_path / "tests.duckdb"
    with duckdb.connect(str(database)) as connection:
        connection.execute(f"create table results as from '{log}'")
    rows = figures("evaluate", log)["rows"]
    assert figures("evaluate", "--query", f"from '{log}'")["rows"] == rows
    query = ("--query", "select * from results", "--database", str(database))
    assert figures("evaluate", *query)["rows"] == rows


def test_the_upworthy_archive_is_read(tmp_path: Path) -> None:
    """As it was published; what is left out is noted."""
    lines = [",created_at,clickability_test_id,impressions,clicks"]
    for i in range(30):
        clicks = (30, 20 + i % 25)
        lines += [f"{i},2015-01-{1 + i % 28:02} 10:00:00,t{i},900,{each}" for each in clicks]
    lines.append("99,2015-02-01 10:00:00,alone,900,9")
    path = tmp_path / "packages.csv"
    path.write_text("\n".join(lines), encoding="utf-8")
    result = run("evaluate", str(path), "--format", "upworthy", *COST)
    assert result.exit_code == 0, result.output
    left = "1 left out: tests of one package, which has nothing to be compared with"
    assert f"Note: {left}" in result.stderr.splitlines()
    printed = figures("evaluate", str(path), "--format", "upworthy", *COST, "--seed", "2")
    assert printed["tests"] == 30
    assert left in printed["notes"]


def test_files_hold_what_is_printed(log: str, tmp_path: Path) -> None:
    """CSV and JSON say the same as `--json`; what is not known is empty in CSV."""
    as_json, as_csv = tmp_path / "report.json", tmp_path / "report.csv"
    printed = figures("evaluate", log, *COST, "--out", str(as_json))
    assert json.loads(as_json.read_text()) == printed
    figures("evaluate", log, *COST, "--out", str(as_csv))
    with as_csv.open(newline="") as file:
        rows = list(csv.DictReader(file))
    for row, expected in zip(rows, printed["rows"], strict=True):
        assert row == {n: "" if value is None else str(value) for n, value in expected.items()}


def test_its_page_needs_no_network(log: str, tmp_path: Path) -> None:
    """It begins with the answer that is printed."""
    page = tmp_path / "report.html"
    assert run("evaluate", log, *COST, "--out", str(page)).exit_code == 0
    assert_self_contained(page)
    text = page.read_text(encoding="utf-8")
    assert '<li aria-current="true"><h3>Change the rule</h3>' in text
    assert "In total" in text
    assert list(tmp_path.iterdir()) == [page]


def test_a_clean_log_passes_the_check(log: str) -> None:
    """What was understood is said, for people and for programs."""
    result = run("evaluate", log, "--check")
    assert result.exit_code == 0
    assert result.stdout.splitlines() == [
        "Form: raw",
        "Columns: test, order, value",
        "Rows that can be used: 9,600; tests: 240; samples: 9,600",
        "Order: rows come in order",
        "Faults: none",
    ]
    printed = figures("evaluate", log, "--check")
    assert printed["usable"]
    assert printed["rows"] == TESTS * LENGTH
    assert printed["faults"] == []


def test_a_dirty_log_fails_the_check_with_all_that_is_wrong(dirty: str) -> None:
    """Each fault with its count and its first rows; exit code 2."""
    result = run("evaluate", dirty, "--check")
    assert result.exit_code == 2
    said = " ".join(result.stdout.split())
    assert "value in row 2 of" in said
    assert "refused 2 2, 3" in said
    assert "both of test b" in said
    assert "noted 1" in said
    assert result.stderr.splitlines()[-1] == (
        "Error: the log cannot be used as it is: mend what is refused, and check again"
    )
    result = run("evaluate", dirty, "--check", "--json")
    assert result.exit_code == 2
    printed = json.loads(result.stdout)
    assert not printed["usable"]
    assert [fault["fatal"] for fault in printed["faults"]].count(True) == 2
    assert printed["faults"][0]["rows"] == [2, 3]


def test_a_log_that_is_not_there_fails_the_check() -> None:
    """It has no form."""
    result = run("evaluate", "missing.csv", "--check")
    assert result.exit_code == 2
    assert "Form: could not be told" in result.stdout
    assert "got none there" in result.stdout


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        (("missing.csv",), "missing.csv must be a file, a folder or a pattern of files"),
        ((), "give a LOG to read or a --query, one of the two"),
        (("LOG", "--query", "select 1"), "give a LOG to read or a --query, one of the two"),
        (("LOG", "--database", "x.duckdb"), "--database needs a --query"),
        (("--query", "select 1", "--format", "upworthy"), "is for a file: give LOG instead"),
        (("--query", "select 1 as x"), "the query must have the columns"),
        (("--query", "drop table x"), "the query must be one select"),
        (("--query", "select 1", "--database", "missing.duckdb"), "the query must"),
        (("--query", "select 1", "--database", "mysql://x"), "database must be a DuckDB file"),
        (("LOG", "--form", "wide"), "--form must be raw, two-arm, counts or batches, got 'wide'"),
        (("LOG", "--form", "counts"), "must have the columns test, n_c, x_c, n_t, x_t"),
        (("LOG", "--format", "csv"), "--format must be log or upworthy, got 'csv'"),
        (("LOG", "--format", "upworthy"), "with one column clickability_test_id"),
        (("LOG", "--columns", "revenue"), "--columns must look like value=revenue,test=id"),
        (("LOG", "--columns", "price=x"), "columns must map names among"),
        (("LOG", "--columns", "value=x"), "must have the column 'x', which value is mapped to"),
        (("LOG", "--current", "often"), "--current must be ahead, significant or a whole number"),
        (("LOG", "--current", "0"), "--current must be ahead, significant or a whole number"),
        (("LOG", "--current", "1e17"), "from 1 to 2^53, got '1e17'"),
        (("", "--check"), "LOG must name a file"),
        (("LOG", "--setup-cost", "-1"), ">= 0"),
        (("LOG", "--min-samples", "0"), ">= 1"),
        (("LOG", "--bounds", "1"), "--bounds must look like -1,1, got '1'"),
        (("LOG", "--bounds", "1,x"), "--bounds must be a number"),
        (("LOG", "--bounds", "1,-1"), "--bounds must be a lower number and a higher one, got 1,-1"),
        (("LOG", "--bounds", "nan,1"), "--bounds must be a lower number and a higher one"),
        (("LOG", "--arms", "a"), "--arms must look like control,treatment, the control first"),
        (("LOG", "--arms", "a,b,a"), "no label twice, got 'a,b,a'"),
        (("LOG", "--seed", "-1"), ">= 0"),
        (("LOG", "--alpha", "1"), "strictly between 0 and 1"),
        (("LOG", "--longest", "long"), "--longest must be"),
        (
            ("LOG", "--guaranteed", "bayes"),
            "--guaranteed must be bernstein or betting, got 'bayes'",
        ),
        (
            ("LOG", "--approximate", "jackknife"),
            "--approximate must be normal or bootstrap, got 'jackknife'",
        ),
        (("LOG", "--memory", "much"), "--memory must look like 500MB or 1GB, got 'much'"),
        (("LOG", "--workers", "0"), ">= 1"),
        (("LOG", "--workers", "2", "--scheduler", "tcp://x:1"), "give --workers or --scheduler"),
        (("LOG", "--scheduler", "nowhere"), "--scheduler must be the address of"),
        (("LOG", "--out", "report.txt"), "must end in .csv, .json or .html"),
        (("LOG", "--out", "missing/report.html"), "there is no folder missing; choose another"),
        (
            ("LOG", "--check", "--out", "report.csv"),
            "--check writes nothing: give it without --out",
        ),
        (("LOG", "--nonsense"), "No such option"),
    ],
    ids=" ".join,
)
def test_every_bad_value_gets_one_sentence(
    options: tuple[str, ...],
    reason: str,
    log: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Before anything is read, and nothing is written."""
    monkeypatch.chdir(tmp_path)
    given = tuple(log if text == "LOG" else text for text in options)
    outputs = () if "--out" in given else ("--out", "out.json")
    if "--check" in given:
        outputs = ()
    assert_refused(("evaluate", *given, *outputs), reason)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (DIRTY, "value in row 2 of dirty.csv must be a finite number, got 'far'"),
        ("test,order,value\n", "dirty.csv must have 2 tests or more"),
        ("test,order,value\na,1,1\na,2,2\n", "must have 2 tests or more of 2 samples"),
        ("test,order,value\na,1,1\na,2,1\nb,1,1\nb,2,1\n", "samples must differ within some test"),
        ("test,n_c,x_c,n_t,x_t\na,9,1,9,10\n", "unlike test a in row 1 of dirty.csv"),
    ],
)
def test_a_log_that_cannot_be_used_gets_one_sentence(
    text: str, reason: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """While it is read, and nothing is written."""
    monkeypatch.chdir(tmp_path)
    Path("dirty.csv").write_text(text, encoding="utf-8")
    result = run("evaluate", "dirty.csv", "--out", "report.html")
    assert result.exit_code == 2
    assert result.stdout == ""
    reading, sentence = result.stderr.splitlines()
    assert reading == "reading the log…"
    assert sentence.startswith("Error: ")
    assert reason in sentence
    assert os.listdir() == ["dirty.csv"]


def test_a_file_that_cannot_be_written_leaves_nothing_behind(
    log: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A disk that fills up at the last moment costs the file, and no half of one stays."""
    monkeypatch.chdir(tmp_path)
    fill_disk(monkeypatch)
    result = run("evaluate", log, "--out", "report.html")
    assert result.exit_code == 2
    assert result.stdout == ""
    assert result.stderr.splitlines()[-1] == (
        "Error: cannot write report.html: No space left on device; choose another --out"
    )
    assert list(tmp_path.iterdir()) == []


def test_a_true_process_prints_no_bars_where_it_is_piped(log: str) -> None:
    """Nor anything else that only a terminal understands."""
    with started("evaluate", log) as process:
        said, noted = process.communicate()
    assert process.returncode == 0
    assert "\x1b" not in said + noted
    assert noted == "reading the log…\n"


def test_a_terminal_gets_a_bar(monkeypatch: pytest.MonkeyPatch) -> None:
    """It pulses until the first share comes."""
    bars: list[dict[str, object]] = []
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    monkeypatch.setattr(
        "rich.progress.Progress.update", lambda *_, **given: bars.append(dict(given))
    )
    with progress_by_share("reading") as advance:
        assert bars == []
        advance(0.5)
    assert bars == [{"total": 1.0, "completed": 0.5}]
