"""A policy as a pair of Python functions."""

from collections.abc import Callable
from math import nan
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dwell import LooksAhead, Policies, Policy, Rule, fixed, scan
from dwell.arrays import FloatArray
from tests import strategies
from tests.refusals import refused
from tests.strategies import PROPERTY

Duration = Callable[[FloatArray], int]
Decision = Callable[[int, FloatArray], bool]


def as_rule(policy: Policy) -> Rule:
    """The same policy, written as two functions of the samples."""

    def duration(samples: FloatArray) -> int:
        sums = np.cumsum(samples)
        outside = (sums >= policy.upper) | (sums <= policy.lower)
        return int(np.argmax(outside)) + 1

    def decision(d: int, samples: FloatArray) -> bool:
        return bool(np.cumsum(samples)[d - 1] >= policy.upper[d - 1])

    return Rule(duration, decision, policy.cap)


def positive_sum(d: int, samples: FloatArray) -> bool:
    return bool(samples[:d].sum() > 0)


def some_samples() -> FloatArray:
    rng = np.random.default_rng(7)
    return np.vstack([rng.choice([-1.0, 1.0], (20, 6)), rng.normal(size=(20, 6))])


def first_negative(samples: FloatArray) -> int:
    negative = np.flatnonzero(samples < 0)
    return int(negative[0]) + 1 if negative.size else len(samples)


@given(
    policy=strategies.policies(longest=8, edges=st.integers(-12, 12).map(lambda edge: edge / 2)),
    samples=st.lists(
        st.lists(st.sampled_from([-1.0, -0.25, 0.0, 1.0, 2.5]), min_size=8, max_size=8), max_size=6
    ),
)
@PROPERTY
def test_a_rule_that_says_what_a_policy_says_does_what_it_does(
    policy: Policy, samples: list[list[float]]
) -> None:
    """On the same samples a policy and its twin in Python stop and decide alike."""
    rows = np.array(samples).reshape(-1, 8)
    outcomes = scan(rows, Policies([policy, as_rule(policy)]))
    assert outcomes.durations[:, 0].tolist() == outcomes.durations[:, 1].tolist()
    assert outcomes.decisions[:, 0].tolist() == outcomes.decisions[:, 1].tolist()


def test_a_rule_is_scanned_beside_policies() -> None:
    """Columns of the outcomes follow the order of the set, rules and policies alike."""
    rule = Rule(first_negative, positive_sum, cap=3)
    outcomes = scan([[1, 1, -1], [-1, 1, 1], [1, 1, 1]], Policies([fixed(2, 1), rule, fixed(3)]))
    assert outcomes.durations.tolist() == [[2, 3, 3], [2, 1, 3], [2, 3, 3]]
    assert outcomes.decisions.tolist() == [[1, 1, 1], [0, 0, 1], [1, 1, 1]]


def test_a_rule_sees_its_cap_and_no_more() -> None:
    """Samples beyond the cap are not handed to it."""
    lengths: list[int] = []

    def duration(samples: FloatArray) -> int:
        lengths.append(len(samples))
        return 1

    Rule(duration, positive_sum, cap=3).run(np.ones(10))
    assert set(lengths) == {3}


def test_a_rule_cannot_change_the_samples() -> None:
    """A function that writes into its samples writes into a copy."""

    def duration(samples: FloatArray) -> int:
        samples[0] = -samples[0]
        return 1

    samples = np.array([[1.0, 2.0]])
    outcomes = scan(samples, Rule(duration, positive_sum, cap=2))
    assert samples.tolist() == [[1.0, 2.0]]
    assert outcomes.decisions.tolist() == [[1]]


def test_where_the_samples_end_before_the_cap_a_rule_is_undecided() -> None:
    """A rule gets all its cap or nothing."""
    rule = Rule(first_negative, positive_sum, cap=3)
    outcomes = scan([1, 1, -1, 1, 1], rule, lengths=[3, 0, 2])
    assert outcomes.durations.tolist() == [[3], [0], [2]]
    assert outcomes.decisions.tolist() == [[1], [-1], [-1]]


LOOKING_AHEAD: dict[str, Duration] = {
    "argmax of the cumulative sum": lambda x: int(np.argmax(np.cumsum(x))) + 1,
    "max over all": lambda x: int(np.argmax(x == x.max())) + 1,
    "last sample": lambda x: 1 if x[-1] > 0 else 2,
    "sum of all": lambda x: 2 if x.sum() > 0 else 1,
    "next sample": lambda x: next((d for d in range(1, len(x)) if x[d] < 0), len(x)),
    "number of changes": lambda x: 1 + int((x[1:] != x[:-1]).sum()),
}


@pytest.mark.parametrize("duration", LOOKING_AHEAD.values(), ids=LOOKING_AHEAD)
def test_a_duration_that_depends_on_later_samples_is_refused(duration: Duration) -> None:
    """Stopping at what is known only afterwards is found on the first tasks; seeded."""
    samples = some_samples()
    with refused("looks ahead", "stops at", kind=LooksAhead):
        scan(samples, Rule(duration, positive_sum, cap=6))


LOOKING_BACK_TOO_LATE: dict[str, Decision] = {
    "sum of all": lambda _, x: bool(x.sum() > 0),
    "last sample": lambda _, x: bool(x[-1] > 0),
    "next sample": lambda d, x: bool(x[min(d, len(x) - 1)] > 0),
    "max of all": lambda _, x: bool(x.max() > 0),
}


@pytest.mark.parametrize("decision", LOOKING_BACK_TOO_LATE.values(), ids=LOOKING_BACK_TOO_LATE)
def test_a_decision_that_depends_on_later_samples_is_refused(decision: Decision) -> None:
    """A decision may use the samples up to the one it stops at, and no others; seeded."""
    samples = some_samples()
    with refused("looks ahead", kind=LooksAhead):
        scan(samples, Rule(first_negative, decision, cap=6))


@pytest.mark.parametrize("seed", range(5))
def test_a_rule_that_looks_only_back_is_never_refused(seed: int) -> None:
    """An honest rule passes on normal samples, small and large; seeded."""
    samples = np.random.default_rng(seed).normal(0, 10.0**seed, (50, 8))
    outcomes = scan(samples, Rule(first_negative, positive_sum, cap=8))
    assert (outcomes.decisions >= 0).all()


@pytest.mark.parametrize("duration", [0, -1, 4, 1.0, 1.5, nan, None, "1", np.float64(2)])
def test_a_duration_that_is_none_is_refused(duration: Any) -> None:
    """A duration is a whole number from 1 to the cap; anything else is named."""
    with refused("from 1 to the cap 3", duration):
        Rule(lambda _: duration, positive_sum, cap=3).run([1.0, 1.0, 1.0])


@pytest.mark.parametrize("duration", [2, np.int8(2), np.int64(2), np.uint16(2)])
def test_any_whole_number_is_a_duration(duration: Any) -> None:
    """NumPy's whole numbers count; what comes back is Python's."""
    drawn, accepted = Rule(lambda _: duration, positive_sum, cap=3).run([1.0, 1.0, 1.0])
    assert (type(drawn), drawn, accepted) == (int, 2, True)


@pytest.mark.parametrize("cap", [0, -1, 2.5, nan, "many", None])
def test_a_bad_cap_is_refused(cap: Any) -> None:
    """A rule's cap is a whole number from 1 on."""
    with refused("cap", cap):
        Rule(first_negative, positive_sum, cap)


@pytest.mark.parametrize("samples", [[], [1.0], [1.0, 1.0]])
def test_fewer_samples_than_the_cap_are_refused(samples: list[float]) -> None:
    """Both functions are promised an array of `cap` samples."""
    with refused("3", len(samples)):
        Rule(first_negative, positive_sum, cap=3).run(samples)


@pytest.mark.parametrize(("duration", "decision"), [(3, positive_sum), (first_negative, None)])
def test_what_cannot_be_called_is_refused_when_the_rule_is_made(
    duration: Any, decision: Any
) -> None:
    """A rule checks itself once, when made."""
    with refused("function"):
        Rule(duration, decision, cap=3)


def test_a_rule_is_a_value() -> None:
    """Rules of the same functions and cap are equal, and cannot be changed."""
    rule = Rule(first_negative, positive_sum, cap=3)
    assert rule == Rule(first_negative, positive_sum, cap=3)
    assert len({rule, Rule(first_negative, positive_sum, cap=3)}) == 1
    assert rule != Rule(first_negative, positive_sum, cap=4)
    with pytest.raises(AttributeError):
        rule.cap = 5  # type: ignore[misc]  # that it is refused is the claim
