"""A policy: two boundaries on the running sum that meet at its cap.

A policy (pi in the paper) draws samples one at a time and keeps their sum. After sample d it stops
and accepts if the sum is at least `upper[d]`, stops and rejects if it is at most `lower[d]`, and
goes on otherwise. At the cap the two boundaries meet, so that it always stops there. An infinite
boundary is one that the policy does not look at.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Self

import numpy as np

from dwell import checks
from dwell.arrays import FloatArray
from dwell.columns import numbers
from dwell.errors import InvalidInput
from dwell.wire import AsJson


class Policy(AsJson):
    """When to stop testing an idea, and what to decide then.

    Args:
        lower: Reject when the sum of the first d samples is at or below `lower[d - 1]`. Its last
            entry is raised to meet `upper`: at the cap, what is not accepted is rejected.
        upper: Accept when the sum of the first d samples is at or above `upper[d - 1]`.

    Example:
        >>> policy = Policy(lower=[-1, -2, -1], upper=[2, 2, 1])
        >>> policy.cap
        3
        >>> policy
        Policy(lower=[-1, -2, 1], upper=[2, 2, 1])
        >>> policy == Policy.from_json(policy.to_json())
        True
    """

    # The lower boundary is kept without its entry at the cap, which is the upper one's: so that
    # policies that differ only in their caps can share the memory of their boundaries.
    __slots__ = ("_interior", "_upper")
    LOOKS_LIKE = 'a policy in JSON looks like {"lower": […], "upper": […]}'
    _interior: FloatArray
    _upper: FloatArray

    def __init__(self, lower: Sequence[float] | FloatArray, upper: Sequence[float] | FloatArray):
        low, high = _boundary("lower", lower), _boundary("upper", upper)
        if low.size != high.size:
            raise InvalidInput(
                f"a policy's boundaries must have one entry per sample each, got {low.size} in "
                f"lower and {high.size} in upper"
            )
        if high.size == 0:
            raise InvalidInput("a policy's cap must be at least 1, got empty boundaries")
        for name, edge in (("lower", low[-1]), ("upper", high[-1])):
            if not np.isfinite(edge):
                raise InvalidInput(
                    f"the {name} boundary must be finite at the cap, where the policy has to "
                    f"decide, got {edge}"
                )
        crossed = np.flatnonzero((low > high) | np.isposinf(low) | np.isneginf(high))
        if crossed.size:
            at = crossed[0]
            raise InvalidInput(
                f"lower must not be above upper, got {low[at]:g} and {high[at]:g} at sample "
                f"{at + 1}"
            )
        self._freeze(low[:-1], high)

    def _freeze(self, interior: FloatArray, upper: FloatArray) -> None:
        for boundary in (interior, upper):
            boundary.setflags(write=False)
        self._interior, self._upper = interior, upper

    @property
    def cap(self) -> int:
        """The most samples that the policy may draw (D_k in the paper)."""
        return self._upper.size

    @property
    def lower(self) -> FloatArray:
        """The sums at or below which it rejects, after 1, 2, …, cap samples."""
        return np.append(self._interior, self._upper[-1])

    @property
    def upper(self) -> FloatArray:
        """The sums at or above which it accepts, after 1, 2, …, cap samples."""
        return self._upper

    @property
    def farthest(self) -> float:
        """How far from 0 its boundaries are at most, per sample."""
        samples = np.arange(1.0, self.cap + 1.0)
        edges = np.concatenate([self.lower / samples, self._upper / samples])
        return float(np.abs(edges[np.isfinite(edges)]).max())

    def prefix(self, samples: int) -> tuple[FloatArray, FloatArray]:
        """Both boundaries over the first samples only."""
        if samples >= self.cap:
            return self.lower, self._upper
        return self._interior[:samples], self._upper[:samples]

    def truncated(self, cap: int) -> Self:
        """The same boundaries with a shorter cap; what is undecided there is rejected.

        Example:
            >>> Policy(lower=[-2, -3, 3], upper=[2, 3, 3]).truncated(2)
            Policy(lower=[-2, 3], upper=[2, 3])
        """
        cap = checks.count("cap", cap)
        if cap > self.cap:
            raise InvalidInput(f"cap must be at most the policy's own, {self.cap}, got {cap}")
        if not np.isfinite(self._upper[cap - 1]):
            raise InvalidInput(f"cap must be a sample at which the policy looks, got {cap}")
        shorter = object.__new__(type(self))
        shorter._freeze(self._interior[: cap - 1], self._upper[:cap])
        return shorter

    def is_truncation_of(self, other: "Policy") -> bool:
        """Whether this policy is `other` with the same or a shorter cap."""
        cap = self.cap
        if cap <= other.cap and self._shares_memory_with(other):
            return True
        return (
            cap <= other.cap
            and np.array_equal(self._upper, other._upper[:cap])
            and np.array_equal(self._interior, other._interior[: cap - 1])
        )

    def _shares_memory_with(self, other: "Policy") -> bool:
        """Whether both were cut from the same boundaries, so that nothing has to be compared.

        Boundaries are never cut but at their end.
        """
        return _whole(self._upper) is _whole(other._upper) and (
            _whole(self._interior) is _whole(other._interior)
        )

    def to_dict(self) -> dict[str, Any]:
        """The same in types that JSON knows; an infinite boundary is None."""
        return {"lower": _nulled(self.lower), "upper": _nulled(self.upper)}

    @classmethod
    def from_dict(cls, fields: Mapping[str, Any]) -> Self:
        """The policy that `to_dict` gave."""
        lower, upper = fields["lower"], fields["upper"]
        if not (isinstance(lower, list) and isinstance(upper, list)):
            raise TypeError("boundaries are lists")
        return cls(
            [-np.inf if edge is None else edge for edge in lower],
            [np.inf if edge is None else edge for edge in upper],
        )

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Policy):
            return NotImplemented
        return self.cap == other.cap and self.is_truncation_of(other)

    def __hash__(self) -> int:
        # A few entries tell most policies apart; all of them would take a million caps hours.
        chosen = [0, self.cap // 2, self.cap - 1]
        return hash((self.cap, *self._upper[chosen].tolist(), *self._interior[:1].tolist()))

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.lower, self._upper)  # arrays come back writable: freeze them

    def __deepcopy__(self, memo: object) -> Self:
        return self  # nothing in it can change

    def __repr__(self) -> str:
        cap = f"cap={self.cap}, " if self.cap > _SHOWN else ""
        return f"Policy({cap}lower={_shown(self.lower)}, upper={_shown(self.upper)})"


_SHOWN = 6


def _boundary(name: str, values: Sequence[float] | FloatArray) -> FloatArray:
    boundary = numbers(name, values)
    if boundary.ndim != 1:
        raise InvalidInput(f"{name} must be one-dimensional, got shape {boundary.shape}")
    missing = np.flatnonzero(np.isnan(boundary))
    if missing.size:
        raise InvalidInput(
            f"{name} must not hold NaN, got one at sample {missing[0] + 1}; write an infinity "
            "where the policy does not look"
        )
    return boundary + 0.0  # turns -0.0 into 0.0: equal policies then have equal bytes


def _whole(boundary: FloatArray) -> object:
    """The array that a boundary was cut from: itself, if it was not."""
    return boundary if boundary.base is None else boundary.base


def _nulled(boundary: FloatArray) -> list[float | None]:
    edges: list[float | None] = boundary.tolist()
    for place in np.flatnonzero(~np.isfinite(boundary)).tolist():
        edges[place] = None
    return edges


def _shown(boundary: FloatArray) -> str:
    edges = [f"{edge:.4g}" for edge in boundary]
    if len(edges) > _SHOWN:
        edges = [*edges[:3], "…", *edges[-2:]]
    return f"[{', '.join(edges)}]"
