"""g1, g2 and g3 against plain sums, and what the paper says about them."""

import numpy as np
import pytest

from dwell import Atoms, InvalidInput, Signs, World, exact, fixed, hoeffding
from dwell.objectives import g1, g2, g3, within_budget
from dwell.table import Profile, Table

WORLD = World(Atoms([-0.5, -0.1, 0, 0.1, 0.9], [0.1, 0.2, 0.4, 0.2, 0.1]), Signs())


def table_of(setup_cost: float = 1.5) -> Table:
    policies = hoeffding([1, 3, 4, 8, 16], c=0.35, tasks=10_000, delta=0.05)
    return exact(policies, WORLD, setup_cost)


def plain_g1(profile: Profile, setup_cost: float, tasks: int) -> float:
    """The law of the other tasks' total duration by convolution; then a plain sum."""
    others = np.ones(1)
    for _ in range(tasks - 1):
        others = np.convolve(others, np.append(0.0, profile.probability))
    return tasks * sum(
        float(reward * chance / (tasks * setup_cost + d + total))
        for d, reward in enumerate(profile.reward, start=1)
        for total, chance in enumerate(others)
        if chance > 0
    )


def plain_budget(profile: Profile, samples: int) -> tuple[float, float]:
    """Reward and tasks begun with 0, 1, …, `samples` samples left."""
    reward, tasks = [0.0], [0.0]
    for left in range(1, samples + 1):
        ends = range(1, min(len(profile.probability), left - 1) + 1)
        chance, earned = profile.probability, profile.reward
        reward.append(sum(earned[d - 1] + chance[d - 1] * reward[left - d] for d in ends))
        tasks.append(1 + sum(chance[d - 1] * tasks[left - d] for d in ends))
    return reward[-1], tasks[-1]


@pytest.mark.parametrize("tasks", [1, 2, 3, 7])
def test_g1_is_the_expected_ratio_of_totals(tasks: int) -> None:
    """Against convolutions, with a set-up cost and without."""
    for setup_cost in (0.0, 1.5):
        table = table_of(setup_cost)
        expected = [plain_g1(table.profile(k), setup_cost, tasks) for k in range(5)]
        np.testing.assert_allclose(g1(table, tasks), expected, rtol=1e-9, atol=1e-15)


@pytest.mark.parametrize("samples", [1, 2, 3, 5, 17, 100, 301])
def test_a_budget_of_samples_is_a_renewal_recursion(samples: int) -> None:
    """Against the recursion written out, for durations with and without a period."""
    table = table_of()
    profiles = [table.profile(k) for k in range(5)]
    profiles += [exact(fixed(size, 1), WORLD).profile(0) for size in (4, 6)]
    for profile in profiles:
        totals = within_budget(profile, samples)
        assert (totals.reward, totals.tasks) == pytest.approx(
            plain_budget(profile, samples), rel=1e-12, abs=1e-15
        )


def test_g1_and_g2_tend_to_the_roi() -> None:
    """As tasks or samples grow, both come as near as 1e-9."""
    table = table_of()
    np.testing.assert_allclose(g1(table, 10**11), table.roi, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(g2(table, 10**12), table.roi, rtol=1e-9, atol=1e-12)


def test_g3_prefers_a_policy_that_earns_little() -> None:
    """On values -1, 0, 1 it cannot tell a cap of 4,096 from one of 16; the ROI can."""
    policies = hoeffding([16, 4096], c=1.0, tasks=10, delta=0.5)
    table = exact(policies, World(Atoms([-1, 0, 1]), Signs()))
    assert g3(table)[1] > 0.9 * g3(table)[0]
    assert table.roi[1] < 0.1 * table.roi[0]


def test_g3_is_g1_of_a_single_task() -> None:
    """By definition."""
    table = table_of()
    np.testing.assert_allclose(g3(table), g1(table, 1), rtol=1e-9)


@pytest.mark.parametrize("value", [0, -3, 1.5, np.nan, "many"])
def test_numbers_of_tasks_and_samples_must_be_whole(value: int) -> None:
    """One sentence that names the value."""
    for objective in (g1, g2):
        with pytest.raises(InvalidInput, match=f"whole number|must be a number.*{value}"):
            objective(table_of(), value)
