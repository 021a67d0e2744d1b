"""Changes of the pool of ideas among past tests: found where they are, and not where none is."""

from collections.abc import Callable
from datetime import date, timedelta
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from dwell.arrays import DateArray, FloatArray
from dwell.fitting.past_change import PastChange, past_change
from dwell.history.reading.beginnings import beginnings_of
from dwell.history.reading.log import Log
from dwell.history.reading.summaries import summaries
from dwell.planning import PastTests, fitted
from tests.refusals import refused

FIRST = np.datetime64("2025-01-01")


def days(count: int) -> DateArray:
    """A test a day."""
    return FIRST + np.arange(count)


def measured(values: FloatArray, rng: np.random.Generator) -> tuple[FloatArray, FloatArray]:
    """Tests of 20 to 256 samples whose noise is 1: effects and standard errors."""
    errors = 1.0 / np.sqrt(rng.integers(20, 257, len(values)))
    return rng.normal(values, errors), errors


def rare_wins(count: int, rng: np.random.Generator) -> FloatArray:
    """One idea of ten wins 0.6, the others lose 0.05."""
    return np.where(rng.random(count) < 0.1, 0.6, -0.05)


def losing(count: int, rng: np.random.Generator) -> FloatArray:
    """One idea of ten wins 0.1, the others lose 0.3."""
    return np.where(rng.random(count) < 0.1, 0.1, -0.3)


def changing(seed: int = 0, before: int = 120, since: int = 80) -> tuple[FloatArray, FloatArray]:
    """Tests of rare wins, then of losing ideas."""
    rng = np.random.default_rng(seed)
    values = np.append(rare_wins(before, rng), losing(since, rng))
    return measured(values, rng)


def found_in(effects: FloatArray, errors: FloatArray) -> PastChange:
    """The change, which must be there."""
    change = past_change(effects, errors, days(len(effects)))
    assert change is not None
    return change


def test_a_change_is_found_where_it_is() -> None:
    """Between the dates that are told, in 20 of 20 logs; the tests since are of the present pool.

    Were ranges right nine times in ten, this would pass one time in eight.
    """
    for seed in range(20):
        before = 113 + seed
        change = found_in(*changing(seed, before=before, since=200 - before))
        first = date(2025, 1, 1) + timedelta(days=before)
        assert change.earliest <= before <= change.latest
        assert change.earliest_date <= first <= change.latest_date
        assert change.present.tolist() == [False] * change.since + [True] * (200 - change.since)
        assert change.clear_now.estimate < change.clear_before.estimate


def test_what_is_told_holds() -> None:
    """Clear wins by the exact pools, in 95 % intervals: of 20 logs one or two may miss.

    More than 4 do with probability 0.3 %, if 95 % hold; were it 70 %, 24 % would pass.
    """
    from scipy import special

    missed = np.zeros(4)
    for seed in range(20):
        effects, errors = changing(seed)
        change = found_in(effects, errors)
        usual = np.median(np.maximum(errors, np.quantile(errors, 0.1)))
        for place, (values, shares) in enumerate(
            ((np.array([-0.05, 0.6]), [0.9, 0.1]), (np.array([-0.3, 0.1]), [0.9, 0.1]))
        ):
            clear = special.ndtr(values / usual - 1.96)
            figures = (
                (change.clear_before, change.earned_before),
                (change.clear_now, change.earned_now),
            )[place]
            for told, (figure, truth) in enumerate(
                zip(figures, (shares @ clear, shares @ (clear * values)), strict=True)
            ):
                missed[2 * place + told] += not figure.low <= truth <= figure.high
    assert missed.max() <= 4


POOLS: dict[str, Callable[[int, np.random.Generator], FloatArray]] = {
    "normal": lambda count, rng: rng.normal(-0.05, 0.15, count),
    "fat tails": lambda count, rng: 0.1 * rng.standard_t(2, count),
    "rare wins": rare_wins,
    "three values": lambda count, rng: rng.choice([-1.0, 0.0, 1.0], count),
}


@pytest.mark.parametrize("pool", POOLS)
def test_where_nothing_changes_none_is_shown(pool: str) -> None:
    """50 logs of 150 tests of each pool.

    Were false alarms at 5 %, over 8 of 50 would come once in a thousand times; at 30 %, 8 or fewer
    twice in a hundred.
    """
    rng = np.random.default_rng(1)
    logs = (measured(POOLS[pool](150, rng), rng) for _ in range(50))
    assert sum(past_change(*each, days(150)) is not None for each in logs) <= 8


def test_the_order_of_rows_does_not_matter() -> None:
    """Only that of dates does."""
    effects, errors = changing()
    began = days(200)
    mixed = np.random.default_rng(3).permutation(200)
    here = past_change(effects, errors, began)
    there = past_change(effects[mixed], errors[mixed], began[mixed])
    assert here is not None
    assert there is not None
    assert there.sentence == here.sentence
    assert there.present.tolist() == here.present[mixed].tolist()


def test_a_pool_that_has_come_back_counts() -> None:
    """Its first tests are of the present pool as well."""
    rng = np.random.default_rng(0)
    values = np.concatenate([rare_wins(150, rng), losing(150, rng), rare_wins(150, rng)])
    change = found_in(*measured(values, rng))
    assert change.present[:140].all()
    assert not change.present[160:290].any()
    assert change.present[310:].all()
    assert change.tests > change.after


def test_scales_do_not_matter() -> None:
    """Effects in other units, however small or large, show the same."""
    effects, errors = changing()
    here = found_in(effects, errors)
    for unit in (1e-15, 1e15):
        there = found_in(unit * effects, unit * errors)
        assert (there.since, there.earliest, there.latest) == (
            here.since,
            here.earliest,
            here.latest,
        )


def test_far_and_precise_tests_are_no_trouble() -> None:
    """One effect of a million errors, one error of next to nothing."""
    effects, errors = changing()
    effects[5], errors[7] = 1e6, 1e-9
    assert found_in(effects, errors).earliest <= 120


def test_a_prior_is_fitted_to_the_present_pool() -> None:
    """To those tests alone, as if the others had never been; unless all are asked for."""
    effects, errors = changing()
    dated = PastTests(effects, errors, began=days(200))
    now = fitted(dated)
    assert now.changed is not None
    only = fitted(PastTests(effects[now.changed.present], errors[now.changed.present]))
    assert now.prior == only.prior
    assert "has changed since 1 May 2025 (test 121 of 200; between" in now.notes[0]
    assert now.notes[0].endswith("the plan uses the 80 tests since; --all-tests uses all of them")
    everything = fitted(dated, all_tests=True)
    undated = fitted(PastTests(effects, errors))
    assert everything.prior == undated.prior
    assert "as --all-tests says" in everything.notes[0]
    assert undated.changed is None
    assert not any("changed" in note for note in undated.notes)


def test_a_change_with_few_tests_since_is_told_and_all_are_used() -> None:
    """Nobody should plan by a handful."""
    effects, errors = changing(before=300, since=8)
    effects[300:], errors[300:] = -0.5, 0.05
    found = fitted(PastTests(effects, errors, began=days(308)))
    assert found.found.tests == 308
    assert "the plan uses all tests, as 8 since are too few" in found.notes[0]


def test_bad_dates_are_refused() -> None:
    """What is no date, and too few of them."""
    two = np.array([0.1, 0.2])
    with refused("began", "soon"):
        PastTests(two, two, began=["2025-01-01", "soon"])  # type: ignore[arg-type]
    with refused("began must be 2 dates"):
        PastTests(two, two, began=days(3))


@pytest.mark.parametrize(
    ("cell", "told"), [("soon", "'soon'"), ("", "None"), ("20250103", "20250103")]
)
def test_tables_with_bad_dates_are_refused(tmp_path: Path, cell: str, told: str) -> None:
    """With the row, and what to do."""
    path = tmp_path / "effects.csv"
    path.write_text(f"date,effect,standard_error\n2025-01-01,1,1\n{cell},1,1\n")
    with refused("date in row 2", "a date such as 2026-03-31", "leave the column out"):
        summaries(path)
    counts = tmp_path / "counts.csv"
    counts.write_text(f"test,n_c,x_c,n_t,x_t,date\na,9,1,9,2,2025-01-01\nb,9,1,9,2,{cell}\n")
    with refused("date in row 2", "a date such as 2026-03-31", "leave the column out"):
        list(Log(counts).blocks())
    assert told


FORMS = {
    "raw": {"order": ["2025-01-03", "2025-01-04", "2025-01-02"], "value": [1.0, 2.0, 3.0]},
    "batches": {
        "period": ["2025-01-03", "2025-01-04", "2025-01-02"],
        "n": [9, 9, 9],
        "mean": [0.1, 0.2, 0.3],
        "variance": [1.0, 1.0, 1.0],
    },
}


@pytest.mark.parametrize("form", FORMS)
def test_tests_begin_with_their_first_rows(form: str) -> None:
    """And are kept by that date."""
    table = pa.table({"test": ["a", "a", "b"]} | FORMS[form])
    times = beginnings_of(Log(table))
    assert times is not None
    began = times.of(("b", "a"))
    assert began is not None
    assert began.astype("datetime64[D]").astype(str).tolist() == ["2025-01-02", "2025-01-03"]
    late = Log(table, since=date(2025, 1, 3))
    assert [block.names for block in late.blocks()] == [("a",)]


def test_numbers_are_no_dates() -> None:
    """The order of rows within tests does not say when these began."""
    table = pa.table({"test": ["a", "a", "b"], "order": [1, 2, 1], "value": [1.0, 2.0, 3.0]})
    assert beginnings_of(Log(table)) is None
    with refused("has no dates", "leave since out"):
        list(Log(table, since=date(2025, 1, 3)).blocks())
    with refused("since must be a datetime.date"):
        Log(table, since="2025-01-03")  # type: ignore[arg-type]
