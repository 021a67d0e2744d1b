"""Standing: how the policies seem to stand, by estimates and standard errors.

What is chosen and explored follows from these; what is eliminated does not.
"""

from dataclasses import dataclass
from functools import cached_property
from math import log

import numpy as np

from dwell.arrays import BoolArray, FloatArray
from dwell.learners.evidence import Evidence, Rungs

_EARNING = 1.0  # standard errors above 0 from which on a reward is taken to be one
_PER_CHAIN = 0.2  # and how many more for each factor e in the number of chains
_CERTAIN = 1.5  # and how many more, from which on that is no longer in doubt
_FAINTEST = 0.05  # what is all but hopeless, but not eliminated, is still looked at now and then


@dataclass(frozen=True)
class Standing:
    """Estimates at one moment, an entry per policy.

    Attributes:
        rungs: How the policies stand on one another.
        candidates: Which of them have not been eliminated.
        reward: Mean rewards.
        variance: The variances of these.
        cost: Mean costs.
        accept_rate: How often they accept.
    """

    rungs: Rungs
    candidates: BoolArray
    reward: FloatArray
    variance: FloatArray
    cost: FloatArray
    accept_rate: FloatArray

    @classmethod
    def of(cls, evidence: Evidence, candidates: BoolArray) -> "Standing":
        """The standing by the evidence so far."""
        return cls(
            evidence.rungs,
            candidates,
            reward=evidence.reward,
            variance=evidence.reward_variance,
            cost=evidence.cost,
            accept_rate=evidence.accept_rate,
        )

    @cached_property
    def threshold(self) -> float:
        """How many standard errors above 0 a reward must be to be taken for one.

        Of many policies that lose, some seem to earn. Those of one chain err together, so it is
        the number of chains that counts; a policy made of Python functions is one of its own.
        """
        if self.rungs.policies.one_chain:
            return _EARNING
        chain_of = self.rungs.chain_of[self.candidates].tolist()
        rules = sum(chain < 0 for chain in chain_of)
        chains = len({chain for chain in chain_of if chain >= 0}) + rules
        return _EARNING + _PER_CHAIN * log(max(chains, 1))

    @cached_property
    def chosen(self) -> int | None:
        """The candidate with the best ROI among those that seem to earn something."""
        errors = self.reward / np.sqrt(self.variance)
        earning = np.flatnonzero(self.candidates & (errors > self.threshold))
        if not len(earning):
            return None
        return int(earning[np.argmax(self.reward[earning] / self.cost[earning])])

    @cached_property
    def doubtful(self) -> bool:
        """Whether it is in doubt that the chosen policy earns."""
        chosen = self.chosen
        if chosen is None:
            return True
        certain = self.threshold + _CERTAIN
        return bool(self.reward[chosen] < certain * np.sqrt(self.variance[chosen]))

    @property
    def losing(self) -> float:
        """How plausible it is that rejecting everything is better than the chosen policy."""
        chosen = self.chosen
        if chosen is None:
            return 1.0
        likelihood = np.exp(-0.5 * self.reward[chosen] ** 2 / self.variance[chosen])
        return float(max(likelihood, _FAINTEST))

    @property
    def plausible(self) -> FloatArray:
        """How plausible it is that each policy is better than the chosen one, from 0 to 1.

        It is the likelihood of what was seen of their difference if that were 0, relative to the
        greatest likelihood; 1 for one that seems better, 0 for one that was eliminated.
        """
        chosen = self.chosen
        if chosen is None:
            return self.candidates.astype(np.float64)
        roi = self.reward[chosen] / self.cost[chosen]
        lead = self.reward - self.reward[chosen] - roi * (self.cost - self.cost[chosen])
        variance = self.variance + self.variance[chosen]
        # Policies of one chain share the lower rungs, and the noise of these.
        chain = self.rungs.same_chain(chosen)
        variance[chain] = np.abs(self.variance[chain] - self.variance[chosen])
        likelihood = np.exp(-0.5 * np.minimum(lead, 0.0) ** 2 / np.maximum(variance, 1e-300))
        return np.where(self.candidates, np.maximum(likelihood, _FAINTEST), 0.0)

    def decider(self, last: int) -> int:
        """Who decides when all policies up to `last` are run: costs are spent, rewards count."""
        if self.chosen is None:
            return last
        eligible = np.flatnonzero(self.candidates[: last + 1])
        return int(eligible[np.argmax(self.reward[eligible])]) if len(eligible) else last
