"""A policy as a small drawing."""

from collections.abc import Sequence
from math import isfinite

from markupsafe import Markup

from dwell.policies import AnyPolicy
from dwell.policy import Policy
from dwell.report.drawings import leaf
from dwell.sparse_policy import SparsePolicy

_MOST_LOOKS = 120


def leaf_of(policy: AnyPolicy) -> Markup:
    """Two limits that close in; nothing for a policy that is not two limits."""
    if isinstance(policy, Policy):
        policy = SparsePolicy.of(policy)
    if not isinstance(policy, SparsePolicy):
        return Markup()
    step = max(1, len(policy.looks) // _MOST_LOOKS)
    chosen = sorted({*range(0, len(policy.looks), step), len(policy.looks) - 1})
    limits = leaf.Limits(
        tuple(float(policy.looks[k]) for k in chosen),
        _finite([float(policy.lower[k]) for k in chosen]),
        _finite([float(policy.upper[k]) for k in chosen]),
    )
    label = f"Limits on the running total, up to {policy.cap:,} samples: ship above, drop below"
    return leaf.rule(limits, [limits], label)


def _finite(limits: Sequence[float]) -> tuple[float | None, ...]:
    return tuple(limit if isfinite(limit) else None for limit in limits)
