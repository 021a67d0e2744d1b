"""A policy that looks at few of its samples, and may draw any number of them.

A `Policy` has an entry for every sample that it may draw. Where tests have millions of users that
is more than is worth keeping: this one has an entry for every look only.
"""

from dataclasses import dataclass
from math import inf

import numpy as np

from dwell.arrays import FloatArray, IntArray
from dwell.errors import InvalidInput
from dwell.policy import Policy

MOST_SAMPLES = 2**53  # up to here floats know whole numbers


@dataclass(frozen=True, slots=True, eq=False)
class SparsePolicy:
    """When to stop testing an idea, and what to decide then, by a few looks at the running sum.

    Attributes:
        looks: After how many samples it looks, in increasing order; the last is its cap.
        lower: Reject when the sum at a look is at or below its entry; the last is not used: at the
            cap, what is not accepted is rejected.
        upper: Accept when the sum at a look is at or above its entry.

    Example:
        >>> import numpy as np
        >>> SparsePolicy(np.array([10**6, 10**9]), np.array([-5.0, 0.0]), np.array([5.0, 0.0])).cap
        1000000000
    """

    looks: IntArray
    lower: FloatArray
    upper: FloatArray

    def __post_init__(self) -> None:
        looks, lower, upper = self.looks, self.lower, self.upper
        if not len(looks) == len(lower) == len(upper) >= 1:
            raise InvalidInput(
                f"a policy needs a lower and an upper boundary per look, got {len(lower)} and "
                f"{len(upper)} for {len(looks)} looks"
            )
        if looks[0] < 1 or (np.diff(looks) <= 0).any() or looks[-1] > MOST_SAMPLES:
            raise InvalidInput(
                "looks must be increasing numbers of samples from 1 to 2^53, got "
                f"{looks[0]} to {looks[-1]}"
            )
        if np.isnan(lower).any() or np.isnan(upper).any() or not np.isfinite(upper[-1]):
            raise InvalidInput(
                "boundaries must be numbers, and the last upper one finite, got "
                f"{lower[-1]:g} and {upper[-1]:g} at the cap"
            )

    @property
    def cap(self) -> int:
        """The most samples that the policy may draw."""
        return int(self.looks[-1])

    @classmethod
    def of(cls, policy: Policy) -> "SparsePolicy":
        """A policy by the looks that it has.

        Args:
            policy: A policy with an entry per sample.

        Example:
            >>> inf = float("inf")
            >>> SparsePolicy.of(Policy([-inf, -inf, 1], [inf, 2, 1])).looks.tolist()
            [2, 3]
        """
        lower, upper = policy.lower, policy.upper
        looked = np.flatnonzero(np.isfinite(lower) | np.isfinite(upper))
        return cls(looked + 1, lower[looked], upper[looked])

    def dense(self) -> Policy:
        """The same with an entry for every sample.

        Example:
            >>> SparsePolicy(np.array([2, 3]), np.array([-1.0, 1.0]), np.array([2.0, 1.0])).dense()
            Policy(lower=[-inf, -1, 1], upper=[inf, 2, 1])
        """
        lower, upper = np.full(self.cap, -inf), np.full(self.cap, inf)
        lower[self.looks - 1], upper[self.looks - 1] = self.lower, self.upper
        lower[-1] = upper[-1]
        return Policy(lower, upper)

    @classmethod
    def fixed(cls, n: int, threshold: float = 0.0) -> "SparsePolicy":
        """Always draw n samples; accept if and only if their sum is at least `threshold`."""
        return cls(np.array([n]), np.array([-inf]), np.array([threshold]))
