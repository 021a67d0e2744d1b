"""CAPE says when it is made that its guarantee is vacuous, and what it would need."""

import copy
import pickle
import re

import pytest

from dwell import (
    Cape,
    Policies,
    VacuousGuarantee,
    fixed,
    hoeffding,
    simulate,
)
from tests.contract.cases import (
    SHORT,
    THREE_VALUES,
)

WARNED = [
    (Policies([fixed(1)]), 0.05),
    (SHORT, 0.05),
    (SHORT, 0.9),
    (SHORT, 1e-9),
    (hoeffding([2, 8], c=0.35, tasks=10**6, delta=0.05), 0.05),
    (hoeffding(range(1, 51), c=0.35, tasks=10**6, delta=0.05), 0.05),
    (hoeffding([256], c=0.35, tasks=10**6, delta=0.05), 0.1),
]


def named_in(warned: pytest.WarningsRecorder) -> tuple[int, int]:
    """The number of tasks, and the exploration cap, that a warning says would be needed."""
    [warning] = warned.list
    found = re.search(r"need ([\d,]+) tasks .*cap of ([\d,]+)", str(warning.message))
    assert found is not None
    tasks, cap = (int(number.replace(",", "")) for number in found.groups())
    return tasks, cap


@pytest.mark.parametrize(("policies", "delta"), WARNED)
def test_cape_warns_with_the_least_number_of_tasks_that_it_needs(
    policies: Policies, delta: float
) -> None:
    """With the number of tasks that is named there is no warning; with one less there is."""
    with pytest.warns(VacuousGuarantee) as warned:
        Cape(policies, tasks=2, delta=delta)
    tasks, _ = named_in(warned)
    assert not Cape(policies, tasks=tasks, delta=delta).guarantee.vacuous
    with pytest.warns(VacuousGuarantee) as warned:
        Cape(policies, tasks=tasks - 1, delta=delta)
    assert named_in(warned)[0] == tasks


@pytest.mark.parametrize(("policies", "delta"), WARNED)
def test_cape_warns_with_the_least_exploration_cap_that_it_needs(
    policies: Policies, delta: float
) -> None:
    """With the exploration cap that is named there is no warning; with one less there is."""
    with pytest.warns(VacuousGuarantee) as warned:
        Cape(policies, tasks=10**18, delta=delta, exploration_cap=1)
    _, cap = named_in(warned)
    assert not Cape(policies, tasks=10**18, delta=delta, exploration_cap=cap).guarantee.vacuous
    with pytest.warns(VacuousGuarantee) as warned:
        Cape(policies, tasks=10**18, delta=delta, exploration_cap=cap - 1)
    assert named_in(warned)[1] == cap


def test_cape_warns_where_it_was_made_and_only_then() -> None:
    """The warning points at the caller's line; restored and copied learners stay silent.

    So does a run. The note stays.
    """
    with pytest.warns(VacuousGuarantee) as warned:
        learner = Cape(SHORT, tasks=100)
    assert warned.list[0].filename == __file__
    restored = Cape.from_json(learner.to_json())
    for silent in (restored, copy.deepcopy(learner), pickle.loads(pickle.dumps(learner))):
        simulate(silent, THREE_VALUES, tasks=100, rng=0)
        assert silent.knowledge().note == str(warned.list[0].message)


def test_cape_can_be_told_not_to_warn() -> None:
    """Whoever has read the warning can switch it off."""
    assert Cape(SHORT, tasks=100, announce=False).guarantee.vacuous
