"""The Bayesian rule of many testing platforms: stop at a posterior probability.

With normal values and noise P(value > 0 | data) = Phi(m_d / s_d), m_d and s_d the posterior's mean
and standard deviation. If the prior is right it may be looked at after every sample: Deng, Lu, Chen
(2016), Continuous Monitoring of A/B Tests without Pain.
"""

from scipy import special

from dwell import checks
from dwell.errors import InvalidInput
from dwell.policy import Policy
from dwell.priors import Normal
from dwell.rules.conjugate import Conjugate


def posterior(cap: int, *, prior: Normal, sd: float, probability: float = 0.95) -> Policy:
    """Accept once the value is positive with the given probability, reject once it is negative.

    What is undecided at the cap is rejected.

    Args:
        cap: The most samples to draw.
        prior: The normal law of the values.
        sd: The standard deviation of one sample.
        probability: The posterior probability at which to stop, above 1/2.

    Example:
        >>> from dwell import Normal
        >>> posterior(2, prior=Normal(0, 1), sd=1)
        Policy(lower=[-2.326, 2.849], upper=[2.326, 2.849])
    """
    known = Conjugate.checked(cap, prior, sd)
    probability = checks.probability("probability", probability)
    if not probability > 0.5:
        raise InvalidInput(f"probability must be above 1/2, got {probability:g}")
    edge = float(special.ndtri(probability)) * known.sd
    return known.policy(-edge, edge)
