"""Policies to try on a history: bands that know the noise, of all lengths that it can judge."""

import numpy as np
import pytest

from dwell import Policies, Policy, banded, fixed, hoeffding
from dwell.history.replay.candidates import candidates, named
from tests.refusals import refused


def test_a_band_is_so_many_standard_errors_wide() -> None:
    """After d samples with standard deviation sd, it stops at z sd sqrt(d)."""
    policy = banded([3, 50], z=1.5, sd=0.2, min_samples=3)[-1]
    assert isinstance(policy, Policy)
    d = np.arange(1, 51)
    assert policy.upper[2:] == pytest.approx(1.5 * 0.2 * np.sqrt(d[2:]))
    assert policy.lower[2:-1] == pytest.approx(-1.5 * 0.2 * np.sqrt(d[2:-1]))
    assert np.isinf(policy.upper[:2]).all()


def test_the_paper_band_is_one_of_a_certain_width() -> None:
    """Hoeffding's band is the one with z sd = c sqrt(ln(K N / delta))."""
    z = 0.35 * np.sqrt(np.log(64 * 10_000 / 0.05))
    ours, theirs = banded([64], z=z, sd=1.0), hoeffding([64], c=0.35, tasks=10_000, delta=0.05)
    assert isinstance(ours[0], Policy)
    assert isinstance(theirs[0], Policy)
    assert ours[0].upper == pytest.approx(theirs[0].upper)


@pytest.mark.parametrize("longest", [1, 2, 3, 10, 5000])
def test_candidates_fit_any_history(longest: int) -> None:
    """None wants more samples than there are, and names differ; bands share their passes."""
    found = candidates(longest, sd=0.3)
    policies = Policies(each.policy for each in found)
    assert policies.caps[-1] == longest
    assert len(policies.chains) <= 6 + 12 + 12
    assert len({each.name for each in found}) == len(found)


def test_no_candidate_looks_too_early() -> None:
    """All of them respect the minimum."""
    for each in candidates(1000, sd=1.0, min_samples=50):
        assert isinstance(each.policy, Policy)
        assert np.isinf(each.policy.upper[:49]).all()


def test_policies_may_come_in_any_way() -> None:
    """One, many, or by their names in any order; names are kept."""
    assert [each.name for each in named(fixed(3))] == ["policy 1, cap 3"]
    assert [each.name for each in named(hoeffding([1, 2], c=1, tasks=9, delta=0.1))] == [
        "policy 1, cap 1",
        "policy 2, cap 2",
    ]
    assert [each.name for each in named({"b": fixed(5), "a": fixed(2)})] == ["a", "b"]
    with refused("policy", "'wait'"):
        named({"a": "wait"})  # type: ignore[arg-type]  # that is the mistake


def test_bad_input_is_refused() -> None:
    """One sentence each."""
    with refused("min_samples", "10"):
        candidates(9, sd=1.0, min_samples=10)
    with refused("longest test", "0"):
        candidates(0, sd=1.0)
    with refused("sd", "-1"):
        candidates(10, sd=-1.0)
    with refused("z", "0"):
        banded([4], z=0.0, sd=1.0)
    with refused("min_samples", "5", "4"):
        banded([4], z=1.0, sd=1.0, min_samples=5)
