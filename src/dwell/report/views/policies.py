"""A policy as a small drawing."""

from __future__ import annotations

from collections.abc import Sequence
from math import isfinite
from typing import TYPE_CHECKING

from markupsafe import Markup

from dwell.laws import Law, Signs
from dwell.policies import AnyPolicy
from dwell.policy import Policy
from dwell.report.charts import boundaries
from dwell.report.drawings import leaf
from dwell.sparse_policy import SparsePolicy

if TYPE_CHECKING:
    import plotly.graph_objects as go

BETWEEN = "between the lines a test goes on"
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
    shown = leaf.closing(limits)
    return leaf.standing(leaf.Drawn(shown, shown.cap, ()), limits_caption(policy))


def limits_caption(policy: AnyPolicy) -> str:
    """What the lines of that drawing are."""
    return (
        "Limits on the running total of samples: above them an idea is shipped, below them dropped,"
        f" in between it is tested further, up to {policy.cap:,} samples."
    )


def closing(policy: Policy, law: Law | None = None) -> go.Figure:
    """The limits of a policy; what comes after they have met is there, but not in view."""
    figure = boundaries(policy, signs=isinstance(law, Signs))
    sparse = SparsePolicy.of(policy)
    looks = tuple(map(float, sparse.looks.tolist()))
    limits = leaf.Limits(looks, _finite(sparse.lower.tolist()), _finite(sparse.upper.tolist()))
    figure.update_xaxes(range=[0.0, 1.1 * leaf.closing(limits).cap])
    return figure


def _finite(limits: Sequence[float]) -> tuple[float | None, ...]:
    return tuple(limit if isfinite(limit) else None for limit in limits)
