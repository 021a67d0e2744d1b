"""Dependence: sums do not depend on blocks, factors are right where they are known."""

import numpy as np
import pytest

from dwell import InvalidInput, Policies, Policy, fixed, hoeffding
from dwell.fitting.agreement import DECAYS, PathMoments, Traits, traits
from dwell.fitting.dependence import LARGEST, Dependence, effective_samples, times_seen
from dwell.outcomes import scan
from dwell.wire import plain, typed


def found_in(copies: int, tests: int, seed: int) -> Traits:
    """Traits of tests by a Hoeffding policy in which each sample is seen several times."""
    [policy] = hoeffding([256], c=0.7, tasks=10_000, delta=0.05)
    assert isinstance(policy, Policy)
    signs = np.random.default_rng(seed).choice(np.array([-1, 1], dtype=np.int8), (tests, 300))
    rows = np.repeat(signs, copies, axis=1)
    stops = scan(rows, Policies([policy])).durations[:, 0].astype(np.int64)
    return traits(rows, stops, stops + 20, PathMoments.of(policy))


def test_blocks_and_single_tests_give_the_same_bits() -> None:
    """However tests are put into blocks, all sums are equal to the last bit."""
    found = found_in(2, tests=500, seed=1)
    whole, single, uneven = (Dependence.empty() for _ in range(3))
    whole.take(found)
    for start, end in zip([0, 1, 3, 100], [1, 3, 100, 500], strict=True):
        uneven.take(found.part(start, end))
    for test in range(500):
        single.take(found.part(test, test + 1))
    assert plain(whole) == plain(single) == plain(uneven)
    assert whole.tests == 500


def test_one_test_shows_the_same_alone_and_in_a_block() -> None:
    """Traits are computed row by row, to the last bit."""
    [policy] = hoeffding([64], c=0.7, tasks=10_000, delta=0.05)
    assert isinstance(policy, Policy)
    rows = np.random.default_rng(2).choice([-1.0, 1.0], (50, 90))
    stops = scan(rows, Policies([policy])).durations[:, 0].astype(np.int64)
    moments = PathMoments.of(policy)
    block = traits(rows, stops, stops + 20, moments)
    for test in range(50):
        alone = traits(rows[test], stops[test : test + 1], stops[test : test + 1] + 20, moments)
        assert plain(alone) == plain(block.part(test, test + 1))


def test_state_comes_back_from_json_types() -> None:
    """As plain lists and back, it says the same and goes on the same."""
    dependence = Dependence.empty()
    dependence.take(found_in(3, tests=100, seed=3))
    again = typed(plain(dependence), Dependence)
    assert again.measured() == dependence.measured()
    more = found_in(3, tests=10, seed=4)
    dependence.take(more)
    again.take(more)
    assert plain(again) == plain(dependence)


def test_nothing_is_known_of_no_tests() -> None:
    """No tests, or tests whose order is known from their sum: factor 1 and no false comfort."""
    dependence = Dependence.empty()
    assert dependence.measured()[:3] == (1.0, np.inf, False)
    rows = np.ones((30, 1), dtype=np.int8)
    dependence.take(traits(rows, [1] * 30, [1] * 30, PathMoments.of(fixed(1, 1))))
    assert dependence.measured()[:3] == (1.0, np.inf, False)
    assert dependence.measured().sentence.startswith("too few samples to tell")


def test_independent_samples_are_said_to_show_nothing() -> None:
    """And how strong a dependence would have shown."""
    dependence = Dependence.empty()
    dependence.take(found_in(1, tests=30, seed=5))
    measured = dependence.measured()
    assert measured.factor == 1.0
    assert not measured.significant
    assert 1.1 <= measured.detectable < 1.5
    assert 0.01 < measured.standard_error < 0.1
    assert measured.sentence.startswith("no sign that samples within a test depend")


def test_samples_that_alternate_are_left_at_one() -> None:
    """Negative dependence makes samples worth more: that is not counted on."""
    rows = np.tile(np.array([1, -1], dtype=np.int8), (50, 20))
    dependence = Dependence.empty()
    dependence.take(traits(rows, [40] * 50, [40] * 50, PathMoments.of(fixed(40, 1))))
    assert dependence.excess[0] < 0.0
    assert dependence.measured().factor == 1.0


def test_the_factor_is_limited() -> None:
    """Where all samples of a test are one sample seen again and again, the factor is 10."""
    signs = np.random.default_rng(6).choice(np.array([-1, 1], dtype=np.int8), (50, 4))
    rows = np.repeat(signs, 50, axis=1)
    dependence = Dependence.empty()
    dependence.take(traits(rows, [200] * 50, [200] * 50, PathMoments.of(fixed(200, 1))))
    assert dependence.measured().factor == pytest.approx(LARGEST)


@pytest.mark.parametrize("decay", DECAYS.tolist())
@pytest.mark.parametrize("times", [1, 2, 3, 5, 9])
def test_times_seen_solves_the_sum_of_fading_correlations(decay: float, times: int) -> None:
    """If each sample is seen k times, the correlation at lag l < k is 1 - l/k on average."""
    size = sum(decay ** (lag - 1) * (1.0 - lag / times) for lag in range(1, times))
    assert times_seen(size, decay) == pytest.approx(times)


@pytest.mark.parametrize("correlation", [0.0, 0.5, 0.8])
def test_effective_samples_are_exact_for_correlations_that_fade_geometrically(
    correlation: float,
) -> None:
    """The best weighted mean of n such samples has the variance of so many independent ones."""
    samples = np.arange(1, 40)
    factor = (1.0 + correlation) / (1.0 - correlation)
    for n in samples.tolist():
        lags = np.abs(np.subtract.outer(np.arange(n), np.arange(n)))
        information = float(np.linalg.inv(correlation ** lags.astype(float)).sum())
        assert effective_samples(float(n), factor) == pytest.approx(information)
    assert effective_samples(samples.astype(float), factor)[0] == 1.0


@pytest.mark.parametrize("factor", [0.9, 0.0, -1.0, np.nan])
def test_a_factor_below_one_is_refused(factor: float) -> None:
    """Dependent samples are not counted as more than independent ones."""
    with pytest.raises(InvalidInput, match="factor must be at least 1"):
        effective_samples(10.0, factor)
