"""Summaries: what each past test measured, from whatever a log is read from."""

import gzip
from math import sqrt
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as parquet
import pytest

from dwell.history.reading.sources import Query
from dwell.history.reading.summaries import Summaries, summaries
from tests.refusals import refused

COUNTS = "test, n_c ,x_c,n_t,x_t\nblue,100,10,200,30\n\nred,100,5,50,1\n"

# How many users are treated, of tests with 30 others.
SPLITS = {"even": 30, "uneven": 300, "even again": 30}


def read(folder: Path, text: str, **how: Any) -> Summaries:
    """What a file of text says."""
    file = folder / "past.csv"
    file.write_text(text, encoding="utf-8")
    return summaries(str(file), **how)


def test_counts_are_read_whatever_holds_them(tmp_path: Path) -> None:
    """CSV, compressed too, Parquet, a data frame, a query; the base rate gives the noise."""
    table = pa.table({"n_c": [100, 100], "x_c": [10, 5], "n_t": [200, 50], "x_t": [30, 1]})
    parquet.write_table(table, tmp_path / "past.parquet")
    with gzip.open(tmp_path / "past.csv.gz", "wt") as file:
        file.write("\ufeff" + COUNTS)
    query = f"select *, n_c as people from '{tmp_path / 'past.parquet'}'"
    for found in (
        read(tmp_path, "\ufeff" + COUNTS),
        summaries(tmp_path / "past.csv.gz"),
        summaries(tmp_path / "past.parquet"),
        summaries(table),
        summaries(Query(query), columns={"n_c": "people"}),
    ):
        assert found.effects == pytest.approx([0.05, -0.03])
        assert found.sd == pytest.approx(sqrt(2 * 0.075 * 0.925))
        assert found.notes == ()


def test_effects_are_read_by_any_titles(tmp_path: Path) -> None:
    """They do not say how noisy one sample is."""
    for text, columns in (
        ("standard_error,Effect\n0.1,-2\n0.2,3\n", {}),
        ("se,lift\n0.1,-2\n0.2,3\n", {"effect": "lift", "standard_error": "se"}),
    ):
        found = read(tmp_path, text, columns=columns)
        assert found.effects.tolist() == [-2, 3]
        assert found.standard_errors.tolist() == [0.1, 0.2]
        assert found.sd is None


def test_where_nobody_ever_converted_the_noise_is_not_known(tmp_path: Path) -> None:
    """A noise of 0 would be no law."""
    assert read(tmp_path, "n_c,x_c,n_t,x_t\n10,0,10,1\n10,0,10,0").sd is None


def test_samples_give_their_mean_and_its_error(tmp_path: Path) -> None:
    """In whatever order rows come; single samples do not say how noisy they are, and stay out."""
    rng = np.random.default_rng(5)
    samples = {"a": rng.normal(1, 2, 50), "b": rng.normal(-1, 2, 50), "c": np.ones(1)}
    rows = [f"{name},{at},{x}" for name, xs in samples.items() for at, x in enumerate(xs.tolist())]
    # Tests of one size are equally noisy.
    error = sqrt((samples["a"].var(ddof=1) + samples["b"].var(ddof=1)) / 2 / 50)
    for lines in (rows, rows[::-1]):
        found = read(tmp_path, "\n".join(["test,order,value", *lines]))
        assert sorted(found.effects) == pytest.approx([samples["b"].mean(), samples["a"].mean()])
        assert found.standard_errors == pytest.approx([error, error])
        assert found.notes == (
            "1 of 3 past tests are left out: they have too few samples to say how noisy they are",
        )


def test_batches_of_conversions_say_what_counts_say() -> None:
    """Also where nobody converted: to leave such tests out would make the rest look better."""
    rng = np.random.default_rng(0)
    counts = rng.binomial(500, [[0.004], [0.006]], (2, 300))
    assert (counts.sum(axis=0) == 0).any()
    columns = {"n_c": [500] * 300, "x_c": counts[0], "n_t": [500] * 300, "x_t": counts[1]}
    by_counts = summaries(pa.table(columns))
    rates = counts.T.ravel() / 500
    by_batches = summaries(
        pa.table(
            {
                "test": np.repeat(np.arange(300), 2),
                "arm": ["control", "treatment"] * 300,
                "period": [1] * 600,
                "n": [500] * 600,
                "mean": rates,
                "variance": rates * (1 - rates) * 500 / 499,
            }
        )
    )
    assert by_batches.effects == pytest.approx(by_counts.effects)
    assert by_batches.standard_errors == pytest.approx(by_counts.standard_errors, rel=1e-3)
    assert by_batches.notes == ()


def test_users_give_the_difference_of_their_arms_however_they_are_split() -> None:
    """As many of them as of the others in one test, ten times as many in another; both at once."""
    rng = np.random.default_rng(1)
    test, arm, order, outcome = [], [], [], []
    for name, treated in SPLITS.items():
        for label, users in (("control", 30), ("treatment", treated)):
            test += [name] * users
            arm += [label] * users
            order += np.linspace(0, 1e6, users).round().astype(int).tolist()
            outcome += rng.binomial(1, 0.4, users).tolist()
    table = pa.table({"test": test, "arm": arm, "order": order, "outcome": outcome})
    found = summaries(table)
    means = {
        (name, label): np.mean(
            [x for t, a, x in zip(test, arm, outcome, strict=True) if (t, a) == (name, label)]
        )
        for name in SPLITS
        for label in ("control", "treatment")
    }
    wanted = [means[name, "treatment"] - means[name, "control"] for name in SPLITS]
    assert found.effects == pytest.approx(wanted, abs=0.05)
    assert (found.standard_errors > 0.0).all()


def test_batches_give_what_their_periods_add_up_to(tmp_path: Path) -> None:
    """By hand: 10 samples of mean 1 and 30 of mean 2 have the mean 1.75; variances go by n."""
    text = "test,period,n,mean,variance\na,1,10,1,4\na,2,30,2,8\nb,1,20,0,1\nb,2,20,1,1\n"
    found = read(tmp_path, text)
    assert found.effects == pytest.approx([1.75, 0.5])
    # Tests of one size are equally noisy: by the mean of 280 / 40 and 40 / 40.
    assert found.standard_errors == pytest.approx([sqrt(4 / 40), sqrt(4 / 40)])
    assert found.sd == pytest.approx(sqrt(320 / 80))


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("", ["past.csv", "effect, standard_error; or n_c"]),
        ("effect\n1", ["past.csv", "effect, standard_error"]),
        ("effect,standard_error\n", ["past.csv", "none"]),
        ("effect,standard_error\n1,1\n,1", ["effect", "row 2", "''"]),
        ("effect,standard_error\nnan,1\n1,1", ["effect", "row 1", "'nan'"]),
        ("effect,standard_error\n1,1\n1,1\n1,inf", ["standard_error", "row 3", "'inf'"]),
        ("effect,effect,standard_error\n1,1,1\n", ["one column 'effect'", "2"]),
        ("n_c,x_c,n_t,x_t\n10,1,10,many", ["x_t", "row 1", "'many'"]),
        ("n_c,x_c,n_t,x_t\n10,1,10,1\n10,11,10,1", ["control_conversions", "11", "test 2"]),
        ("test,effect,standard_error\na,1,1\nb,1,1\na,1,1", ["test a", "rows 1 and 3"]),
        ("test,n_c,x_c,n_t,x_t\na,9,1,9,1\na,9,1,9,1", ["test a", "rows 1 and 2"]),
        ("test,period,n,mean,variance\na,1,9,1,1\na,1,9,1,1", ["past.csv", "a"]),
        ("test,order,value\na,1,1\n", ["samples that differ", "none"]),
    ],
)
def test_a_dirty_past_is_refused_with_its_row(text: str, named: list[str], tmp_path: Path) -> None:
    """In one sentence; a test that comes twice, too."""
    with refused(*named):
        read(tmp_path, text)


@pytest.mark.parametrize(
    ("columns", "named"),
    [({"lift": "x"}, ["'lift'", "effect"]), ({"effect": "x"}, ["'x'", "effect is mapped"])],
)
def test_a_mapping_that_does_not_fit_is_refused(
    columns: dict[str, str], named: list[str], tmp_path: Path
) -> None:
    """Names that are not ours, and titles that are not there."""
    with refused(*named):
        read(tmp_path, "effect,standard_error\n1,1\n2,1", columns=columns)
