"""A finite ordered set of policies, and its chains."""

import copy
import pickle
from typing import Any

import numpy as np
import pytest
from hypothesis import given

from dwell import Policies, Policy, Rule, fixed, hoeffding
from tests import strategies
from tests.refusals import refused
from tests.strategies import PROPERTY

WIDE = Policy([-2, -3, -4, 4], [2, 3, 4, 4])
NARROW = Policy([-1, -1, -1, 1], [1, 1, 1, 1])


def never(_samples: object) -> int:
    return 1


def no(_duration: int, _samples: object) -> bool:
    return False


def test_caps_are_those_of_the_policies_in_order() -> None:
    """Caps may be any, and may be equal, as long as they do not decrease."""
    policies = Policies([fixed(1), fixed(3), fixed(3, 1), WIDE, fixed(100)])
    assert policies.caps == (1, 3, 3, 4, 100)
    assert len(policies) == 5
    assert policies[3] is WIDE


@pytest.mark.parametrize("caps", [[2, 1], [1, 3, 2], [1, 1, 4, 3]])
def test_policies_out_of_order_are_refused(caps: list[int]) -> None:
    """The refusal names the two caps that are in the wrong order."""
    with refused("increasing order of cap", caps[-1], caps[-2]):
        Policies(fixed(cap) for cap in caps)


@pytest.mark.parametrize(("given", "named"), [([], "none"), ([WIDE, 3], "3"), ("ab", "'a'")])
def test_what_is_no_set_of_policies_is_refused(given: Any, named: str) -> None:
    """A set holds at least one policy, and nothing else."""
    with refused(named):
        Policies(given)


def test_one_policy_or_many_become_a_set() -> None:
    """A set stays what it is; a policy alone becomes a set of one."""
    policies = Policies([WIDE.truncated(2), WIDE])
    assert Policies.of(policies) is policies
    assert Policies.of(WIDE) == Policies([WIDE])
    assert Policies.of(iter([WIDE])) == Policies([WIDE])
    rule = Rule(never, no, cap=2)
    assert list(Policies.of(rule)) == [rule]


def test_nested_caps_form_one_chain() -> None:
    """Policies that differ only in their caps are run in one pass."""
    policies = hoeffding(caps=[1, 2, 2, 5, 9], c=0.35, tasks=1000, delta=0.1)
    [chain] = policies.chains
    assert chain.head == policies[-1]
    assert chain.members.tolist() == [0, 1, 2, 3, 4]
    assert chain.caps.tolist() == [1, 2, 2, 5, 9]


def test_a_grid_of_thresholds_and_caps_forms_a_chain_per_threshold() -> None:
    """Nested caps are found among the policies of other bands, in whatever order they stand."""
    caps, widths = [2, 4, 8], [0.2, 0.35, 0.5]
    heads = [hoeffding(caps=[8], c=width, tasks=1000, delta=0.1)[0] for width in widths]
    grid = [head.truncated(cap) for cap in caps for head in heads if isinstance(head, Policy)]
    chains = Policies(grid).chains
    assert len(chains) == len(widths)
    assert {chain.head for chain in chains} == set(heads)
    for chain in chains:
        assert chain.caps.tolist() == caps
        for index, cap in zip(chain.members, chain.caps, strict=True):
            assert grid[index] == chain.head.truncated(int(cap))


def test_fixed_tests_of_different_lengths_form_chains_of_their_own() -> None:
    """A test of two samples looks where one of three does not: neither is part of the other."""
    assert len(Policies([fixed(1), fixed(2), fixed(3)]).chains) == 3


def test_it_is_known_whether_one_chain_holds_all_policies() -> None:
    """A policy of another band, or one made of Python functions, is not in the chain."""
    nested = hoeffding(caps=[1, 2, 2, 5], c=0.35, tasks=1000, delta=0.1)
    assert nested.one_chain
    assert not Policies([*nested, fixed(5)]).one_chain
    assert not Policies([*nested, Rule(never, no, cap=5)]).one_chain
    assert not Policies([Rule(never, no, cap=5)]).one_chain


def test_equal_policies_form_one_chain() -> None:
    """The same policy twice is run once."""
    [chain] = Policies([WIDE, copy.deepcopy(WIDE)]).chains
    assert chain.members.tolist() == [0, 1]


@given(policies=strategies.policy_sets())
@PROPERTY
def test_every_policy_is_in_one_chain_as_a_truncation_of_its_head(policies: Policies) -> None:
    """Chains part the set: their members are all the policies, each once."""
    members = [index for chain in policies.chains for index in chain.members.tolist()]
    assert sorted(members) == list(range(len(policies)))
    for chain in policies.chains:
        assert (np.diff(chain.caps) >= 0).all()
        for index, cap in zip(chain.members, chain.caps, strict=True):
            assert policies[index] == chain.head.truncated(int(cap))
    for one in policies.chains:
        others = (chain.head for chain in policies.chains if chain is not one)
        assert not any(one.head.is_truncation_of(head) for head in others)


@given(policies=strategies.policy_sets())
@PROPERTY
def test_json_pickles_and_copies_bring_back_the_set_in_its_order(policies: Policies) -> None:
    """Mixed chains and equal caps come back in the order they had."""
    for restored in (
        Policies.from_json(policies.to_json()),
        pickle.loads(pickle.dumps(policies)),
        copy.deepcopy(policies),
    ):
        assert restored == policies
        assert hash(restored) == hash(policies)
        assert restored.caps == policies.caps
        assert list(restored) == list(policies)


def test_a_thousand_nested_policies_are_pickled_as_one() -> None:
    """A pickle or JSON of the set is of the order of its longest policy's, not of all of them."""
    policies = hoeffding(caps=range(1, 1001), c=0.35, tasks=10_000, delta=0.05)
    head = policies[-1]
    assert isinstance(head, Policy)
    apart = sum(len(pickle.dumps(policy)) for policy in policies)
    assert len(pickle.dumps(policies)) < 5 * len(pickle.dumps(head)) < apart / 50
    assert len(policies.to_json()) < 2 * len(head.to_json())


def test_a_restored_set_shares_its_boundaries() -> None:
    """What came back from a pickle still takes the memory of one policy per chain."""
    policies = hoeffding(caps=[10, 20, 30], c=0.35, tasks=1000, delta=0.1)
    restored = pickle.loads(pickle.dumps(policies))
    for policy in restored[:-1]:
        assert np.shares_memory(policy.upper, restored[-1].upper)


def test_a_slice_is_a_set() -> None:
    """Slices are sets again; single indices are policies, from the end as well."""
    policies = Policies([fixed(1), fixed(2), fixed(3)])
    assert policies[1:] == Policies([fixed(2), fixed(3)])
    assert policies[::2] == Policies([fixed(1), fixed(3)])
    assert policies[-1] == fixed(3)
    assert isinstance(policies[:1], Policies)
    with pytest.raises(IndexError):
        policies[3]


@pytest.mark.parametrize("part", [slice(3, None), slice(None, None, -1)])
def test_a_slice_that_is_no_set_is_refused(part: slice) -> None:
    """Neither an empty slice nor one in the wrong order is a set of policies."""
    with refused("got"):
        Policies([fixed(1), fixed(2), fixed(3)])[part]


def test_sets_are_equal_when_their_policies_are_in_the_same_order() -> None:
    """Order matters where caps are equal; a list is not a set."""
    one, other = Policies([fixed(2), WIDE, NARROW]), Policies([fixed(2), NARROW, WIDE])
    assert one != other
    assert one == Policies([fixed(2), WIDE, NARROW])
    assert len({one, other, Policies(list(one))}) == 2
    assert one != [fixed(2), WIDE, NARROW]


def test_the_repr_says_how_many_and_how_long() -> None:
    """A set of many policies shows itself in one line."""
    assert repr(Policies([fixed(2), WIDE])) == "Policies(2 policies, caps 2 to 4)"


def test_rules_stand_beside_policies() -> None:
    """A rule is a member like any other, and belongs to no chain."""
    rule = Rule(never, no, cap=3)
    policies = Policies([fixed(1), rule, WIDE])
    assert policies.caps == (1, 3, 4)
    assert list(policies.rules) == [(1, rule)]
    assert sorted(m for chain in policies.chains for m in chain.members.tolist()) == [0, 2]


def test_a_set_with_a_rule_is_pickled_but_not_written_as_json() -> None:
    """Functions have no JSON; functions of a module have a pickle."""
    policies = Policies([fixed(1), Rule(never, no, cap=3), WIDE])
    assert pickle.loads(pickle.dumps(policies)) == policies
    with refused("Rule", "JSON"):
        policies.to_json()


HEAD = '{"lower": [0], "upper": [1]}'


@pytest.mark.parametrize(
    "text",
    [
        "",
        "no JSON",
        "[]",
        "null",
        "{}",
        '{"chains": 5}',
        '{"chains": null}',
        '{"chains": [5]}',
        '{"chains": ["head"]}',
        '{"chains": [{}]}',
        f'{{"chains": [{{"head": {HEAD}, "members": [0], "caps": [1, 1]}}]}}',
        f'{{"chains": [{{"head": {HEAD}, "members": 0, "caps": 1}}]}}',
        f'{{"chains": [{{"head": {HEAD}, "members": ["a", 0], "caps": [1, 1]}}]}}',
        f'{{"chains": [{{"head": {HEAD}, "members": [0, 0], "caps": [1, 1]}}]}}',
        f'{{"chains": [{{"head": {HEAD}, "members": [0, 7], "caps": [1, 1]}}]}}',
        '{\n"chains": 5\n}',
    ],
)
def test_text_that_is_no_set_is_refused_with_its_beginning(text: str) -> None:
    """The refusal shows what a set looks like, and what was given instead."""
    with refused('{"chains": […]}', text[:10].partition("\n")[0]):
        Policies.from_json(text)


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ('{"chains": []}', "none"),
        ('{"chains": [{"head": {"lower": [0]}, "members": [0], "caps": [1]}]}', "lower"),
        (f'{{"chains": [{{"head": {HEAD}, "members": [0], "caps": [2]}}]}}', "2"),
        (f'{{"chains": [{{"head": {HEAD}, "members": [0], "caps": [0]}}]}}', "0"),
    ],
)
def test_a_bad_policy_in_a_sets_json_is_refused_as_any_other(text: str, named: str) -> None:
    """Errors in one policy of the set are named as such."""
    with refused(named):
        Policies.from_json(text)


def test_a_number_is_no_set_of_policies() -> None:
    """The sentence says what was given."""
    with refused("policies must be a sequence", 5):
        Policies(5)  # type: ignore[arg-type] # the mistake
