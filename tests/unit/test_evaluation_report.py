"""What an evaluation says: a few lines, tables, plain figures and a page."""

import csv
import io
import json
import re
from collections.abc import Mapping
from dataclasses import replace
from math import nan
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from markupsafe import escape

import dwell
from dwell.arrays import FloatArray
from dwell.errors import CannotWrite
from dwell.report.encode import csv_text, json_text
from dwell.report.evaluation.figures import lengths, over_setup, over_time
from dwell.report.evaluation.forest import forest
from dwell.report.evaluation.page import page_of
from dwell.report.evaluation.rows import about, figures, rows
from dwell.report.evaluation.scale import Scale
from dwell.report.evaluation.table import fitted, grid, legend
from dwell.report.evaluation.text import summary


def log_of(samples: FloatArray, **given: object) -> dwell.Log:
    """A raw log of tests of one length."""
    tests, length = samples.shape
    columns = {
        "test": np.repeat(np.arange(tests), length),
        "order": np.tile(np.arange(length), tests),
        "value": samples.ravel(),
    }
    return dwell.Log(pa.table(columns), **given)  # type: ignore[arg-type]


def signs(tests: int = 400, length: int = 60, **given: object) -> dwell.Log:
    """Ideas of which one in five is good, by thumbs up and down."""
    world = dwell.World(dwell.Atoms([-0.2, 0.5], [0.8, 0.2]), dwell.Signs())
    _, samples = world.sample(tests, length, rng=1)
    return log_of(samples.astype(np.float64), **given)


@pytest.fixture(scope="module")
def gaining() -> dwell.Report:
    """Short tests would have earned more."""
    return dwell.evaluate(signs(bounds=(-1.0, 1.0)), setup_cost=5)


@pytest.fixture(scope="module")
def losing() -> dwell.Report:
    """One sample decides less well than sixty, where tests are dear to set up."""
    return dwell.evaluate(signs(), {"one <sample>": dwell.fixed(1, 1)}, setup_cost=1000)


@pytest.fixture(scope="module")
def barren() -> dwell.Report:
    """Nothing is ever ahead."""
    policies = [dwell.fixed(1, 1), dwell.fixed(3, 1)]
    return dwell.evaluate(log_of(np.full((9, 5), -1.0)), policies, setup_cost=0)


def test_a_gain_is_told_in_four_lines(gaining: dwell.Report) -> None:
    """What to do, what it earns beside today's rule, what that is in all, and how certain it is."""
    do, earns, in_total, certain = summary(gaining)
    found = gaining.found
    assert gaining.candidate is not None
    assert do == f"Change to: {gaining.candidate.advice}."
    corrected, now = found.corrected, found.current.roi
    reach = corrected.reach * corrected.gain_error
    assert earns.startswith(
        f"What it earns: {1000 * corrected.roi:,.2f} ± "
        f"{1000 * corrected.reach * corrected.error:,.2f} per 1,000 samples on tests that it was "
        f"not chosen by; today's rule (to the end, ship if ahead) {1000 * now:,.2f} ± "
    )
    gain = f"{1000 * corrected.gain:+,.2f} ± {1000 * reach:,.2f} per 1,000 samples"
    shares = f"{100 * corrected.gain / now:+,.0f} % ± {100 * reach / now:,.0f} %"
    assert f"On the same tests the gain is {gain} ({shares})." in earns
    assert earns.endswith(" ± is always a 95 % interval.")
    assert in_total.startswith("In total: the same 400 tests would have shipped ")
    others, like_it = len(found.policies) - 1, len(found.approximate.indistinguishable) - 1
    assert f"{like_it} of {others} other rules cannot be told apart from the best" in certain


def test_a_guaranteed_interval_is_told_where_it_tells_something(gaining: dwell.Report) -> None:
    """One that reaches to both sides of 0 is left to the table at the end of the page."""
    verdict, best, scale = gaining.found.guaranteed, gaining.found.best, Scale.of(gaining)
    assert verdict is not None
    assert best is not None
    assert verdict.roi_low[best] < 0.0
    assert "guaranteed" not in summary(gaining)[-1]
    higher = replace(verdict, roi_low=verdict.roi_high / 2.0)
    certain = summary(replace(gaining, found=replace(gaining.found, guaranteed=higher)))[-1]
    high = float(verdict.roi_high[best])
    ends = f"{scale.text(high / 2.0)} to {scale.text(high)}"
    assert certain.endswith(f"Its guaranteed interval is {ends}.")


def test_no_gain_is_told_plainly(losing: dwell.Report) -> None:
    """What is done now is kept, and without bounds nothing is called guaranteed."""
    do, earns, certain = summary(losing)
    assert losing.found.corrected.gain < 0.0
    assert do.startswith("Keep what you do (to the end, ship if ahead): no rule is shown to earn")
    assert earns.startswith("What it earns: what did best (run one <sample>) earned ")
    assert f"rule (to the end, ship if ahead) {1000 * losing.found.current.roi:,.4f} ±" in earns
    assert "the gain is \N{MINUS SIGN}" in earns
    assert "guaranteed" not in certain
    assert "0 of 0 other rules" in certain


def test_nothing_earned_is_told_in_three_lines(barren: dwell.Report) -> None:
    """Then nothing is advised."""
    do, earns, certain = summary(barren)
    assert do.startswith("Nothing earns: no rule is shown to earn more than 0 on these tests")
    assert "(to the end, ship if ahead) earned 0 ± 0 per 1,000 samples." in earns
    assert certain == "How certain: that is by 9 tests."
    assert about(barren)["answer"] == "nothing-earns"
    assert about(barren)["best"] is None
    assert about(barren)["advice"] is None
    assert {row[-1] for row in grid(barren).rows} == {""}


def test_a_gain_over_a_loss_is_no_share_of_it() -> None:
    """It is told in units of value: nobody understands a percentage of a loss."""
    always = dwell.fixed(1, -5)
    report = dwell.evaluate(signs(), [dwell.fixed(9, 1)], setup_cost=5, current=always)
    assert report.found.current.roi < 0.0
    earns = summary(report)[1]
    assert "the gain is +" in earns
    assert "%" not in earns.removesuffix("95 % interval.")


def test_tests_left_out_are_counted() -> None:
    """Those of one sample cannot be decided and scored."""
    columns = {"test": [1, 1, 1, 2, 2, 2, 3], "order": [1, 2, 3, 1, 2, 3, 1]}
    table = pa.table(columns | {"value": [1.0, 1.0, 1.0, -1.0, 1.0, -1.0, 1.0]})
    report = dwell.evaluate(table, [dwell.fixed(1, 1)], setup_cost=0)
    assert "that is by 2 tests; 1 more is too short to be judged." in summary(report)[-1]


def test_tiny_figures_are_given_for_a_million_samples_or_more() -> None:
    """0.000404 per 1,000 samples is hard to read, and so is less than that per million."""
    tiny = dwell.evaluate(log_of(1e-8 * signs_of(50, 9)), [dwell.fixed(4)], setup_cost=50)
    assert " per billion samples" in summary(tiny)[1]
    report = dwell.evaluate(log_of(1e-5 * signs_of(50, 9)), [dwell.fixed(4)], setup_cost=50)
    assert 0.0 < 1000 * report.found.roi[0] < 0.01
    assert " per million samples" in summary(report)[1]
    assert "per million samples" in legend(report, grid(report))


def signs_of(tests: int, length: int) -> FloatArray:
    """Samples of one good idea after another."""
    world = dwell.World(dwell.Atoms([0.5]), dwell.Signs())
    return world.sample(tests, length, rng=0)[1].astype(np.float64)


def test_the_table_has_the_best_first(gaining: dwell.Report) -> None:
    """Then the others by their ROI, marked if indistinguishable; no more than 15 unless asked."""
    table, every = grid(gaining), grid(gaining, most=None)
    assert len(table.rows) == 15
    assert every.rows[:15] == table.rows
    assert len(every.rows) == len(gaining.found.policies)
    assert table.marked == {0}
    assert table.rows[0][0] == gaining.replayed.candidates[gaining.found.best or 0].name
    assert table.rows[0][-1] == "best"
    rois = [float(row[1].replace("\N{MINUS SIGN}", "-")) for row in every.rows]
    assert rois[1:] == sorted(rois[1:], reverse=True)
    marked = [row[-1] for row in every.rows].count("≈")
    assert marked == len(gaining.found.approximate.indistinguishable) - 1
    full = grid(gaining, full=True)
    assert full.header[-2:] == ("guaranteed low", "guaranteed high")


def test_a_narrow_terminal_gets_fewer_columns(gaining: dwell.Report) -> None:
    """Whole figures of some columns are better than halves of all; the rest explains itself."""
    table = grid(gaining)
    assert fitted(table, 200) == table
    narrow = fitted(table, 80)
    assert {"rule", "ROI", "low", "high"} <= set(narrow.header) < set(table.header)
    assert narrow.marked == table.marked
    lines = (narrow.header, *narrow.rows)
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    assert sum(widths) + 3 * len(widths) <= 80
    assert "Truncated counts" in legend(gaining, table)
    assert "Truncated counts" not in legend(gaining, narrow)


def all_plain(value: object) -> bool:
    """Whether JSON knows it, and it is a number where it is one."""
    if isinstance(value, Mapping):
        return all(isinstance(key, str) for key in value) and all(map(all_plain, value.values()))
    if isinstance(value, list):
        return all(map(all_plain, value))
    return type(value) in (str, int, bool, type(None)) or (type(value) is float and value == value)


@pytest.mark.parametrize("name", ["gaining", "losing", "barren"])
def test_rows_are_plain_and_have_no_nan(name: str, request: pytest.FixtureRequest) -> None:
    """Each has the same columns; what is not known is None, and empty in CSV."""
    report: dwell.Report = request.getfixturevalue(name)
    found = rows(report)
    assert all_plain(found)
    assert all_plain(about(report))
    assert len({tuple(row) for row in found}) == 1
    assert len(found) == len(report.found.policies)
    assert json.loads(json_text(figures(report))) == {**about(report), "rows": found}
    written = list(csv.DictReader(io.StringIO(csv_text(found))))
    for row, expected in zip(written, found, strict=True):
        assert row == {key: "" if value is None else str(value) for key, value in expected.items()}
    unknown = found[0]["roi_guaranteed_low"] is None
    assert unknown == (report.found.guaranteed is None)
    # Nobody declared how long tests may be.
    assert found[0]["gain_guaranteed_low"] is None
    assert "gain_guaranteed_low" not in report.table


def test_nan_is_never_printed(gaining: dwell.Report) -> None:
    """Wherever it might come from."""
    approximate = replace(
        gaining.found.approximate, roi_low=np.full(len(gaining.found.policies), nan)
    )
    broken = replace(gaining, found=replace(gaining.found, approximate=approximate))
    assert {row["roi_low"] for row in rows(broken)} == {None}
    assert {row[2] for row in grid(broken).rows} == {"-"}
    assert "nan" not in json_text(figures(broken)).lower().split()


@pytest.mark.parametrize("name", ["gaining", "losing", "barren"])
def test_the_page_has_all_its_parts(name: str, request: pytest.FixtureRequest) -> None:
    """The answer, the gain, the figures, what was found in the log, and what must hold."""
    report: dwell.Report = request.getfixturevalue(name)
    text = page_of(report, ["12 left out: tests of one package"]).replace("\N{NO-BREAK SPACE}", " ")
    assert report.answer is not None
    for words in (
        f'<li aria-current="true"><h3>{escape(report.answer.title)}</h3>',
        "Paired gain in value per 1,000 samples, with its 95 % interval.",
        "Rules, best first",
        "How long tests take",
        "What it would have come to over time",
        "What was found in the log",
        "<p>12 left out: tests of one package.</p>",
        "chosen on four fifths of the tests and scored on the other fifth",
        "The length of a past test must not have depended on its results.",
        "All rules",
    ):
        assert words in text
    assert ("In total" in text) == (name == "gaining")
    assert text.count("<p>") > 5
    assert "<sample>" not in text


def test_people_are_told_of_rules_in_plain_words(gaining: dwell.Report) -> None:
    """Ideas are shipped or dropped by rules; nothing is called significant, nor accepted."""
    page = page_of(gaining).partition("<main>")[2].partition("</main>")[0]
    words = re.sub(r"<script.*?</script>|<[^>]*>", " ", page, flags=re.DOTALL).lower()
    said = " ".join((*summary(gaining), legend(gaining, grid(gaining)), words)).lower()
    for word in ("significan", "accept", "reject", "policy", "policies", "boundar"):
        assert word not in said
    assert "ship" in said
    assert "drop" in said


def test_a_clean_log_is_told_to_be_one(gaining: dwell.Report) -> None:
    """Nothing was found, and so it says."""
    assert gaining.notes == ()
    assert "<p>Nothing was found.</p>" in page_of(gaining)


def test_figures_stay_small(gaining: dwell.Report) -> None:
    """No more policies than can be read, no more points than can be seen."""
    many = dwell.evaluate(signs(tests=3000, length=9, bounds=(-1.0, 1.0)), setup_cost=5)
    for report in (gaining, many):
        figure, caption = forest(report)
        assert len(figure.layout.yaxis.ticktext) <= 25
        assert caption.endswith(".")
        for figure, caption in (lengths(report), over_time(report)):
            assert all(len(trace.x) <= 500 for trace in figure.data)
            assert caption.endswith(".")
        figure, caption = over_setup(report)
        assert caption.startswith("Bars are 95 % intervals")


def test_wide_intervals_are_told_in_words(gaining: dwell.Report) -> None:
    """Guaranteed ones are drawn only where that leaves something to see."""
    verdict, near = gaining.found.guaranteed, gaining.found.approximate
    assert verdict is not None
    narrow = replace(verdict, roi_low=near.roi_low, roi_high=near.roi_high)
    told = replace(gaining, found=replace(gaining.found, guaranteed=narrow))
    assert "thin ones are guaranteed" in forest(told)[1]
    wide = replace(verdict, roi_low=verdict.roi_low - 100.0, roi_high=verdict.roi_high + 100.0)
    report = replace(gaining, found=replace(gaining.found, guaranteed=wide))
    assert "would make the picture useless." in forest(report)[1]


def test_the_page_says_what_is_guaranteed_and_what_is_not(
    gaining: dwell.Report, losing: dwell.Report
) -> None:
    """The current rule is not, unless a longest test was declared; without bounds nothing is."""
    undeclared = "Today&#39;s rule, and gains over it, have approximate ones only"
    assert undeclared in page_of(gaining)
    log = signs(bounds=(-1.0, 1.0))
    declared = dwell.evaluate(log, {"one": dwell.fixed(1, 1)}, setup_cost=5, longest=60)
    assert undeclared not in page_of(declared)
    assert "Guaranteed ones need no such thing" in page_of(declared)
    assert "There are none that hold for any number of tests" in page_of(losing)


def test_value_over_time_ends_with_what_was_earned(gaining: dwell.Report) -> None:
    """Lines end at the totals; the shorter one goes on at its rate to the end of the other."""
    figure, _ = over_time(gaining)
    current, recommended, onwards = figure.data
    found, best = gaining.found, gaining.found.best
    assert current.y[-1] == pytest.approx(400 * found.current.reward)
    assert current.x[-1] == pytest.approx(400 * found.current.cost)
    assert recommended.y[-1] == pytest.approx(400 * found.reward[best])
    assert onwards.x[-1] == current.x[-1]
    assert onwards.y[-1] / onwards.x[-1] == pytest.approx(found.roi[best])


def test_only_what_is_shown_to_be_better_is_recommended(
    gaining: dwell.Report, losing: dwell.Report
) -> None:
    """Else the figures speak of the best rule."""
    assert [trace.name for trace in lengths(gaining)[0].data] == ["today's rule", "recommended"]
    assert [trace.name for trace in lengths(losing)[0].data] == ["today's rule", "best rule"]


def test_a_report_writes_its_page(gaining: dwell.Report, tmp_path: Path) -> None:
    """Whole; and nothing else is left behind."""
    page = tmp_path / "report.html"
    gaining.to_html(page)
    assert page.read_text(encoding="utf-8") == page_of(gaining)
    gaining.to_html(str(page))
    assert list(tmp_path.iterdir()) == [page]


def test_a_page_that_cannot_be_written_is_refused(gaining: dwell.Report, tmp_path: Path) -> None:
    """A folder that is missing or is a file, a folder of that name, no name or an odd one."""
    (tmp_path / "file").touch()
    before = sorted(tmp_path.iterdir())
    for path in (
        tmp_path / "missing" / "report.html",
        tmp_path / "file" / "report.html",
        tmp_path,
        tmp_path / "a\0b.html",
        tmp_path / "c\0d" / "b.html",
    ):
        with pytest.raises(CannotWrite, match=r"^cannot write .*; choose another path$"):
            gaining.to_html(path)
    assert sorted(tmp_path.iterdir()) == before


def test_few_tests_are_said_to_be_few(gaining: dwell.Report) -> None:
    """Rough intervals rely on many."""
    assert not any("approximate intervals" in note for note in gaining.notes)
    few = dwell.evaluate(log_of(signs_of(50, 9)), [dwell.fixed(4)])
    assert "approximate intervals are made for hundreds of tests, and there are 50" in few.notes
