"""What hypothesis draws: policies, and how its tests are set up."""

from math import inf

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st

from dwell import Policies, Policy

# Drawn from a fixed seed, and with time to load a compiled kernel on a busy machine.
PROPERTY = settings(
    deadline=None,
    derandomize=True,
    database=None,
    max_examples=100,
    suppress_health_check=[HealthCheck.too_slow],
)


@st.composite
def policies(
    draw: st.DrawFn, longest: int = 12, edges: st.SearchStrategy[float] | None = None
) -> Policy:
    """Any policy, with boundaries that are infinite here and there."""
    edge = st.floats(-1e6, 1e6) if edges is None else edges
    pair = st.tuples(edge | st.just(-inf), edge | st.just(inf)).map(sorted)
    interior = draw(st.lists(pair, max_size=longest - 1))
    last = draw(st.tuples(edge, edge).map(sorted))
    low, high = zip(*interior, last, strict=True)
    return Policy(low, high)


@st.composite
def policy_sets(
    draw: st.DrawFn, longest: int = 12, edges: st.SearchStrategy[float] | None = None
) -> Policies:
    """A set in which some policies are truncations of others, and some are not."""
    members = []
    for head in draw(st.lists(policies(longest, edges), min_size=1, max_size=4)):
        looks = [d for d in range(1, head.cap + 1) if head.upper[d - 1] < inf]
        caps = draw(st.lists(st.sampled_from(looks), max_size=4))
        members += [head, *(head.truncated(cap) for cap in caps)]
    return Policies(sorted(members, key=lambda policy: policy.cap))
