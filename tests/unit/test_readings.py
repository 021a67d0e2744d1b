"""Readings of the past: which tests are of the present pool, and whether it has changed."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dwell.arrays import FloatArray
from dwell.fitting.dating import shown, when
from dwell.fitting.pool import Laws
from dwell.fitting.readings import Readings
from dwell.kernels.following import follow

# Two shapes of a pool: tests of kind 1 are frequent under the one, seldom under the other.
SHAPES = Laws(np.array([[0.9, 0.1], [0.1, 0.9]]), np.array([0.5, 0.5]))


def taught(kinds: list[int]) -> Readings:
    """Readings after tests of kinds 0 and 1."""
    readings = Readings.of(2)
    rows, taken = np.array(kinds, dtype=np.int64), 0
    while taken < len(rows):
        some = rows[taken : taken + readings.left]
        readings.take(some, SHAPES.weights.T[some], SHAPES.chances[np.newaxis])
        taken += len(some)
    return readings


def plain_follow(likelihood: FloatArray, prior: FloatArray) -> tuple[FloatArray, float]:
    """What one reading believes after tests, and how likely it made them: a plain twin."""
    belief, chance = prior.copy(), 1.0
    for row in likelihood:
        chance *= float(belief @ row)
        belief = belief * row / (belief @ row)
    return belief, chance


def test_the_kernel_is_bayes_rule() -> None:
    """Against the plain twin, reading by reading; given together or one by one, to the last bit."""
    rng = np.random.default_rng(0)
    likelihood, beliefs = rng.random((7, 4)), rng.dirichlet(np.ones(4), 3)
    chances = np.log([[0.4, 0.2, 0.1], [0.1, 0.1, 0.1]])
    expected = np.array([plain_follow(likelihood, row)[1] for row in beliefs])
    together = (np.exp(chances) * expected).sum()
    evidence, after = np.zeros(4), chances.copy()
    gained = follow(likelihood, beliefs, evidence, after)
    assert after == pytest.approx(chances + np.log(expected / together))
    assert gained.sum() == pytest.approx(np.log(together / expected[0]))
    assert evidence == pytest.approx(np.log(likelihood).sum(axis=0))
    one_by_one, last = np.zeros(4), chances.copy()
    again = [follow(row[np.newaxis], beliefs, one_by_one, last)[0] for row in likelihood]
    assert last.tolist() == after.tolist()
    assert one_by_one.tolist() == evidence.tolist()
    assert again == gained.tolist()


def test_what_nothing_explains_any_more_is_still_predicted() -> None:
    """Shapes that are out of the question by 10,000 on the log scale, each by other tests."""
    beliefs, evidence = np.array([[1.0, np.exp(-300.0)]]), np.array([-10_000.0, 0.0])
    chances = np.zeros((1, 1))
    gained = follow(np.array([[0.5, 0.25]]), beliefs, evidence, chances)
    assert np.isfinite(chances).all()
    assert np.isfinite(gained).all()


def test_before_a_change_can_be_offered_all_tests_count() -> None:
    """Five tests are one span, and every reading counts them all."""
    readings = taught([0, 1, 1, 0, 1])
    assert readings.counted == readings.tests == 5
    assert readings.of_present_pool()[1].tolist() == [2.0, 3.0]
    assert readings.evidence == pytest.approx(0.0, abs=1e-12)


def test_chances_are_those_of_all_ways_in_which_the_pool_may_change() -> None:
    """Exactly: of twelve tests, with two offers; at the second the first pool may be back."""
    kinds = [0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1]
    readings = taught(kinds)
    rows = SHAPES.weights.T[kinds]

    def likelihood(start: int, end: int = 12) -> float:
        return plain_follow(rows[start:end], SHAPES.chances)[1]

    def faded(end: int = 12) -> float:
        # What was learned is worth 0.99 as much after each test more, from look to look.
        found, powers = 1.0, np.zeros(12)
        for first in range(0, end, 5):
            powers[:first] *= 0.99**5
            powers[first - 5 : first] = 0.99**5
            belief = SHAPES.chances * (rows ** powers[:, np.newaxis])[:first].prod(axis=0)
            found *= plain_follow(rows[first : min(end, first + 5)], belief / belief.sum())[1]
        return found

    learned_by_5 = plain_follow(rows[:5], SHAPES.chances)[0]
    back = plain_follow(rows[10:], learned_by_5)[1]
    expected = []
    for between, pace in ((1500, 0.9), (150, 0.1)):
        hazard = 5 / between
        by_5 = 0.7 * likelihood(0, 5) + 0.3 * faded(5)
        # What is offered at 10 comes with its share of all that was likely by then.
        stayed = (1 - hazard) * (0.7 * likelihood(0, 10) + 0.3 * faded(10))
        before = stayed + hazard * by_5 * likelihood(5, 10)
        stays, fades = ((1 - hazard) ** 2 * each for each in (0.7 * likelihood(0), 0.3 * faded()))
        at_5 = hazard * (1 - hazard) * by_5 * likelihood(5)
        at_10 = [0.7 * hazard * before * likelihood(10), 0.3 * hazard * before * back]
        expected.append([pace * each for each in (stays, fades, at_5, *at_10)])
    total = np.sum(expected)
    assert np.exp(readings.chances) == pytest.approx(np.array(expected) / total)
    assert readings.evidence == pytest.approx(np.log(total / likelihood(0)))
    assert readings.faded[0].tests == pytest.approx(5 * 0.99**5 + 5 * 0.99**10)


def test_tests_that_do_not_tell_of_changes_are_counted_and_nothing_else() -> None:
    """No time passes by them: the next look comes after as many tests that tell."""
    readings = taught([0, 1, 1, 0, 1, 0, 0])
    chances, left = readings.chances.tolist(), readings.left
    readings.count(np.array([1, 1, 1]))
    assert readings.tests == 10
    assert readings.left == left
    assert readings.chances.tolist() == chances
    assert readings.of_present_pool()[1].sum() == pytest.approx(readings.counted)
    assert readings.fits(Readings.of(2))


def test_a_shape_of_the_first_reading_alone_is_impossible_by_the_others() -> None:
    """The first predicts by three shapes, the others by two: each as Bayes' rule has it."""
    weights = np.array([[0.9, 0.1], [0.1, 0.9], [0.3, 0.7]])
    chances = np.array([[0.4, 0.4, 0.2], [0.5, 0.5, 0.0]])
    readings, rows = Readings.of(3), weights.T[[1, 1, 0, 1, 1]]
    readings.take(np.array([1, 1, 0, 1, 1]), rows, chances)
    first, others = (plain_follow(rows, each)[1] for each in chances)
    together = 0.7 * first + 0.3 * others
    expected = np.outer([0.9, 0.1], [0.7 * first / together, 0.3 * others / together])
    assert np.exp(readings.chances) == pytest.approx(expected)
    assert readings.evidence == pytest.approx(np.log(together / first))


def test_a_shape_that_is_fitted_anew_is_as_likely_as_at_first() -> None:
    """What it did not know before counts no longer; what speaks for it still does."""
    chances = np.array([0.5, 0.3, 0.2])
    for unlikely in (True, False):
        readings = Readings.of(3)
        readings.spans[0].evidence[:] = [-4.0, -3.0, -9.0 if unlikely else -1.0]
        readings.catch_up(chances)
        beliefs = chances * np.exp(readings.spans[0].evidence)
        share = beliefs[2] / beliefs.sum()
        assert readings.spans[0].evidence[:2].tolist() == [-4.0, -3.0]
        if unlikely:
            total = chances @ np.exp([-4.0, -3.0, -9.0])
            assert beliefs[2] == pytest.approx(0.2 * total)
        else:
            assert share == pytest.approx(0.2 * np.exp(-1.0) / (chances @ np.exp([-4, -3, -1])))


def test_likelier_kinds_of_readings_are_drawn_more_often_than_they_are_likely() -> None:
    """By their chances to a power above 1; the former pool is handed on, with what has faded."""
    readings, former = taught([0, 0, 1, 0, 0, 0, 0, 0, 1, 0, 0]), np.array([0.25, 0.75])
    likely = np.exp(readings.chances).sum(axis=0)
    kinds = np.array([likely[0], likely[1], likely[2:].sum()])
    for sharper in (0.5, 2.0):
        rng = np.random.default_rng(0)
        found = readings.plausible(100_000, sharper, np.arange(2.0), former, rng)
        drawn = np.bincount(np.minimum(found.readings, 2), minlength=3) / 100_000
        expected = kinds ** (1.0 + sharper)
        assert drawn == pytest.approx(expected / expected.sum(), abs=1e-4)
    assert found.former is former
    assert found.counts[found.readings == 0].tolist()[0] == [9.0, 2.0]
    # At each of two looks, five tests apart, 1 % a test is forgotten of what came before.
    left = 5 * 0.99**10 + 5 * 0.99**5 + 1
    assert found.faded[found.readings == 1] == pytest.approx(11 - left)
    assert not found.faded[found.readings != 1].any()


def test_a_change_is_found_where_it_was() -> None:
    """Of tests of one kind that give way to tests of the other at 200."""
    rng = np.random.default_rng(1)
    kinds = np.append(rng.random(200) < 0.1, rng.random(100) < 0.9).astype(int).tolist()
    readings = taught(kinds)
    assert readings.evidence > np.log(1e6)
    readings.settle()
    assert readings.evidence == pytest.approx(0.0)
    assert abs(readings.since(0) - 200) <= 10
    earliest, latest = when(readings, 0.95)
    assert earliest <= 200 <= latest
    assert 80 <= readings.counted <= 120
    # What may have come back is recalled: after few tests, many of the first 200 count again.
    again = np.append(kinds, rng.random(40) < 0.1).astype(int).tolist()
    assert 100 <= taught(again).counted <= 250
    # Three tenths of what is likely say that they fade: 86 of the 200 are left then.
    assert 150 < taught(kinds[:200]).counted < 180


def test_where_samples_depend_more_evidence_is_asked_for() -> None:
    """E = 40 shows a change; where two samples are worth one, it takes 40 squared."""
    readings = taught([*[0] * 40, *[1] * 10])
    assert readings.leading
    for factor in (1.0, 2.0):
        readings.evidence = factor * np.log(40.0) - 0.01
        assert shown(readings, factor) is None
    readings.evidence += 0.02
    change = shown(readings, 2.0)
    assert change is not None
    assert change.earliest <= 40 <= change.latest


@given(st.lists(st.integers(0, 1), max_size=300))
def test_no_test_is_lost_and_spans_stay_few(kinds: list[int]) -> None:
    """Whatever comes: spans follow one another, and hold every test once."""
    readings = taught(kinds)
    everything = readings.counted_by(np.ones(len(readings.spans)))
    assert everything[1].sum() == readings.tests == len(kinds)
    assert len(readings.spans) <= 16
    assert all(one.start + one.tests == two.start for one, two in pairwise(readings.spans))
    assert np.exp(readings.chances).sum() == pytest.approx(1.0)
    assert 0.0 <= readings.counted <= readings.tests + 1e-9
    assert readings.fits(Readings.of(2))
    assert not readings.fits(Readings.of(3))


def test_alarms_where_nothing_changes_are_as_seldom_as_stated() -> None:
    """At most 5 % ever, over pools drawn from the shapes.

    Of 400 runs of 300 tests at most 20 are expected to exceed 20; more than 33 are seen in fewer
    than one in 200 such tests if the rate is 5 %, and fewer in one in 200 if it is 12 %.
    """
    rng = np.random.default_rng(2)
    alarms = 0
    for _ in range(400):
        shape = SHAPES.weights[rng.integers(2)]
        kinds = (rng.random(300) < shape[1]).astype(int)
        readings, taken, most = Readings.of(2), 0, 0.0
        while taken < len(kinds):
            some = kinds[taken : taken + readings.left]
            readings.take(some, SHAPES.weights.T[some], SHAPES.chances[np.newaxis])
            taken += len(some)
            most = max(most, readings.evidence)
        alarms += most >= np.log(20.0)
    assert alarms <= 33
