"""The Upworthy Research Archive: its published layout, with contents made up here."""

import csv
import gzip
from collections.abc import Sequence
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from dwell.history.datasets.upworthy import Archive, upworthy
from dwell.history.reading.log import Log
from tests.blocks import sample_blocks
from tests.refusals import refused

TITLES = [
    "",
    "created_at",
    "updated_at",
    "clickability_test_id",
    "excerpt",
    "headline",
    "lede",
    "slug",
    "eyecatcher_id",
    "impressions",
    "clicks",
    "significance",
    "first_place",
    "winner",
    "share_text",
    "square",
    "test_week",
]
HEADLINE = 'She said, "Look\nhere", and then\r\n\r\n""they"" looked'


def package(
    test: str, created: str, impressions: object, clicks: object, headline: str = "A, b"
) -> dict[str, object]:
    """A row as published."""
    return {
        "created_at": created,
        "updated_at": "2016-04-02 16:33:38.062",
        "clickability_test_id": test,
        "excerpt": "Things that matter.",
        "headline": headline,
        "lede": "<p>A lede, with a comma</p>\n",
        "slug": "a-slug",
        "eyecatcher_id": "5470755c26714c4aea00001c",
        "impressions": impressions,
        "clicks": clicks,
        "significance": 100,
        "first_place": "True",
        "winner": "False",
        "share_text": "",
        "square": "",
        "test_week": 201446,
    }


PACKAGES = [
    package("late", "2014-11-20 11:33:26.475", 3000, 30, HEADLINE),
    package("early", "2013-02-01 10:00:00", 500, 5),
    package("late", "2014-11-20 11:33:27", 3100, 40),
    package("early", "2013-01-30 10:00:00", 600, 7),
    package("early", "2013-02-01 10:00:00", 9000, 900, HEADLINE),
    package("early", "2013-02-01 10:00:00", 9000, 900),
    package("alone", "2013-02-02 10:00:00", 9000, 90),
    package("first-faulty-day", "2013-06-25 00:00:00", 9000, 90),
    package("first-faulty-day", "2013-06-24 00:00:00", 9000, 90),
    package("last-faulty-day", "2014-01-10 23:59:59.999", 9000, 90),
    package("last-faulty-day", "2014-01-11 00:00:00", 9000, 90),
    package("small", "2014-02-10 00:00:00", 499, 9),
    package("small", "2014-02-10 00:00:00", 9000, 9),
    package("day-before", "2013-06-24 23:59:59.999", 700, 1),
    package("same-time", "2013-06-24 23:59:59.999", 800, 2),
    package("same-time", "2013-06-24 23:59:59.999", 801, 3),
    package("day-before", "2013-06-24 23:59:59.999", 701, 4),
    package("day-after", "2014-01-11 00:00:00.000", 900, 0),
    package("day-after", "2014-01-11 00:00:00.000", 901, 901),
]
KEPT = [
    ("early", 500, 5, 600, 7),
    ("day-before", 700, 1, 701, 4),
    ("same-time", 800, 2, 801, 3),
    ("day-after", 900, 0, 901, 901),
    ("late", 3000, 30, 3100, 40),
]


def stored(packages: list[dict[str, Any]], path: Path, titles: Sequence[str] = TITLES) -> Path:
    """A file in the published layout: a column without a title counts the rows."""
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, titles, lineterminator="\n", extrasaction="ignore")
        writer.writeheader()
        writer.writerows(row | {"": number} for number, row in enumerate(packages))
    return path


def counts_of(archive: Archive) -> list[tuple[Any, ...]]:
    """Rows without their dates."""
    return [row[:-1] for row in archive.relation.fetchall()]


@pytest.fixture
def archive(tmp_path: Path) -> Archive:
    return upworthy(stored(PACKAGES, tmp_path / "packages.csv"))


def test_first_two_packages_of_a_test_are_its_arms_in_order_of_time(archive: Archive) -> None:
    """At the same time, in the order of the file; packages of a test need not be neighbours."""
    assert archive.relation.columns == ["test", "n_c", "x_c", "n_t", "x_t", "date"]
    assert counts_of(archive) == KEPT
    assert archive.relation.fetchall()[0][-1] == date(2013, 2, 1)


def test_notes_count_what_is_left_out_and_why(archive: Archive) -> None:
    """A test is counted once, for the first reason; further packages of tests that are kept."""
    faulty, alone, small, packages = archive.notes
    assert faulty.startswith("2 left out: tests created from 2013-06-25 to 2014-01-10, when")
    assert alone.startswith("1 left out: tests of one package")
    assert small == "1 left out: tests with an arm of under 500 impressions"
    assert packages == "2 left out: packages after the first two of their test"


def test_a_log_reads_it_as_counts(archive: Archive) -> None:
    """As often as one likes, with as many samples as the smaller arm has."""
    log = Log(archive.relation)
    assert log.form == "counts"
    for _ in range(2):
        [block] = sample_blocks(log)
        assert block.names == tuple(test for test, *_ in KEPT)
        assert block.lengths.tolist() == [500, 700, 800, 900, 3000]
        assert block.quality.treated == sum(n_t for *_, n_t, _ in KEPT)


def test_how_small_an_arm_may_be_is_a_choice(tmp_path: Path) -> None:
    """With 0, no test is too small; with 900, two are left."""
    path = stored(PACKAGES, tmp_path / "packages.csv")
    everything = upworthy(path, least=0)
    assert ("small", 499, 9, 9000, 9) in counts_of(everything)
    assert len(everything.notes) == 3
    assert [row[0] for row in upworthy(path, least=900).relation.fetchall()] == [
        "day-after",
        "late",
    ]
    with refused("least", "-1"):
        upworthy(path, least=-1)


@pytest.mark.parametrize("name", ["a b's.csv", "[1]*?.csv", "packages.csv.gz"])
def test_any_name_is_read_as_it_is(name: str, tmp_path: Path) -> None:
    """Quotes and the signs of patterns are only letters, and other files are left alone."""
    stored([package("other", "2014-11-20 11:33:26", 9000, 1)] * 2, tmp_path / "1x.csv")
    path = stored(PACKAGES, tmp_path / name)
    if name.endswith(".gz"):
        path.write_bytes(gzip.compress(path.read_bytes()))
    assert counts_of(upworthy(str(path))) == KEPT


def test_columns_go_by_their_titles(tmp_path: Path) -> None:
    """Later versions of the archive have one more; a byte-order mark does no harm."""
    path = stored(PACKAGES, tmp_path / "packages.csv", [*reversed(TITLES), "another"])
    path.write_text("\ufeff" + path.read_text(encoding="utf-8"), encoding="utf-8")
    assert counts_of(upworthy(path)) == KEPT


def test_what_is_not_the_archive_is_refused(tmp_path: Path) -> None:
    """No file, an empty one, one with other columns, one of another kind."""
    missing, empty = tmp_path / "missing.csv", tmp_path / "empty.csv"
    empty.touch()
    with refused(missing, "no file there"):
        upworthy(missing)
    with refused(tmp_path, "no file there"):
        upworthy(tmp_path)
    with refused(empty, "clickability_test_id", "got none"):
        upworthy(empty)
    other = tmp_path / "other.csv"
    other.write_text("test,n_c,x_c,n_t,x_t\na,1,0,1,0\n")
    with refused(other, "clickability_test_id", "test, n_c"):
        upworthy(other)
    for title in ("created_at", "impressions", "clicks"):
        lacking = [each for each in TITLES if each != title]
        with refused(other, title):
            upworthy(stored(PACKAGES, other, lacking))
    text = stored(PACKAGES, tmp_path / "packages.txt")
    with refused(text, ".csv"):
        upworthy(text)


def test_an_archive_without_packages_has_no_tests(tmp_path: Path) -> None:
    """A header alone is no fault."""
    found = upworthy(stored([], tmp_path / "packages.csv"))
    assert (found.relation.fetchall(), found.notes) == ([], ())


@pytest.mark.parametrize(
    ("cells", "named"),
    [
        ({"impressions": "many"}, ("impressions in row 20", "whole number", "'many'")),
        ({"impressions": "10.5"}, ("impressions in row 20", "'10.5'")),
        ({"impressions": "9" * 30}, ("impressions in row 20", "999")),
        ({"clicks": ""}, ("clicks in row 20", "None")),
        ({"clicks": -1}, ("clicks in row 20", "'-1'")),
        ({"clicks": 1001}, ("clicks in row 20", "at most impressions", "1001 of 1000")),
        ({"created_at": "soon"}, ("created_at in row 20", "a time", "'soon'")),
        ({"clickability_test_id": " "}, ("clickability_test_id in row 20", "name a test")),
    ],
)
def test_a_faulty_cell_is_named_with_its_row(
    cells: dict[str, object], named: tuple[str, ...], tmp_path: Path
) -> None:
    """Rows are counted from 1, lines within texts are not."""
    row = package("new", "2014-11-20 11:33:26.475", 1000, 10) | cells
    path = stored([*PACKAGES, row, row], tmp_path / "packages.csv")
    with refused(path, *named):
        upworthy(path)


@pytest.mark.parametrize("end", [b"1,2014-11-20\n", b'1,"2014-11-20\n', b",\xff\xfe" + b"," * 15])
def test_a_file_that_breaks_off_is_refused(end: bytes, tmp_path: Path) -> None:
    """Too few cells, a quote that is never closed, bytes that are no text."""
    path = stored(PACKAGES, tmp_path / "packages.csv")
    path.write_bytes(path.read_bytes() + end)
    with refused(path, "fault"):
        upworthy(path)


def test_a_large_archive_keeps_the_order_of_the_file(tmp_path: Path) -> None:
    """40,000 packages of one time, each text with a line break: arms and tests in file order."""
    pairs = [
        package(f"t{number % 20_000}", "2014-11-20 11:33:26", 1000 + number, 10, HEADLINE)
        for number in range(40_000)
    ]
    found = upworthy(stored(pairs, tmp_path / "packages.csv"))
    assert counts_of(found) == [
        (f"t{number}", 1000 + number, 10, 21_000 + number, 10) for number in range(20_000)
    ]
