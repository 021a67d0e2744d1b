"""Policies to try on a history: bands that know the noise, of all lengths that it can judge."""

from math import isinf

import numpy as np
import pytest

from dwell import Policies, Policy, banded, fixed, hoeffding
from dwell.history.replay.candidates import candidates, looks, named
from dwell.sparse_policy import SparsePolicy
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


@pytest.mark.parametrize("longest", [1, 2, 3, 10, 5000, 10**12])
def test_candidates_fit_any_history(longest: int) -> None:
    """None wants more samples than there are, names differ, and there are at most 60 looks."""
    found = candidates(longest, sd=0.3)
    policies = Policies(each.policy for each in found)
    assert policies.caps[-1] == longest
    assert len({each.name for each in found}) == len(found) < 450
    grid = looks(longest)
    assert len(grid) <= 60
    assert (grid[0], grid[-1]) == (1, longest)
    assert (np.diff(grid) > 0).all()
    for each in found:
        assert each.rule is not None
        assert {each.rule.cap} <= {*grid.tolist()}


def test_all_families_are_among_them() -> None:
    """Fixed sizes with and without a threshold, both shapes from several first looks, and more."""
    rules = [each.rule for each in candidates(5000, sd=0.3, least=40) if each.rule is not None]
    once = [rule for rule in rules if rule.looks_once]
    assert {rule.at_cap for rule in once} == {0.0, 0.5, 1.0, 1.645}
    assert min(rule.cap for rule in once) == 1
    for shape in ("constant", "shrinking"):
        firsts = {rule.first for rule in rules if rule.shape == shape and not rule.looks_once}
        assert len(firsts) >= 4
        assert min(firsts) >= 40
        assert max(firsts) >= 2000
    assert any(isinf(rule.at_cap) for rule in rules)
    assert any(rule.shape == "root" for rule in rules)


def test_no_candidate_looks_too_early() -> None:
    """All of them respect the minimum; and what looks often waits for what makes sense."""
    for each in candidates(1000, sd=1.0, min_samples=50):
        assert isinstance(each.policy, SparsePolicy)
        assert each.policy.looks[0] >= 50
    for each in candidates(1000, sd=1.0, least=50):
        assert isinstance(each.policy, SparsePolicy)
        assert each.policy.looks[0] >= 50 or len(each.policy.looks) == 1


def test_a_rule_in_words_says_when_it_looks_and_what_it_does() -> None:
    """One of each kind."""
    words = {each.name: each.advice for each in candidates(1000, sd=1.0)}
    assert words["fixed 1000"] == "draw 1,000 samples, then ship what is ahead and drop the rest"
    assert words["fixed 1000, ship above 1"] == (
        "draw 1,000 samples, then ship what is more than 1 standard error ahead and drop the rest"
    )
    assert words["ship 2, drop 0, 5 to 1000, shrinking"] == (
        "look at 5 samples, and again whenever there are a quarter more: ship what is 1.99 "
        "standard errors above 0, and drop what is not above 0; both limits shrink evenly to 0 at "
        "1,000 samples; ship what is ahead at 1,000 samples or when the test ends"
    )


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
