"""Policies to try on a history: bands that know the noise, of all lengths that it can judge."""

import numpy as np
import pytest

from dwell import Policy, banded, hoeffding
from dwell.history.candidates import candidates
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


@pytest.mark.parametrize("longest", [2, 3, 10, 5000])
def test_candidates_fit_any_history(longest: int) -> None:
    """None wants more samples than the longest test can show; bands share their passes."""
    found = candidates([2, longest], sd=0.3)
    assert found.caps == tuple(sorted(found.caps))
    assert found.caps[-1] == longest - 1
    assert len(found.chains) <= 6 + 8 + 1


def test_no_candidate_looks_too_early() -> None:
    """All of them respect the minimum."""
    for policy in candidates([1000], sd=1.0, min_samples=50):
        assert isinstance(policy, Policy)
        assert np.isinf(policy.upper[:49]).all()


def test_bad_input_is_refused() -> None:
    """One sentence each."""
    with refused("min_samples", "10"):
        candidates([10], sd=1.0, min_samples=10)
    with refused("longest test", "0"):
        candidates([], sd=1.0)
    with refused("sd", "-1"):
        candidates([10], sd=-1.0)
    with refused("z", "0"):
        banded([4], z=0.0, sd=1.0)
    with refused("min_samples", "5", "4"):
        banded([4], z=1.0, sd=1.0, min_samples=5)
