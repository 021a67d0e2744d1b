"""Normal values and normal noise: boundaries on the posterior mean are boundaries on the sum.

After d samples with sum S the value is normal with the variance v_d = 1 / (1 / s_0^2 + d / sd^2)
and the mean m_d = v_d (m_0 / s_0^2 + S / sd^2), which rises with S.
"""

from dataclasses import dataclass

import numpy as np

from dwell import checks
from dwell.arrays import FloatArray
from dwell.beliefs import Belief, beliefs
from dwell.errors import InvalidInput
from dwell.laws import Gaussian
from dwell.policy import Policy
from dwell.priors import Normal
from dwell.world import World


@dataclass(frozen=True, slots=True)
class Conjugate:
    """What is known of a normal value after 1, …, cap normal samples."""

    prior: Normal
    belief: Belief

    @classmethod
    def checked(cls, cap: int, prior: Normal, sd: float) -> "Conjugate":
        """With a normal prior, and samples of this standard deviation."""
        cap, sd = checks.cap("cap", cap), checks.positive("sd", sd)
        if not isinstance(prior, Normal):
            raise InvalidInput(f"prior must be Normal(mean, sd), got {checks.shown(prior)}")
        [belief] = beliefs(World(prior, Gaussian(sd)), cap)
        return cls(prior, belief)

    @property
    def sd(self) -> FloatArray:
        """The standard deviation of the value, s_d."""
        return np.sqrt(self.belief.variance[1:])

    def policy(self, lower: FloatArray, upper: FloatArray) -> Policy:
        """Reject when the mean of the value is at or below `lower`, else accept at `upper`.

        Where the two meet nothing can stay undecided: that is the policy's cap, if it comes sooner.
        """
        met = np.flatnonzero(lower >= upper)
        cap = int(met[0]) + 1 if met.size else len(upper)
        low, high = (
            (edge[:cap] - self.belief.intercept[1 : cap + 1]) / self.belief.slope[1 : cap + 1]
            for edge in (lower, np.maximum(lower, upper))
        )
        low[-1] = high[-1]
        return Policy(low, high)
