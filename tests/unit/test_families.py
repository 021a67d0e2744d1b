"""Families of policies."""

from math import inf, isqrt, log, nan, sqrt
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dwell import (
    Atoms,
    Countable,
    Gaussian,
    Lift,
    Normal,
    Policies,
    Policy,
    Signs,
    World,
    first_sample,
    fixed,
    hoeffding,
    scan,
)
from dwell.checks import LONGEST_CAP
from tests.refusals import refused
from tests.strategies import PROPERTY

COUNTS = st.integers(1, 10**12)
SHARES = st.floats(1e-12, 0.999)


def the(policies: Policies, index: int = -1) -> Policy:
    policy = policies[index]
    assert isinstance(policy, Policy)
    return policy


@given(
    caps=st.lists(st.integers(1, 200), min_size=1, max_size=6).map(sorted),
    c=st.floats(0.01, 10),
    tasks=COUNTS,
    delta=SHARES,
)
@PROPERTY
def test_the_boundaries_are_those_of_the_paper(
    caps: list[int], c: float, tasks: int, delta: float
) -> None:
    """Stop when |mean_d| >= c sqrt(ln(K N / delta) / d), K the largest cap; accept if above."""
    policies = hoeffding(caps, c=c, tasks=tasks, delta=delta)
    assert policies.caps == tuple(caps)
    for k, cap in enumerate(caps):
        d = np.arange(1, cap + 1)
        band = d * c * np.sqrt(log(caps[-1] * tasks / delta) / d)
        np.testing.assert_allclose(the(policies, k).upper, band, rtol=1e-12)
        np.testing.assert_allclose(the(policies, k).lower[:-1], -band[:-1], rtol=1e-12)


def test_a_policy_that_reaches_its_cap_inside_the_band_rejects() -> None:
    """At the cap only a sum at or above the band accepts (eq. (4))."""
    policy = the(hoeffding([4], c=0.35, tasks=10_000, delta=0.05))
    outcomes = scan([[1, -1, 1, 1], [1, -1, 1, -1]], policy)
    assert policy.upper[-1] > 2
    assert outcomes.decisions.tolist() == [[0], [0]]
    assert outcomes.durations.tolist() == [[4], [4]]


def test_all_policies_of_the_family_are_one_chain() -> None:
    """The whole family is run in one pass."""
    assert len(hoeffding(range(1, 51), c=0.35, tasks=10_000, delta=0.05).chains) == 1


@given(root=st.integers(1, 64), scale=st.integers(1, 8), tasks=COUNTS, delta=SHARES)
@PROPERTY
def test_a_bound_that_is_whole_on_paper_is_whole(
    root: int, scale: int, tasks: int, delta: float
) -> None:
    """With c = m / sqrt(ln(K N / delta)) the bound on the sum is m sqrt(d).

    For every square d it is that whole number, to the last bit.
    """
    cap = root**2
    c = scale / sqrt(log(cap * tasks / delta))
    upper = the(hoeffding([cap], c=c, tasks=tasks, delta=delta)).upper
    squares = [d for d in range(1, cap + 1) if isqrt(d) ** 2 == d]
    assert [upper[d - 1] for d in squares] == [scale * isqrt(d) for d in squares]


@pytest.mark.parametrize("kind", [np.int8, np.int64, np.float64])
@pytest.mark.parametrize("root", [1, 2, 3, 4, 5, 10])
def test_a_sum_that_ties_with_the_bound_stops(root: int, kind: Any) -> None:
    """At d = 1, 4, 9, 16, … a sum of +-1 that equals d alpha_d accepts, and its opposite rejects.

    The next smaller sum goes on. All this in whole numbers and in floating point.
    """
    d, cap = root**2, 121
    c = 1.0 / sqrt(log(cap * 10_000 / 0.05))
    policy = the(hoeffding([cap], c=c, tasks=10_000, delta=0.05, min_samples=d))
    ties = [1] * ((d + root) // 2) + [-1] * ((d - root) // 2)
    inside = [*ties[1:], -1]
    rows = np.array([ties, [-x for x in ties], inside], dtype=kind)
    rows = np.hstack([rows, np.zeros((3, cap - d), dtype=kind)])
    outcomes = scan(rows, policy)
    assert outcomes.durations[:2].tolist() == [[d], [d]]
    assert outcomes.decisions[:2].tolist() == [[1], [0]]
    assert (outcomes.durations[2, 0] > d) == (root > 1)


def test_a_policy_does_not_look_before_its_first_samples() -> None:
    """With min_samples = 3, one or two samples stop nothing, however they fall."""
    plain = the(hoeffding([3, 9], c=0.1, tasks=10, delta=0.5))
    late = the(hoeffding([3, 9], c=0.1, tasks=10, delta=0.5, min_samples=3))
    assert late.upper.tolist() == [inf, inf, *plain.upper[2:]]
    assert late.lower.tolist() == [-inf, -inf, *plain.lower[2:]]


@pytest.mark.parametrize("kind", [np.int8, np.float64])
def test_a_policy_that_looks_late_decides_by_all_samples(kind: Any) -> None:
    """What was drawn before the first look counts; in whole numbers and in floating point."""
    late = the(hoeffding([3, 9], c=0.1, tasks=10, delta=0.5, min_samples=3))
    outcomes = scan(np.array([[1] * 9, [-1] * 9], dtype=kind), late)
    assert outcomes.durations.tolist() == [[3], [3]]
    assert outcomes.decisions.tolist() == [[1], [0]]


GOOD: dict[str, Any] = {"caps": [2, 4], "c": 0.35, "tasks": 100, "delta": 0.05}


@pytest.mark.parametrize(
    ("argument", "bad", "named"),
    [
        ("caps", [], "caps"),
        ("caps", [0, 1], "0"),
        ("caps", [-3], "-3"),
        ("caps", [4, 2], "2 after 4"),
        ("caps", [1.5], "1.5"),
        ("caps", ["two"], "two"),
        ("caps", [nan], "nan"),
        ("c", 0, "0"),
        ("c", -0.35, "-0.35"),
        ("c", inf, "inf"),
        ("c", nan, "nan"),
        ("c", "wide", "wide"),
        ("tasks", 0, "0"),
        ("tasks", -1, "-1"),
        ("tasks", 1.5, "1.5"),
        ("tasks", inf, "inf"),
        ("tasks", 1e19, "1e+19"),
        ("tasks", None, "None"),
        ("delta", 0, "0"),
        ("delta", 1, "1"),
        ("delta", -0.1, "-0.1"),
        ("delta", 2, "2"),
        ("delta", nan, "nan"),
        ("delta", "small", "small"),
        ("min_samples", 0, "0"),
        ("min_samples", 3, "3"),
        ("min_samples", 1.5, "1.5"),
    ],
)
def test_bad_arguments_of_the_family_are_refused(argument: str, bad: Any, named: str) -> None:
    """Each argument that cannot be worked with is named, with its value."""
    name = "cap" if argument == "caps" else argument
    with refused(name, named):
        hoeffding(**{**GOOD, argument: bad})


def test_caps_beyond_all_memory_are_refused() -> None:
    """A cap that no computer could hold is refused in a sentence, not by running out of memory."""
    with refused("cap", 10**15):
        hoeffding(**{**GOOD, "caps": [10**15]})
    with refused(10**15):
        fixed(10**15)


def test_numbers_of_tasks_may_be_written_in_powers() -> None:
    """1e6 is as good as 1000000."""
    assert hoeffding(**{**GOOD, "tasks": 1e6}) == hoeffding(**{**GOOD, "tasks": 10**6})


FAMILY = Countable(c=0.35, tasks=10_000, delta=0.05)


@given(c=st.floats(0.01, 10), tasks=COUNTS, delta=SHARES, step=st.integers(1, 5))
@PROPERTY
def test_the_countable_family_has_no_largest_cap_in_its_band(
    c: float, tasks: int, delta: float, step: int
) -> None:
    """ln(d (d + 1) N / delta) stands in place of ln(K N / delta)."""
    policy = Countable(c, tasks, delta, step).policy(7)
    assert policy.cap == 7 * step
    d = np.arange(1, policy.cap + 1)
    band = d * c * np.sqrt([log(n * (n + 1) * tasks / delta) / n for n in d])
    np.testing.assert_allclose(policy.upper, band, rtol=1e-12)
    np.testing.assert_allclose(policy.lower[:-1], -band[:-1], rtol=1e-12)


@pytest.mark.parametrize("step", [1, 3])
def test_the_first_policies_of_the_family_are_nested(step: int) -> None:
    """Policies 1 to n are truncations of the last, equal to those made one by one."""
    family = Countable(c=0.35, tasks=10_000, delta=0.05, step=step)
    first = family.first(20)
    assert first.caps == tuple(step * k for k in range(1, 21))
    assert len(first.chains) == 1
    for k in range(1, 21):
        assert family.policy(k) == first[k - 1]
        assert family.cap(k) == first.caps[k - 1]
    assert family.first(7) == first[:7]


def test_ties_in_the_countable_family_are_whole() -> None:
    """With c = 3 / sqrt(9 ln(9 * 10 N / delta)) the bound at d = 9 is 3 and not a bit more."""
    c = 1.0 / sqrt(log(9 * 10 * 10_000 / 0.05))
    assert Countable(c=c, tasks=10_000, delta=0.05).policy(9).upper[-1] == 3.0


def test_policies_are_within_reach_as_long_as_memory_lasts() -> None:
    """The last policy that can be made is the one with the longest cap; the next is refused."""
    family = Countable(c=0.35, tasks=100, delta=0.05, step=1024)
    last = LONGEST_CAP // 1024
    assert family.reaches(last)
    assert family.policy(last).cap == LONGEST_CAP
    assert not family.reaches(last + 1)
    with refused(last + 1, LONGEST_CAP):
        family.policy(last + 1)


def test_a_family_keeps_its_arguments_as_numbers_of_their_kind() -> None:
    """Whole numbers written as floats become whole: caps are ints whatever the step was."""
    family = Countable(c=0.35, tasks=1e4, delta=0.05, step=2.0)  # type: ignore[arg-type]  # 1e4
    assert type(family.cap(3)) is int
    assert family == Countable(c=0.35, tasks=10_000, delta=0.05, step=2)


def test_the_tiniest_delta_has_a_band() -> None:
    """N / delta may be beyond floating point; its logarithm is not."""
    policy = Countable(c=1.0, tasks=10**18, delta=1e-300).policy(1)
    expected = sqrt(log(2) + log(10**18) - log(1e-300))
    assert policy.upper[0] == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize(
    ("argument", "bad"),
    [
        *(("c", value) for value in (0, -1, inf, nan, "wide", None)),
        *(("tasks", value) for value in (0, -1, 1.5, inf, nan, "many", None)),
        *(("delta", value) for value in (0, 1, -0.5, 7, nan, "small", None)),
        *(("step", value) for value in (0, -1, 1.5, inf, nan, "long", None)),
    ],
)
def test_bad_arguments_of_the_countable_family_are_refused(argument: str, bad: Any) -> None:
    """A family checks itself when it is made."""
    arguments: dict[str, Any] = {"c": 0.35, "tasks": 100, "delta": 0.05, "step": 1}
    with refused(argument, bad):
        Countable(**{**arguments, argument: bad})


@pytest.mark.parametrize("k", [0, -1, 1.5, nan, "last"])
def test_policies_are_counted_from_one(k: Any) -> None:
    """There is no policy 0, and none between two others."""
    for ask in (FAMILY.policy, FAMILY.cap, FAMILY.reaches, FAMILY.first):
        with refused(k):
            ask(k)


@pytest.mark.parametrize("kind", [np.int8, np.float64])
def test_a_fixed_test_always_draws_all_its_samples(kind: Any) -> None:
    """It accepts if and only if the sum reaches the threshold; in int8 and in floating point."""
    rows = np.array([[1, 1, 1], [1, 1, -1], [-1, -1, 1], [0, 0, 0]], dtype=kind)
    outcomes = scan(rows, Policies([fixed(1), fixed(3, 1), fixed(3, 1.5)]))
    assert outcomes.durations.tolist() == [[1, 3, 3]] * 4
    assert outcomes.decisions.tolist() == [[1, 1, 1], [1, 1, 0], [0, 0, 0], [1, 0, 0]]


@pytest.mark.parametrize(
    ("samples", "threshold", "named"),
    [
        (0, 0.0, "0"),
        (-2, 0.0, "-2"),
        (1.5, 0.0, "1.5"),
        (inf, 0.0, "inf"),
        ("ten", 0.0, "ten"),
        (3, nan, "threshold"),
        (3, inf, "inf"),
        (3, -inf, "-inf"),
        (3, "high", "high"),
    ],
)
def test_bad_arguments_of_a_fixed_test_are_refused(
    samples: Any, threshold: Any, named: str
) -> None:
    """A fixed test has a whole number of samples and a finite threshold."""
    with refused(named):
        fixed(samples, threshold)


@pytest.mark.parametrize(
    "world",
    [
        World(Atoms([-1, 0, 1]), Signs()),
        World(Atoms([-0.2, 0, 0.5]), Lift(0.3)),
        World(Normal(0, 1), Gaussian(2)),
    ],
    ids=repr,
)
def test_the_first_sample_accepts_only_if_it_is_positive(world: World) -> None:
    """Not at zero, under any law."""
    _, samples = world.sample(2000, 1, rng=1)
    outcomes = scan(samples, first_sample())
    assert (outcomes.durations == 1).all()
    np.testing.assert_array_equal(outcomes.decisions[:, 0] == 1, samples[:, 0] > 0)
    assert 0 < outcomes.decisions.mean() < 1


@pytest.mark.parametrize("sample", [0.0, -0.0, -1e-300, 5e-324, 1e-300, 1.0])
def test_the_first_sample_accepts_the_least_positive_number(sample: float) -> None:
    """The boundary lies between zero and the least number above it."""
    assert scan([[sample]], first_sample()).decisions.item() == (sample > 0)


def test_one_cap_alone_is_no_sequence_of_caps() -> None:
    """The sentence says what is wanted."""
    with refused("caps must be a sequence", 5):
        hoeffding(caps=5, c=0.35, tasks=10, delta=0.05)  # type: ignore[arg-type] # the mistake
