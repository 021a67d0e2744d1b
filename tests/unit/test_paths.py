"""Paths of signs: moments against all paths there are, and what tests show against plain loops."""

from collections import defaultdict
from itertools import permutations, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dwell import InvalidInput, Policy, fixed, hoeffding
from dwell.fitting.agreement import DECAYS, SHORTEST, PathMoments, traits
from dwell.kernels.paths import agreement_by_stop, agreement_in_any_order
from tests.plain import agreement, agreement_moments, run_policy
from tests.strategies import PROPERTY, policies

EDGES = st.integers(-4, 4).map(float)


def paths_by_stop(policy: Policy) -> dict[tuple[int, int], list[tuple[int, ...]]]:
    """All paths of signs that a policy lets get to each of its stops."""
    found: dict[tuple[int, int], set[tuple[int, ...]]] = defaultdict(set)
    for path in product((-1, 1), repeat=policy.cap):
        stop, _ = run_policy(policy, path)
        found[stop, path[:stop].count(1)].add(path[:stop])
    return {cell: sorted(paths) for cell, paths in found.items()}


@PROPERTY
@given(policies(longest=8, edges=EDGES))
def test_moments_are_those_over_all_paths_to_a_stop(policy: Policy) -> None:
    """For any policy: at each of its stops, the mean and the variance over all paths to it."""
    moments = PathMoments.of(policy)
    by_stop = paths_by_stop(policy)
    assert len(moments.moments) == len(by_stop)
    for (stop, position), paths in by_stop.items():
        found = moments.at(np.array([stop]), np.array([position]))[0]
        for kind, decay in enumerate(DECAYS.tolist()):
            assert found[kind] == pytest.approx(agreement_moments(paths, decay), abs=1e-9)


def test_signs_in_any_order_have_the_moments_over_all_orders() -> None:
    """Whatever their number, their sum and what came before them."""
    for length in range(1, 8):
        for minus in range(length + 1):
            orders = sorted(set(permutations([1.0] * (length - minus) + [-1.0] * minus)))
            for decay in (0.0, 0.5, 0.9):
                for before in ([], [1.0], [-1.0, 1.0, 1.0]):
                    echo = sum(sample * decay**i for i, sample in enumerate(reversed(before)))
                    known = agreement(before, decay)
                    mean, variance = agreement_moments([[*before, *o] for o in orders], decay)
                    found = agreement_in_any_order(length, length - 2.0 * minus, decay, echo)
                    assert found == pytest.approx((mean - known, variance), abs=1e-9)


@pytest.mark.parametrize("cap", [60, 600])
def test_a_fixed_size_has_the_moments_of_any_order(cap: int) -> None:
    """Also where the number of paths, about 2^cap, is more than any number holds."""
    policy = fixed(cap, 1)
    _, moments = agreement_by_stop(policy.lower, policy.upper, DECAYS)
    for position in (0, 1, cap // 3, cap // 2, cap - 1, cap):
        for kind, decay in enumerate(DECAYS.tolist()):
            expected = agreement_in_any_order(cap, 2.0 * position - cap, decay, 0.0)
            assert moments[position, kind] == pytest.approx(expected, rel=1e-6, abs=1e-5)


@pytest.mark.parametrize("kind", [np.int8, np.float64])
def test_traits_are_what_a_plain_loop_finds(kind: type[np.generic]) -> None:
    """Up to the stop and after it, each stretch only for echoes that it is long enough for."""
    rng = np.random.default_rng(3)
    [policy] = hoeffding([40], c=0.5, tasks=100, delta=0.05)
    assert isinstance(policy, Policy)
    moments = PathMoments.of(policy)
    rows = rng.choice([-1, 1], (60, 80)).astype(kind)
    stops = [run_policy(policy, row)[0] for row in rows]
    drawn = [stop + int(rng.integers(0, 40)) for stop in stops]
    found = traits(rows, stops, drawn, moments)
    for task, (row, stop, end) in enumerate(zip(rows, stops, drawn, strict=True)):
        plus = int((row[:stop] == 1).sum())
        expected = moments.at(np.array([stop]), np.array([plus]))[0]
        signs = [int((row[:end] == sign).sum()) + 0.5 for sign in (1, -1)]
        noise = 4.0 * signs[0] * signs[1] / ((end + 1) * (end + 2))
        for column, decay in enumerate(DECAYS.tolist()):
            before = agreement(row[:stop], decay)
            echo = sum(sample * decay**i for i, sample in enumerate(reversed(row[:stop])))
            total = float(row[stop:end].sum())
            mean, spread = agreement_in_any_order(end - stop, total, decay, echo)
            excess = variance = 0.0
            if stop >= SHORTEST[column]:
                excess, variance = before - expected[column, 0], expected[column, 1]
            if end - stop >= SHORTEST[column]:
                excess += agreement(row[:end], decay) - before - mean
                variance += spread
            assert found.excess[task, column] == pytest.approx(excess, abs=1e-9)
            assert found.variance[task, column] == pytest.approx(variance, abs=1e-9)
            sensitivity = variance * (1.0 - decay**2) / noise
            assert found.sensitivity[task, column] == pytest.approx(sensitivity, abs=1e-9)
    assert (found.variance > 0.0).any(axis=0).tolist() == [True, True, True, False, False]


@pytest.mark.parametrize(
    ("samples", "stops", "drawn", "words"),
    [
        ([[1, 1, 1]], [2], [3], r"stopped after 2 samples with 2 of them \+1"),
        ([[1, 1, 1]], [4], [4], r"at most 3 samples, got stops after \[4\] of \[4\]"),
        ([[1, 1, 1]], [3], [2], r"stops after \[3\] of \[2\]"),
        ([[1, 1, 1]], [0], [3], "stopped after 0 samples"),
        ([[1, 0, 1]], [3], [3], "must be \\+1 or -1 to measure dependence, got 0"),
        ([[1, 1, 1]], [3, 3], [3], "each of the 1 tests .* got 2 and 1"),
    ],
)
def test_tests_that_cannot_be_are_refused(
    samples: list[list[int]], stops: list[int], drawn: list[int], words: str
) -> None:
    """A stop where its policy does not stop, or beyond what was drawn; samples but no signs."""
    with pytest.raises(InvalidInput, match=words):
        traits(np.array(samples), stops, drawn, PathMoments.of(fixed(3, 1)))


def test_samples_that_were_not_drawn_may_be_anything() -> None:
    """What stands in a row beyond what was drawn is not looked at."""
    moments = PathMoments.of(fixed(3, 1))
    row = np.array([[1.0, -1.0, 1.0, np.nan, 7.0]])
    assert traits(row, [3], [3], moments).excess[0, 0] == pytest.approx(-4.0 / 3.0)
