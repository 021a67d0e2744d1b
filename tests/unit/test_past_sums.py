"""Past tests to start from: the likelihood is that of the tests themselves."""

from collections.abc import Callable

import numpy as np
import pytest

from dwell import Gaussian, InvalidInput, Lift, Signs
from dwell.learners.past_sums import PastSums
from dwell.periods import Periods
from dwell.pools.normal import NormalPool
from dwell.pools.signs import SignsPool


def given(drawn: list[float], sums: list[float]) -> PastSums:
    return PastSums(np.array(drawn), np.array(sums))


def test_effects_have_the_likelihood_of_the_samples_that_measured_them() -> None:
    """Of normal samples: exactly, whatever the noise was."""
    rng = np.random.default_rng(0)
    samples = rng.normal(0.3, 2.0, (20, 400))
    past = PastSums.of_effects(samples.mean(axis=1), np.full(20, 2.0 / 20), Gaussian(2.0))
    assert past.drawn.tolist() == [400] * 20
    assert past.sums == pytest.approx(samples.sum(axis=1))
    pool = NormalPool(noise=2.0, cap=1000)
    of_samples = pool.kinds(np.full(20, 400), samples.sum(axis=1))
    assert pool.kinds(past.drawn, past.sums).tolist() == of_samples.tolist()


def test_effects_of_signs_count_as_many_signs() -> None:
    """The noise of signs is less the farther their mean is from 0."""
    effects, drawn = np.array([-0.9, 0.0, 0.5]), np.array([100, 64, 200])
    errors = np.sqrt((1.0 - effects**2) / drawn)
    past = PastSums.of_effects(effects, errors, Signs())
    assert past.drawn.tolist() == drawn.tolist()
    assert past.sums == pytest.approx(drawn * effects)
    past.require_law(Signs())
    pool = SignsPool(cap=256)
    logs = pool.log_likelihood(pool.kinds(past.drawn, past.sums))
    assert pool.values[logs.argmax(axis=1)] == pytest.approx(effects, abs=0.03)


def test_counts_of_equal_arms_are_pairs_of_users() -> None:
    """If the base rate is that of the counts: as many samples as an arm has users."""
    rng = np.random.default_rng(1)
    users = rng.integers(2_000, 9_000, 400)
    control, treated = rng.binomial(users, 0.1), rng.binomial(users, 0.1)
    past = PastSums.of_counts(users, control, users, treated, Lift(0.1))
    assert past.drawn == pytest.approx(users, rel=0.02)
    assert past.sums == pytest.approx(treated - control, rel=0.02, abs=1e-9)


def test_arms_of_unequal_size_count_by_what_they_tell() -> None:
    """100 controls and 900 treated say as much as 180 pairs."""
    past = PastSums.of_counts([100] * 50, [50] * 50, [900] * 50, [450] * 50, Lift(0.5))
    assert past.drawn == pytest.approx([180] * 50, rel=0.02)


def test_periods_are_added_up() -> None:
    """Each test's, however many it has."""
    periods = Periods(np.array([1, 3]), np.array([2, 5, 6, 7]), np.array([1.0, 2.0, 3.0, 4.0]))
    past = PastSums.of_periods(periods)
    assert (past.drawn.tolist(), past.sums.tolist(), len(past)) == ([2, 18], [1.0, 9.0], 2)


def test_past_sums_survive_json() -> None:
    """To the last bit."""
    past = PastSums(np.array([3, 70]), np.array([0.1, -1.0 / 3.0]))
    back = PastSums.from_json(past.to_json())
    assert back.drawn.tolist() == [3, 70]
    assert back.sums.tolist() == past.sums.tolist()
    assert back.drawn.dtype == np.int64


@pytest.mark.parametrize(
    ("made", "words"),
    [
        (lambda: given([1, 2], [1.0]), "each test needs one entry of each kind"),
        (lambda: given([0], [1.0]), "drawn must lie between 1 and 2^53 samples, got 0 in test"),
        (lambda: given([1.5], [1.0]), "drawn must be whole numbers, got 1.5 in test 1"),
        (lambda: given([2], [np.nan]), "sums must be finite numbers, got nan in test 1"),
        (
            lambda: PastSums.of_effects([0.1], [0.0], Gaussian(1)),
            "standard_errors must be above 0, got 0 in test 1",
        ),
        (
            lambda: PastSums.of_effects([0.1, 0.2], [0.1, 3.0], Gaussian(1)),
            "standard_errors must be at most the noise of one sample, got 3 in test 2",
        ),
        (
            lambda: PastSums.of_effects([1.5], [0.1], Signs()),
            "effects of signs must lie strictly between -1 and 1, got 1.5 in test 1",
        ),
        (
            lambda: PastSums.of_counts([9], [1], [9], [2], Signs()),
            "counts of users and conversions are differences of rates",
        ),
        (
            lambda: PastSums.of_counts([9], [10], [9], [2], Lift(0.1)),
            "control_conversions must lie between 0 and control_users, got 10 in test 1",
        ),
        (lambda: PastSums.from_json("{}"), "past tests in JSON look like"),
        (
            lambda: given([4], [5.0]).require_law(Lift(0.1)),
            "sums must be at most as large as drawn, got 5",
        ),
        (lambda: given([2**24], [5.0]).require_law(Signs()), "at most 16,777,215 samples"),
    ],
)
def test_what_is_wrong_is_refused_in_a_sentence(made: Callable[[], object], words: str) -> None:
    """Which names the thing and the value."""
    with pytest.raises(InvalidInput) as refused:
        made()
    assert words in str(refused.value)


def test_tests_may_be_in_the_order_in_which_they_began() -> None:
    """Whatever they are made from; it is kept in JSON, and nothing else is taken for it."""
    days = Periods(np.array([2, 1]), np.array([9, 1, 4]), np.array([3.0, 1.0, -2.0]))
    users = [5_000, 5_000]
    for in_order in (False, True):
        made = (
            PastSums.of_periods(days, in_order=in_order),
            PastSums.of_effects([0.1, 0.2], [0.1, 0.1], Gaussian(1), in_order=in_order),
            PastSums.of_counts(users, [500, 500], users, [510, 490], Lift(0.1), in_order=in_order),
        )
        assert {each.in_order for each in made} == {in_order}
        assert {PastSums.from_json(each.to_json()).in_order for each in made} == {in_order}
    with pytest.raises(InvalidInput, match="in_order must be True or False, got 'yes'"):
        PastSums.of_periods(days, in_order="yes")  # type: ignore[arg-type]  # what is refused
