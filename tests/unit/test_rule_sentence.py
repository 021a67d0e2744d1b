"""A policy in one sentence: the numbers are the policy's, and no test goes another way."""

import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dwell import Beta, Gaussian, Lift, Normal, Policy, Signs, World, first_sample, fixed, oracle
from dwell.laws import Law
from dwell.learners.rule_sentence import looks_of, rule_sentence
from dwell.outcomes import scan
from dwell.sparse_policy import SparsePolicy


@st.composite
def policies(draw: st.DrawFn) -> Policy:
    """Boundaries of up to eight samples, some of which are not looked at."""
    cap = draw(st.integers(1, 8))
    edges = st.lists(
        st.one_of(st.just(np.inf), st.integers(-7, 7), st.floats(-7.0, 7.0)),
        min_size=cap,
        max_size=cap,
    )
    upper = np.array(draw(edges), dtype=np.float64)
    lower = -np.array(draw(edges), dtype=np.float64)
    lower[-1] = upper[-1] = draw(st.integers(-9, 9))
    return Policy(np.minimum(lower, upper), upper)


def every_path(steps: list[int], cap: int) -> np.ndarray[tuple[int, ...], np.dtype[np.int8]]:
    return np.array(np.meshgrid(*[steps] * cap), dtype=np.int8).reshape(cap, -1).T


@settings(deadline=None)
@given(policies(), st.sampled_from([Signs(), Lift(0.3)]))
def test_looks_tell_what_happens_to_every_path(policy: Policy, law: Law) -> None:
    """A path stops where a look says so, and the least sum shipped is one that comes there."""
    steps = [-1, 1] if isinstance(law, Signs) else [-1, 0, 1]
    paths = every_path(steps, min(policy.cap, 6))
    looks = looks_of(policy, law)
    found = scan(paths, policy)
    stops, decisions = found.durations[:, 0], found.decisions[:, 0]
    over = decisions >= 0
    sums = np.cumsum(paths, axis=1)[np.arange(len(paths)), stops - 1]
    for look in looks:
        if look.samples > paths.shape[1]:
            break
        here = over & (stops == look.samples)
        shipped, dropped = sums[here & (decisions == 1)], sums[here & (decisions == 0)]
        assert (look.ship is None) == (len(shipped) == 0)
        assert (look.drop is None) == (len(dropped) == 0)
        if look.ship is not None:
            assert look.ship == shipped.min()
        if look.drop is not None:
            assert look.drop == dropped.max()
        if look.last:
            assert (stops[over] <= look.samples).all()


@pytest.mark.parametrize(
    ("world", "cap"),
    [(World(Beta(8, 12), Signs()), 256), (World(Normal(-0.05, 0.1), Gaussian(1.0)), 64)],
)
@pytest.mark.parametrize("setup_cost", [0.0, 20.0])
def test_numbers_are_those_of_the_policy(world: World, cap: int, setup_cost: float) -> None:
    """Each sum that is told after a number of samples is the boundary there, to the next sum."""
    policy = oracle(world, cap=cap, setup_cost=setup_cost).policy
    told = rule_sentence(policy, world.law)
    looks = {look.samples: look for look in looks_of(policy, world.law)}
    parts = told.split("; ")
    if len(parts) == 1:
        assert told.startswith(("draw", "drop"))
        return
    for part, field in ((parts[1], "ship"), (parts[2], "drop")):
        for limit, samples in re.findall(r"(-?[\d.]+) (?:after|from) ([\d,]+)", part):
            exact = getattr(looks[int(samples.replace(",", ""))], field)
            assert float(limit) == pytest.approx(exact, rel=1e-3)
    last = [look for look in looks.values() if look.last]
    assert f"stop after {last[0].samples} samples" in parts[3]
    assert parts[3].endswith(f"at least {last[0].ship:.4g}")


def test_simple_rules_are_short() -> None:
    """One look, or one thing to do."""
    assert rule_sentence(first_sample()) == "draw 1 sample, and ship if their sum is above 0"
    assert (
        rule_sentence(fixed(9, 3), Signs()) == "draw 9 samples, and ship if their sum is at least 3"
    )
    assert rule_sentence(fixed(5, -9), Signs()) == "ship every idea after 5 samples"
    assert (
        rule_sentence(Policy([99.0], [99.0]), Signs()) == "drop every idea after 1 sample at most"
    )


def test_sparse_looks_are_told_as_such() -> None:
    """Every so many samples, or the first of them."""
    even = SparsePolicy(np.array([250, 500, 700]), np.array([-9.0, -5, 2]), np.array([9.0, 8, 2]))
    assert rule_sentence(even) == (
        "look every 250 samples; ship once the sum is at least 9 from 250 on, 8 from 500 on; "
        "drop once it is at most -9 from 250 on, -5 from 500 on; stop after 700 samples, and ship "
        "if the sum is then at least 2"
    )
    odd = SparsePolicy(np.array([1, 10, 100, 10**6]), np.full(4, -np.inf), np.full(4, 7.0))
    assert rule_sentence(odd) == (
        "look after 1, 10, 100, … samples; ship once the sum is at least 7; never drop before the "
        "end; stop after 1,000,000 samples, and ship if the sum is then at least 7"
    )
