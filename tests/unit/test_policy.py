"""A policy: two boundaries that meet at the cap."""

import copy
import json
import pickle
from collections.abc import Callable
from math import inf, nan
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dwell import Policy
from tests import strategies
from tests.refusals import refused
from tests.strategies import PROPERTY

LONG = Policy([-4.0] * 9 + [0.0], [4.0] * 9 + [1.0])


def test_equal_policies_are_one_member_of_a_set() -> None:
    """Lists, tuples and arrays of whatever type give the same policy, and the same hash."""
    same = {
        Policy([-1, -2, 1], [2, 2, 1]),
        Policy((-1.0, -2.0, 1.0), (2.0, 2.0, 1.0)),
        Policy(np.array([-1, -2, 1], dtype=float), np.array([2, 2, 1], dtype=float)),
    }
    assert len(same) == 1


def test_both_zeros_are_one() -> None:
    """A boundary at -0.0 is the boundary at 0.0: equal, with the same hash and the same JSON."""
    negative, positive = Policy([-0.0, -0.0], [1, -0.0]), Policy([0.0, 0.0], [1, 0.0])
    assert negative == positive
    assert hash(negative) == hash(positive)
    assert negative.to_json() == positive.to_json()


@pytest.mark.parametrize(
    "other",
    [
        Policy([-1, 1], [2, 1]),
        Policy([-1, -2, 1], [2, 3, 1]),
        Policy([-1, -3, 1], [2, 2, 1]),
        Policy([-1, -2, 2], [2, 2, 2]),
        Policy([-1, -2, -2, 1], [2, 2, 1, 1]),
        "Policy(lower=[-1, -2, 1], upper=[2, 2, 1])",
        None,
    ],
)
def test_policies_that_differ_anywhere_are_not_equal(other: object) -> None:
    """The cap, either boundary or the type makes a difference."""
    assert Policy([-1, -2, 1], [2, 2, 1]) != other


def test_the_lower_boundary_is_raised_to_meet_the_upper_at_the_cap() -> None:
    """At the cap what is not accepted is rejected, whatever lower said there."""
    policy = Policy([-1, -5], [2, 3])
    assert policy.lower.tolist() == [-1, 3]
    assert policy == Policy([-1, 3], [2, 3])
    assert hash(policy) == hash(Policy([-1, 3], [2, 3]))


@given(policy=strategies.policies())
@PROPERTY
def test_json_brings_back_the_very_policy(policy: Policy) -> None:
    """Every boundary, infinite or not, survives JSON bit for bit."""
    text = policy.to_json()
    restored = Policy.from_json(text)
    assert restored == policy
    assert restored.lower.tobytes() == policy.lower.tobytes()
    assert restored.upper.tobytes() == policy.upper.tobytes()
    assert restored.to_json() == text


def test_json_is_strict_and_has_null_where_the_policy_does_not_look() -> None:
    """Other languages' JSON knows no infinity: null stands for it."""
    written = json.loads(Policy([-inf, 1], [inf, 1]).to_json(), parse_constant=pytest.fail)
    assert written == {"lower": [None, 1.0], "upper": [None, 1.0]}


def test_a_short_policy_shows_all_of_itself() -> None:
    """The repr of a policy up to six samples long can be typed back."""
    policy = Policy([-1.5, -inf, 1], [inf, 2, 1])
    assert repr(policy) == "Policy(lower=[-1.5, -inf, 1], upper=[inf, 2, 1])"
    assert eval(repr(policy), {"Policy": Policy, "inf": inf}) == policy


def test_a_long_policy_shows_its_cap_and_its_ends() -> None:
    """The repr of a long policy stays one readable line."""
    assert repr(LONG) == ("Policy(cap=10, lower=[-4, -4, -4, …, -4, 1], upper=[4, 4, 4, …, 4, 1])")


@given(policy=strategies.policies(), data=st.data())
@PROPERTY
def test_a_truncation_is_the_policy_built_with_that_cap(
    policy: Policy, data: st.DataObject
) -> None:
    """A shorter cap gives what the first entries of the boundaries give, in the same memory."""
    looks = [d for d in range(1, policy.cap + 1) if policy.upper[d - 1] < inf]
    cap = data.draw(st.sampled_from(looks))
    shorter = policy.truncated(cap)
    low = [*policy.lower[: cap - 1], policy.upper[cap - 1]]
    built = Policy(low, policy.upper[:cap])
    assert shorter == built
    assert hash(shorter) == hash(built)
    assert shorter.cap == cap
    assert np.shares_memory(shorter.upper, policy.upper)
    assert shorter.is_truncation_of(policy)
    assert policy.is_truncation_of(shorter) == (cap == policy.cap)


def test_truncations_share_both_boundaries() -> None:
    """A thousand caps of one policy take the memory of one: lower is shared as well."""
    shorter = LONG.truncated(5)
    for own, long in zip(shorter.prefix(4), LONG.prefix(4), strict=True):
        assert np.shares_memory(own, long)


@pytest.mark.parametrize(
    ("cap", "named"), [(0, "0"), (4, "4"), (-1, "-1"), (1.5, "1.5"), (nan, "nan"), ("x", "x")]
)
def test_a_cap_that_the_policy_has_not_is_refused(cap: Any, named: str) -> None:
    """A truncation has a whole cap from 1 to the policy's own."""
    with refused("cap", named):
        Policy([-2, -3, 3], [2, 3, 3]).truncated(cap)


def test_a_cap_at_which_the_policy_does_not_look_is_refused() -> None:
    """Where upper is infinite there is nothing to decide by."""
    with refused("cap", 2):
        Policy([-2, -3, 3], [2, inf, 3]).truncated(2)


@pytest.mark.parametrize("samples", [0, 1, 2, 3, 9])
def test_a_prefix_is_the_start_of_both_boundaries(samples: int) -> None:
    """A prefix has what is looked at in the first samples, and all of it beyond the cap."""
    policy = Policy([-1, -2, 0], [2, 3, 1])
    lower, upper = policy.prefix(samples)
    assert lower.tolist() == policy.lower.tolist()[:samples]
    assert upper.tolist() == policy.upper.tolist()[:samples]


def test_what_was_given_may_change_without_changing_the_policy() -> None:
    """The boundaries are copied."""
    lower, upper = np.array([-1.0, 0.0]), np.array([1.0, 0.0])
    policy = Policy(lower, upper)
    lower[:], upper[:] = -9.0, 9.0
    assert policy == Policy([-1, 0], [1, 0])


COPIES: dict[str, Callable[[Policy], Policy]] = {
    "itself": lambda policy: policy,
    "truncated": lambda policy: policy.truncated(policy.cap),
    "from JSON": lambda policy: Policy.from_json(policy.to_json()),
    "pickled": lambda policy: pickle.loads(pickle.dumps(policy)),
    "copied": copy.copy,
    "deep-copied": copy.deepcopy,
}


@pytest.mark.parametrize("copied", COPIES.values(), ids=COPIES)
def test_a_copy_is_equal_and_nobody_can_change_it(copied: Callable[[Policy], Policy]) -> None:
    """Pickles and copies are equal, with equal hashes; no array that they give out changes them."""
    original = Policy([-1, -inf, 0], [2, 3, 0])
    policy = copied(original)
    assert policy == original
    assert hash(policy) == hash(original)
    for array in (policy.lower, policy.upper, *policy.prefix(2)):
        try:
            array[0] = 77.0
        except ValueError as error:
            assert "read-only" in str(error)  # noqa: PT017  # a copy may be written to as well
    assert policy == original
    assert hash(policy) == hash(original)


@pytest.mark.parametrize("name", ["cap", "lower", "upper"])
def test_no_attribute_can_be_set(name: str) -> None:
    """A policy is what it was made as."""
    with pytest.raises(AttributeError):
        setattr(LONG, name, LONG.upper)


@pytest.mark.parametrize(
    ("lower", "upper", "named"),
    [
        ([nan, 0], [1, 0], ["lower", "NaN", "sample 1"]),
        ([-1, 0], [1, nan], ["upper", "NaN", "sample 2"]),
        ([None, 0], [1, 0], ["lower", "numbers", "None"]),
        ([-1, -inf], [1, 0], ["lower", "finite at the cap", "-inf"]),
        ([-1, inf], [1, 0], ["lower", "finite at the cap", "inf"]),
        ([-1, 0], [1, inf], ["upper", "finite at the cap", "inf"]),
        ([-1, 0], [1, -inf], ["upper", "finite at the cap", "-inf"]),
        ([2, 0], [1, 0], ["lower", "above upper", "2 and 1", "sample 1"]),
        ([-1, 5], [1, 4], ["lower", "above upper", "5 and 4", "sample 2"]),
        ([inf, 0], [inf, 0], ["lower", "inf", "sample 1"]),
        ([-inf, 0], [-inf, 0], ["upper", "-inf", "sample 1"]),
        ([-1, 0], [1], ["2 in lower", "1 in upper"]),
        ([], [0], ["0 in lower", "1 in upper"]),
        ([], [], ["cap", "at least 1", "empty"]),
        ([[-1, 0]], [1, 0], ["lower", "one-dimensional", "(1, 2)"]),
        ([-1, 0], [[1], [0]], ["upper", "one-dimensional", "(2, 1)"]),
        (3, 4, ["lower", "one-dimensional"]),
        ("high", "low", ["lower", "numbers", "high"]),
        (["low"], [0], ["lower", "numbers", "low"]),
        ([0], ["high"], ["upper", "numbers", "high"]),
        ([-1, [0]], [1, 0], ["lower", "numbers", "[-1, [0]]"]),
        ([1j], [1], ["lower", "numbers", "1j"]),
        (None, [0], ["lower"]),
        ({"a": 1}, [0], ["lower", "numbers", "'a'"]),
    ],
    ids=repr,
)
def test_bad_boundaries_are_refused(lower: Any, upper: Any, named: list[str]) -> None:
    """The refusal says which boundary is wrong, where and how."""
    with refused(*named):
        Policy(lower, upper)


@pytest.mark.parametrize(
    "boundary",
    [
        pytest.param([10**400], id="a number beyond floating point"),
        pytest.param(["1"], id="text that looks like a number"),
        pytest.param(np.array([["a", "b"], ["c", "d"]]), id="a table of words"),
        pytest.param(np.array([1 + 2j]), id="an array of complex numbers"),
    ],
)
def test_odd_boundaries_are_refused_in_one_line(boundary: Any) -> None:
    """What is no row of floating-point numbers gets the same kind of sentence."""
    with refused("upper"):
        Policy([0], boundary)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "no JSON",
        "{",
        "null",
        "[]",
        "7",
        '"lower"',
        "{}",
        '{"lower": [0]}',
        '{"lower": 0, "upper": [0]}',
        '{"lower": [0], "upper": null}',
        '{"lower": "12", "upper": "34"}',
        '{"lower": {"0": 1}, "upper": {"1": 1}}',
        '{\n  "lower": 0,\n  "upper": [0]\n}',
    ],
)
def test_text_that_is_no_policy_is_refused_with_its_beginning(text: str) -> None:
    """The refusal shows what a policy looks like, and what was given instead."""
    with refused('{"lower": […], "upper": […]}', text.partition("\n")[0]):
        Policy.from_json(text)


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ('{"lower": [NaN], "upper": [1]}', "NaN"),
        ('{"lower": [0, 0], "upper": [1, null]}', "inf"),
        ('{"lower": [2, 0], "upper": [1, 0]}', "2 and 1"),
        ('{"lower": [], "upper": []}', "empty"),
        ('{"lower": ["low"], "upper": [0]}', "low"),
        ('{"lower": [[0]], "upper": [0]}', "(1, 1)"),
    ],
)
def test_a_bad_policy_in_json_is_refused_as_any_other(text: str, named: str) -> None:
    """JSON of the right form with bad boundaries gets the sentence that names them."""
    with refused(named):
        Policy.from_json(text)


def test_the_refusal_of_a_long_text_is_short() -> None:
    """Megabytes of something else are not repeated in the error."""
    with pytest.raises(ValueError, match="looks like") as caught:
        Policy.from_json("x" * 10**6)
    assert len(str(caught.value)) < 200
