"""Logs of tests that nobody ran: every form, the same from the same seed, as drawn."""

from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.csv as arrow_csv
import pyarrow.parquet as parquet
import pytest

from dwell import Atoms, Beta, CannotWrite, Gaussian, Lift, Normal, Signs
from dwell.arrays import FloatArray, IntArray
from dwell.history.datasets.synthetic_log import STEPS, Generated, generate
from dwell.history.reading.blocks import PeriodBlock
from dwell.history.reading.columns import FORMS, Form
from dwell.history.reading.inspection import check
from dwell.history.reading.log import Log
from dwell.history.reading.quality import Quality
from tests.blocks import plain_blocks
from tests.refusals import refused

KINDS = [(form, law) for form in FORMS for law in (Lift(0.3), Gaussian(0.8))]
KINDS.remove(("counts", Gaussian(0.8)))
COUNTED: dict[str, Any] = {"prior": Normal(0.1, 0.04), "length": 200}
ARMS = ("control", "treatment")


def table(path: Path) -> dict[str, Any]:
    """A file's columns as they are."""
    found = (parquet.read_table if path.suffix == ".parquet" else arrow_csv.read_csv)(path)
    return {name: found[name].to_numpy() for name in found.column_names}


def read(path: Path) -> tuple[IntArray, FloatArray, FloatArray, Quality]:
    """Of each test its number of samples, their mean and that mean's squared standard error."""
    lengths, means, errors, quality = [], [], [], Quality()
    for block in Log(path).blocks():
        quality += block.quality
    for block in plain_blocks(Log(path)):
        first = block.starts[:-1]
        if isinstance(block, PeriodBlock):
            size = np.add.reduceat(block.counts, first)
            sums = np.add.reduceat(block.sums, first)
            squares = np.add.reduceat(block.variances * block.counts, first)
        else:
            size, samples = block.lengths, block.samples.astype(float)
            sums = np.add.reduceat(samples, first)
            squares = np.add.reduceat(samples**2, first) - sums**2 / size
        lengths.append(size)
        means.append(sums / size)
        errors.append(squares / size**2)
    return np.concatenate(lengths), np.concatenate(means), np.concatenate(errors), quality


@pytest.mark.parametrize("ending", [".csv", ".parquet"])
@pytest.mark.parametrize(("form", "law"), KINDS)
def test_a_log_reads_back_what_was_drawn(
    form: Form, law: Lift | Gaussian, ending: str, tmp_path: Path
) -> None:
    """As many tests and rows as were said, with the prior's mean and spread and the law's noise.

    The mean lies within 5 standard errors, the spread within 5 of a normal law's: false alarms
    6e-7 each. The noise lies within 3 percent, over seven times its standard error; of batches it
    is checked elsewhere, as a day of unequal arms counts the smaller one.
    """
    path, tests = tmp_path / f"log{ending}", 1000
    written = generate(path, form=form, tests=tests, law=law, **COUNTED)
    lengths, means, errors, quality = read(path)
    assert written == Generated(quality.tests, quality.rows)
    assert written.tests == len(lengths) == tests
    assert check(path).usable
    spread = np.sqrt(0.04**2 + errors.mean())
    assert abs(means.mean() - 0.1) < 5 * spread / np.sqrt(tests)
    assert means.std() == pytest.approx(spread, rel=5 / np.sqrt(2 * tests))
    if form != "batches":
        noise = 0.8**2 if law == Gaussian(0.8) else 0.3 * 0.7 + 0.4 * 0.6 - 0.04**2
        assert (errors * lengths**2).sum() / lengths.sum() == pytest.approx(noise, rel=0.03)


@pytest.mark.parametrize("law", [Lift(0.3), Gaussian(0.8)])
def test_arms_of_batches_have_the_noise_of_single_outcomes(
    law: Lift | Gaussian, tmp_path: Path
) -> None:
    """Within 3 percent, over ten standard errors."""
    path = tmp_path / "log.parquet"
    generate(path, form="batches", tests=2000, law=law, **COUNTED)
    days = table(path)
    expected = (0.8**2 / 2,) * 2 if law == Gaussian(0.8) else (0.3 * 0.7, 0.4 * 0.6 - 0.04**2)
    for arm, noise in zip(ARMS, expected, strict=True):
        here = days["arm"] == arm
        assert np.average(days["variance"][here], weights=days["n"][here]) == pytest.approx(
            noise, rel=0.03
        )


def test_batches_are_days_with_the_rhythm_of_a_week(tmp_path: Path) -> None:
    """One after the other, busier on working days; arms differ a little.

    Days have about 300,000 outcomes per weekday, whose share is then known to half a percent.
    """
    path = tmp_path / "log.csv"
    generate(path, form="batches", tests=500)
    days = table(path)
    date = days["period"].astype("datetime64[D]").astype(int)
    for arm in ARMS:
        here = days["arm"] == arm
        same = days["test"][here][1:] == days["test"][here][:-1]
        assert (np.diff(date[here])[same] == 1).all()
    weekday = (date + 3) % 7
    busy = [days["n"][weekday == day].mean() for day in range(7)]
    assert 0.6 < max(busy[5:]) / min(busy[:5]) < 0.95
    sizes = [days["n"][days["arm"] == arm].sum() for arm in ARMS]
    assert sizes[0] != sizes[1]
    assert sizes[0] / sizes[1] == pytest.approx(1.0, abs=0.01)


@pytest.mark.parametrize("form", FORMS)
def test_lengths_are_spread_around_their_median_whatever_the_results(
    form: Form, tmp_path: Path
) -> None:
    """A quarter lies below 0.71 times it, a quarter above 1.40 times; the longest are far longer.

    Of 4000 tests quantiles lie within 5 standard errors (at most 1.36 * 0.5 / sqrt(4000) of their
    logarithm), and a correlation within 5 / sqrt(4000); false alarms 6e-7 each. Pairs, as far as
    there are as many outcomes in both arms, are 2 percent fewer.
    """
    path = tmp_path / "log.parquet"
    generate(path, form=form, tests=4000, length=1000, prior=Normal(0, 0.01))
    lengths, means, _, _ = read(path)
    quartiles = np.quantile(lengths, [0.25, 0.5, 0.75])
    expected = 1000 * np.exp(0.5 * np.array([-0.6745, 0.0, 0.6745]))
    tolerance = 5 * 1.36 * 0.5 / np.sqrt(4000)
    if form == "batches":  # each day counts its smaller arm
        tolerance += 0.1
    elif form != "raw":
        tolerance += 0.02
    assert np.abs(np.log(quartiles / expected)).max() < tolerance
    assert lengths.max() > 4000
    assert abs(np.corrcoef(np.log(lengths), means)[0, 1]) < 5 / np.sqrt(4000)


def test_no_test_has_fewer_than_twenty_samples(tmp_path: Path) -> None:
    """Though the median is as low as that."""
    generate(tmp_path / "log.csv", length=20)
    lengths = read(tmp_path / "log.csv")[0]
    assert lengths.min() == np.median(lengths) == 20


def test_rows_are_named_and_numbered(tmp_path: Path) -> None:
    """From test-000001 and 1 on, past a block and in as many digits as it takes."""
    path = tmp_path / "log.parquet"
    generate(path, tests=5000, length=20)
    names, order = (table(path)[name] for name in ("test", "order"))
    firsts = np.flatnonzero(order == 1)
    assert names[firsts].tolist() == [f"test-{number:06d}" for number in range(1, 5001)]
    assert set(np.diff(order).tolist()) <= {1, *(1 - order[firsts[1:] - 1]).tolist()}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("ending", [".csv", ".parquet"])
def test_same_seed_gives_the_same_bytes(form: Form, ending: str, tmp_path: Path) -> None:
    """Another seed gives other ones."""
    paths = [tmp_path / f"{place}{ending}" for place in range(3)]
    for path, seed in zip(paths, (7, 7, 8), strict=True):
        generate(path, form=form, tests=30, length=100, seed=seed, faults=0.1)
    one, again, other = (path.read_bytes() for path in paths)
    assert one == again != other


@pytest.mark.parametrize("form", FORMS)
def test_a_longer_log_begins_with_the_shorter_one(form: Form, tmp_path: Path) -> None:
    """Whether it is 10 tests, or two blocks and more rows than are drawn at once."""
    short, long = tmp_path / "short.csv", tmp_path / "long.csv"
    few = generate(short, form=form, tests=10, length=100)
    many = generate(long, form=form, tests=4200, length=100)
    assert long.read_text().startswith(short.read_text())
    assert (few.tests, many.tests) == (10, 4200)
    generate(short, form=form, rows=many.rows, length=100)
    assert long.read_bytes() == short.read_bytes()


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("rows", [1, 1000, 5000])
def test_rows_go_on_to_the_end_of_the_test_that_has_the_last_of_them(
    form: Form, rows: int, tmp_path: Path
) -> None:
    """One test fewer would have been too few."""
    path = tmp_path / "log.parquet"
    written = generate(path, form=form, rows=rows, length=50)
    tests = table(path)["test"]
    assert written.rows == len(tests) >= rows
    assert written.tests == len(np.unique(tests))
    assert (tests != tests[-1]).sum() < rows


def test_parquet_is_compact_and_in_large_row_groups(tmp_path: Path) -> None:
    """Names are kept once, differences take a byte; groups have about a million rows."""
    path = tmp_path / "log.parquet"
    written = generate(path, rows=3_000_000, length=50)
    with parquet.ParquetFile(path) as file:
        types = [str(file.schema_arrow.field(name).type) for name in ("test", "order", "value")]
        groups = [file.metadata.row_group(at).num_rows for at in range(file.num_row_groups)]
    assert types == ["string", "int64", "int8"]
    assert sum(groups) == written.rows
    assert all(2**20 <= size < 1.5 * 2**20 for size in groups[:-1])
    assert path.stat().st_size < written.rows


def test_faults_are_those_that_the_quality_counts(tmp_path: Path) -> None:
    """About the share that was asked for, and the log can be used; by default there are none.

    The number of faulty tests lies within 5 standard errors of 300; false alarms 6e-7.
    """
    for form in FORMS:
        path = tmp_path / f"{form}.parquet"
        generate(path, form=form, length=100, faults=0.3)
        found = check(path)
        assert found.usable
        [fault] = [
            each
            for each in found.faults
            if each.kind == ("gaps in the order" if form == "raw" else "sample-ratio mismatch")
        ]
        assert abs(fault.count - 300) < 5 * np.sqrt(1000 * 0.3 * 0.7)
        generate(path, form=form, length=100)
        assert (check(path).quality.gaps, check(path).quality.mismatched < 10) == (0, True)


@pytest.mark.parametrize("form", ["two-arm", "counts", "batches"])
@pytest.mark.parametrize("length", [20, 50_000])
def test_a_faulty_split_is_noticed_at_any_length(form: Form, length: int, tmp_path: Path) -> None:
    """In 97 of 100 tests or more, all of them faulty."""
    generate(tmp_path / "log.parquet", form=form, tests=100, length=length, faults=1.0)
    assert check(tmp_path / "log.parquet").quality.mismatched >= 97


def test_what_a_base_rate_has_no_room_for_is_truncated_and_said(tmp_path: Path) -> None:
    """A base rate of 1 percent can fall by no more; as of any world, an atom there is refused."""
    path = tmp_path / "log.csv"
    written = generate(path, form="counts", law=Lift(0.01), prior=Normal(0, 0.01))
    [sentence] = written.notes
    assert "values from -0.01 to 0.99, so Normal(0, 0.01) is truncated there" in sentence
    assert generate(path, form="counts", law=Lift(0.01), prior=Atoms([-0.01, 0.99])).notes == ()
    assert table(path)["x_t"].max() > 0
    with refused("Lift(0.01)", "-0.02"):
        generate(path, law=Lift(0.01), prior=Atoms([-0.02, 0.0]))
    with refused("no mass", "Normal(-5, 0.1)"):
        generate(path, law=Lift(0.01), prior=Normal(-5, 0.1))
    assert generate(path, tests=1, law=Gaussian(1.0), prior=Beta(2, 3)).notes == ()


def test_progress_comes_in_hundredths(tmp_path: Path) -> None:
    """A hundred of them, by tests or by rows."""
    for tests, rows in ((30, None), (None, 3_000_000)):
        steps = iter(range(STEPS))
        generate(tmp_path / "log.parquet", tests=tests, rows=rows, advance=partial(next, steps))
        assert list(steps) == []


@pytest.mark.parametrize(
    ("given", "named"),
    [
        ({"form": "long"}, ("form", "two-arm", "'long'")),
        ({"tests": 0}, ("tests", ">= 1", "0")),
        ({"rows": 2.5}, ("rows", "whole number", "2.5")),
        ({"tests": 10, "rows": 20}, ("tests or rows", "10", "20")),
        ({"length": 19}, ("length", ">= 20", "19")),
        ({"length": 10**7}, ("length", "at most 4,194,304")),
        ({"seed": -1}, ("seed", ">= 0", "-1")),
        ({"faults": 1.5}, ("faults", "from 0 to 1", "1.5")),
        ({"faults": float("nan")}, ("faults", "nan")),
        ({"law": Signs()}, ("law", "Lift(base_rate) or Gaussian(sd)", "Signs")),
        ({"law": 0.05}, ("law", "0.05")),
        ({"prior": "Normal(0, 1)"}, ("prior", "Normal")),
        ({"form": "counts", "law": Gaussian(1.0)}, ("counts", "0/1", "Gaussian(1)")),
    ],
)
def test_what_makes_no_sense_is_refused(
    given: dict[str, Any], named: tuple[str, ...], tmp_path: Path
) -> None:
    """In one sentence, with nothing written."""
    with refused(*named):
        generate(tmp_path / "log.csv", **given)
    assert list(tmp_path.iterdir()) == []


def test_a_file_that_cannot_be_written_is_refused(tmp_path: Path) -> None:
    """Another ending, a folder of that name, no such folder."""
    with refused(".csv or .parquet", "log.txt"):
        generate(tmp_path / "log.txt")
    taken = tmp_path / "taken.csv"
    taken.mkdir()
    with pytest.raises(CannotWrite, match=r"taken\.csv: it is a folder; choose another"):
        generate(taken)
    with pytest.raises(CannotWrite, match=r"cannot write .*log\.csv: No such file or directory"):
        generate(tmp_path / "missing" / "log.csv")
    with pytest.raises(CannotWrite, match="cannot write"):
        generate(tmp_path / ("long" * 100 + ".csv"), tests=1, length=4_000_000)
    assert list(tmp_path.iterdir()) == [taken]


@pytest.mark.parametrize("ending", [".csv", ".parquet"])
def test_a_log_that_breaks_off_leaves_the_older_one(ending: str, tmp_path: Path) -> None:
    """Whatever stops it, nobody sees half of a file."""
    path = tmp_path / f"log{ending}"
    path.write_text("older")

    def stop() -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        generate(path, tests=3, advance=stop)
    assert path.read_text() == "older"
    assert list(tmp_path.iterdir()) == [path]
