"""Users of two arms or more: paired where that is fair, and compared within time elsewhere."""

from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as compute
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dwell import InvalidInput, Log, Report, check, evaluate, fixed
from dwell.history.reading.blocks import PeriodBlock, SampleBlock
from dwell.history.reading.forms.stretches import compared, stretches_of
from dwell.history.reading.mixed_block import MixedBlock
from dwell.history.reading.quality import Quality
from dwell.history.reading.summaries import summaries
from dwell.report.evaluation.page import page_of
from dwell.report.evaluation.rows import about
from dwell.report.evaluation.text import summary
from tests.blocks import plain_blocks
from tests.evaluations import bits
from tests.refusals import refused
from tests.strategies import PROPERTY

EVERYTHING = {"ship all": fixed(100, -1e9)}


def users(
    tests: int = 150,
    *,
    share: tuple[float, float] = (0.1, 0.5),
    base: tuple[float, float] = (0.05, 0.10),
    effect: float = 0.0,
    length: int = 2000,
    seed: int = 0,
) -> dict[str, Any]:
    """Tests whose treated share and base rate go from the first number to the second."""
    rng = np.random.default_rng(seed)
    time = np.tile((np.arange(length) + 0.5) / length, (tests, 1))
    treated = rng.random(time.shape) < share[0] + (share[1] - share[0]) * time
    rate = base[0] + (base[1] - base[0]) * time + effect * treated
    return {
        "test": np.repeat(np.arange(tests), length),
        "arm": np.where(treated, "treatment", "control").ravel(),
        "order": np.tile(np.arange(length), tests),
        "outcome": (rng.random(time.shape) < rate).astype(np.int64).ravel(),
    }


def rewards(report: Report) -> tuple[float, float]:
    """What shipping everything earns a test, and its standard error."""
    found = report.replayed.replay.rewards(0)
    return float(found.mean()), float(found.std(ddof=1) / np.sqrt(len(found)))


def in_pairs(rows: dict[str, Any]) -> float:
    """The mean of pairs in the order of arrival, whatever the time."""
    means = []
    for test in np.unique(rows["test"]):
        here = rows["test"] == test
        control, treated = (
            rows["outcome"][here & (rows["arm"] == arm)] for arm in ("control", "treatment")
        )
        fewer = min(len(control), len(treated))
        means.append(treated[:fewer].mean() - control[:fewer].mean())
    return float(np.mean(means))


@pytest.mark.parametrize("share", [(0.1, 0.5), (1 / 3, 1 / 3), (0.3, 0.7), (0.44, 0.56)])
@pytest.mark.parametrize("effect", [0.0, 0.02])
def test_a_ramp_and_a_drift_make_no_effect(share: tuple[float, float], effect: float) -> None:
    """What is earned lies within 4 standard errors of the effect: false alarms 6e-5 each.

    The last share changes too little to be noticed in one test, and is noticed in all of them.
    """
    rows = users(share=share, effect=effect, seed=7)
    report = evaluate(pa.table(rows), EVERYTHING)
    mean, error = rewards(report)
    assert abs(mean - effect) < 4.0 * error < 0.01
    quality = report.replayed.quality
    assert (quality.within_time, quality.unpaired) == (150, 0)
    assert quality.samples == 150 * 1000  # two users are a sample
    assert any("within short stretches of time" in note for note in report.notes)


def test_pairs_in_the_order_of_arrival_would_see_an_effect() -> None:
    """The test above can fail: as pairs, the same users show ten standard errors of nothing."""
    rows = users(seed=7)
    _, error = rewards(evaluate(pa.table(rows), EVERYTHING))
    assert in_pairs(rows) > 10.0 * error


def test_an_even_split_is_paired_in_the_order_of_arrival() -> None:
    """To the last bit, though outcomes drift; but for what chance takes for an uneven split.

    Of 150 tests more than 4 are so with a probability below 1e-6.
    """
    rows = users(share=(0.5, 0.5), seed=3)
    report = evaluate(pa.table(rows), EVERYTHING)
    assert report.replayed.quality.within_time <= 4
    mean, error = rewards(report)
    assert abs(mean) < 4.0 * error
    for block in plain_blocks(Log(pa.table(rows))):
        if isinstance(block, SampleBlock):
            for name, start, end in zip(
                block.names, block.starts[:-1], block.starts[1:], strict=True
            ):
                here = rows["test"] == int(name)
                arms = [
                    rows["outcome"][here & (rows["arm"] == a)] for a in ("control", "treatment")
                ]
                fewer = min(map(len, arms))
                wanted = (arms[1][:fewer] - arms[0][:fewer]).tolist()
                assert block.samples[start:end].tolist() == wanted


def test_all_users_of_an_uneven_split_count() -> None:
    """The mean over stretches has the variance that it is said to have: within 15 percent.

    Of 600 tests that is over 2.5 standard errors of the variance: false alarms 1 %, fixed seed. It
    is at most 10 % above that of the difference of all users' means.
    """
    rows = users(600, share=(1 / 3, 1 / 3), base=(0.1, 0.1), seed=5)
    found, said = [], []
    for block in plain_blocks(Log(pa.table(rows))):
        assert isinstance(block, PeriodBlock)
        drawn = np.add.reduceat(block.counts, block.starts[:-1])
        found += (np.add.reduceat(block.sums, block.starts[:-1]) / drawn).tolist()
        noise = np.add.reduceat(block.counts * block.variances, block.starts[:-1])
        said += (noise / drawn**2).tolist()
    assert np.var(found) == pytest.approx(np.mean(said), rel=0.15)
    assert np.mean(said) < 1.1 * 0.09 * (1 / 667 + 1 / 1333)


def test_users_in_periods_are_batches() -> None:
    """With a column period, they are what sums over the periods' users would give."""
    rows = users(3, length=300, seed=1)
    rows["period"] = rows["order"] // 60
    told = evaluate(pa.table(rows), {"fixed": fixed(60)})
    table = pa.table(rows).group_by(["test", "arm", "period"])
    options = compute.VarianceOptions(ddof=1)
    sums = table.aggregate(
        [("outcome", "count"), ("outcome", "mean"), ("outcome", "variance", options)]
    )
    sums = sums.rename_columns(["test", "arm", "period", "n", "mean", "variance"])
    batches = evaluate(Log(sums, sort=True), {"fixed": fixed(60)})
    assert told.found.cost.tolist() == batches.found.cost.tolist()
    assert told.found.reward == pytest.approx(batches.found.reward, abs=1e-12)
    assert told.replayed.quality.samples == batches.replayed.quality.samples


def test_a_time_may_take_the_place_of_the_order() -> None:
    """Users may come at the same time; a time beside the order is the clock of both arms."""
    rows = users(60, seed=2)
    report = evaluate(pa.table(rows), EVERYTHING)
    timed = {name: column for name, column in rows.items() if name != "order"}
    timed["time"] = rows["order"]
    assert bits(evaluate(pa.table(timed), EVERYTHING)) == bits(report)
    # Numbered in each arm on its own, and timed in common.
    own = np.zeros(len(rows["order"]), dtype=np.int64)
    for test in range(60):
        for arm in ("control", "treatment"):
            here = (rows["test"] == test) & (rows["arm"] == arm)
            own[here] = np.arange(here.sum())
    both = rows | {"order": own, "time": rows["order"]}
    assert rewards(evaluate(pa.table(both), EVERYTHING)) == rewards(report)
    alone = evaluate(pa.table(rows | {"order": own}), EVERYTHING)
    assert alone.replayed.quality.own_numbers == 60
    assert any("numbered on their own" in note for note in alone.notes)


def test_the_headline_is_withheld_where_arms_do_not_meet() -> None:
    """In text and in JSON the reason stands in its place."""
    rows = users(20, length=200, share=(0.5, 0.5), seed=4)
    place = rows["order"] / 200
    apart = np.where(place < 0.45, "control", np.where(place > 0.55, "treatment", rows["arm"]))
    report = evaluate(pa.table(rows | {"arm": apart}), {"all": fixed(2, -1e9)}, 0)
    assert report.withheld is not None
    assert "nothing is advised" in summary(report)[0]
    assert "when the other arm had none" in summary(report)[0]
    told = about(report)
    assert (told["best"], told["advice"], told["withheld"]) == (None, None, report.withheld)
    assert evaluate(pa.table(users(20, seed=4)), EVERYTHING).withheld is None


ARMS = pa.table(
    {
        "test": ["x"] * 9 + ["y"] * 4,
        "arm": ["A", "B", "C"] * 3 + ["A", "B"] * 2,
        "order": [*range(9), *range(4)],
        "outcome": [0.0, 1.0, 5.0] * 3 + [0.0, 2.0] * 2,
    }
)


def test_each_treatment_is_a_test_of_its_own() -> None:
    """Against the control that they share, by the name test / arm, with a note."""
    [block] = [block for block in Log(ARMS).blocks(100) if "y" not in block.names]
    assert isinstance(block, SampleBlock)
    assert block.names == ("x / B", "x / C")
    assert block.samples.tolist() == [1.0, 1.0, 1.0, 5.0, 5.0, 5.0]
    report = evaluate(ARMS, {"one": fixed(1)})
    assert report.replayed.names == ("x / B", "x / C", "y")
    assert any("2 of 3 tests share their control" in note for note in report.notes)
    assert report.replayed.quality.rows == 13


def test_arms_select_two_or_more() -> None:
    """Rows of other arms are left out and counted."""
    some = evaluate(Log(ARMS, arms=("A", "B")), {"one": fixed(1)})
    assert some.replayed.names == ("x", "y")
    assert any("3 rows are of arms that were not asked for" in note for note in some.notes)
    renamed = ARMS.set_column(
        1,
        "arm",
        pa.array([{"A": "old", "B": "blue"}.get(a, "red") for a in ARMS["arm"].to_pylist()]),
    )
    every = evaluate(Log(renamed, arms=("old", "blue", "red")), {"one": fixed(1)})
    assert every.replayed.names == ("x / blue", "x / red", "y")
    assert bits(every)[0] == bits(evaluate(ARMS, {"one": fixed(1)}))[0]


@pytest.mark.parametrize(
    "labels",
    ["control blue", "b c", "1 2", "control A B", "treatment t", "c x"],
)
def test_labels_that_do_not_say_which_is_the_control_are_refused(labels: str) -> None:
    """In one sentence that says how to name them; a dry run says the same."""
    arms = labels.split()
    table = pa.table(
        {
            "test": ["x"] * 12,
            "arm": [arms[i % len(arms)] for i in range(12)],
            "order": [*range(12)],
            "outcome": [0.0, 1.0] * 6,
        }
    )
    with refused("arms", "control"):
        list(Log(table).blocks())
    assert not check(table).usable


@pytest.mark.parametrize(
    ("labels", "names"),
    [
        (("control", "treatment"), ("x",)),
        (("C", "T"), ("x",)),
        (("a", "b"), ("x",)),
        ((0, 1, 2), ("x / 1", "x / 2")),
        ((False, True), ("x",)),
        (("control", "variant_1", "variant_2"), ("x / variant_1", "x / variant_2")),
        (("a", "c"), ("x",)),
    ],
)
def test_usual_labels_need_no_names(labels: tuple[Any, ...], names: tuple[str, ...]) -> None:
    """The first of each is the control."""
    count = len(labels)
    table = pa.table(
        {
            "test": ["x"] * 4 * count,
            "arm": [labels[i % count] for i in range(4 * count)],
            "order": [*range(4 * count)],
            "outcome": [float(i % count > 0) for i in range(4 * count)],
        }
    )
    [block] = Log(table).blocks()
    assert isinstance(block, SampleBlock)
    assert block.names == names
    assert set(block.samples.tolist()) == {1.0}


def test_batches_of_three_arms_are_two_tests() -> None:
    """Each against the control."""
    table = pa.table(
        {
            "test": ["x"] * 6,
            "arm": ["control", "b", "d"] * 2,
            "period": [1, 1, 1, 2, 2, 2],
            "n": [10, 10, 20] * 2,
            "mean": [1.0, 2.0, 4.0] * 2,
            "variance": [1.0] * 6,
        }
    )
    [block] = Log(table).blocks()
    assert isinstance(block, PeriodBlock)
    assert block.names == ("x / b", "x / d")
    assert block.counts.tolist() == [10, 10, 15, 15]
    assert block.sums.tolist() == [10.0, 10.0, 45.0, 45.0]


@PROPERTY
@given(st.lists(st.lists(st.booleans(), min_size=1, max_size=60), min_size=1, max_size=4))
def test_stretches_are_their_plain_twin(tests: list[list[bool]]) -> None:
    """Each has both arms and follows the one before; differences are those of its users' means."""
    sides = np.array([side for test in tests for side in test], dtype=np.int64)
    starts = np.cumsum([0, *map(len, tests)])
    found = stretches_of(sides, starts)
    used = found >= 0
    assert (np.diff(found[used]) >= 0).all()
    number = np.repeat(np.arange(len(tests)), np.diff(starts))
    outcomes = np.random.default_rng(0).normal(size=len(sides))
    told = compared(number[used], found[used], sides[used], outcomes[used], len(tests))
    place = 0
    for test in range(len(tests)):
        users = 0
        for stretch in np.unique(found[used & (number == test)]):
            here = found == stretch
            assert set(number[here]) == {test}
            arms = [outcomes[here & (sides == side)] for side in (0, 1)]
            assert min(map(len, arms)) >= 1
            users += int(here.sum())
            wanted = told.counts[place] * (arms[1].mean() - arms[0].mean())
            assert told.sums[place] == pytest.approx(wanted)
            place += 1
        mine = slice(place - int(told.lengths[test]), place)
        assert told.counts[mine].sum() == users // 2
        few = min(tests[test].count(True), tests[test].count(False))
        assert (told.lengths[test] > 0) == (few > 0)


def test_a_mixed_block_answers_as_its_parts_do() -> None:
    """Tests in their order, whichever kind they are; parts of a log join to the whole."""
    even, odd = users(8, share=(0.5, 0.5), length=400), users(8, length=400)
    rows = {name: np.concatenate([even[name], odd[name]]) for name in even}
    rows["test"][len(even["test"]) :] += 8
    shuffled = np.argsort(np.random.default_rng(0).permutation(16)[rows["test"]], kind="stable")
    table = pa.table({name: column[shuffled] for name, column in rows.items()})
    policies = [fixed(5, 1), fixed(20, 1), fixed(60, 2)]
    blocks = list(Log(table).blocks())
    assert any(isinstance(block, MixedBlock) for block in blocks)
    whole = evaluate(table, policies)
    for size in (1, 2000):
        names: list[str] = []
        stops = []
        for block in Log(table).blocks(size):
            names += block.names
            stops.append(block.drawn)
        assert tuple(names) == whole.replayed.names
        assert np.concatenate(stops).tolist() == whole.replayed.replay.lengths.tolist()
    assert np.isfinite(whole.found.reward).all()
    with pytest.raises(InvalidInput, match="test per mark"):
        MixedBlock(np.array([True]), blocks[0].samples, blocks[0].periods)  # type: ignore[attr-defined]
    assert sum((block.quality for block in blocks), Quality()).tests == 16


def test_tests_of_both_kinds_are_summed_up() -> None:
    """What past tests measured is right for a ramp, too: effects lie around 0 as errors say.

    The mean of 90 effects lies within 4 of its standard errors, and pairs would be over 8 off.
    """
    even, ramp = users(30, share=(0.5, 0.5), seed=1), users(60, seed=2)
    rows = {name: np.concatenate([even[name], ramp[name]]) for name in even}
    rows["test"][len(even["test"]) :] += 30
    alone = {"test": [99], "arm": ["control"], "order": [0], "outcome": [1]}
    table = pa.concat_tables([pa.table(rows), pa.table(alone)])
    found = summaries(table)
    assert len(found.effects) == 90
    error = np.sqrt((found.standard_errors**2).sum()) / 90
    assert abs(found.effects.mean()) < 4.0 * error
    assert in_pairs(ramp) * 60 / 90 > 8.0 * error
    assert found.effects.std() == pytest.approx(found.standard_errors.mean(), rel=0.25)
    assert "1 of 91 past tests are left out" in found.notes[0]


def test_a_page_tells_why_nothing_is_advised() -> None:
    """The reason stands where the advice would."""
    rows = users(20, length=200, share=(0.5, 0.5), seed=4)
    place = rows["order"] / 200
    apart = np.where(place < 0.45, "control", np.where(place > 0.55, "treatment", rows["arm"]))
    page = page_of(evaluate(pa.table(rows | {"arm": apart}), {"all": fixed(2, -1e9)}))
    assert "Nothing is advised on this log" in page
    assert "when the other arm had none" in page


def test_arms_that_never_meet_are_refused_with_the_reason() -> None:
    """As if all controls had come first: by the order, they did."""
    rows = users(5, length=1000, share=(0.5, 0.5), seed=4)
    apart = np.where(rows["order"] < 500, "control", "treatment")
    with refused("2 tests or more", "when the other arm had none", "column time"):
        evaluate(pa.table(rows | {"arm": apart}))
