"""Options: what a way of testing earns on given terms."""

from dataclasses import dataclass

import numpy as np
from scipy import special

from dwell import checks
from dwell.arrays import FloatArray
from dwell.beliefs import within
from dwell.optimum import Optimum, best_of_looks, oracle
from dwell.planning.schedule import look_days
from dwell.planning.terms import Terms
from dwell.policy import Policy
from dwell.priors import Atoms, StudentT
from dwell.table import exact
from dwell.world import World

_NODES = 48


@dataclass(frozen=True, slots=True, kw_only=True)
class Option:
    """A way of testing, and what it earns.

    Attributes:
        name: What it is called in options and files.
        title: What people call it.
        policy: Its boundaries on the sum of units; None if it is no policy.
        reward: Expected value of what is shipped, per test.
        samples: Expected number of samples, per test.
        roi: Reward per cost, the set-up included.
        roi_error: Its Monte Carlo standard error; None where the figures are exact.
        accept_rate: The share of ideas that is shipped.
        wrong_share: The share of what is shipped that is worth less than 0.
        note: What else to know about it.
    """

    name: str
    title: str
    policy: Policy | None
    reward: float
    samples: float
    roi: float
    roi_error: float | None = None
    accept_rate: float
    wrong_share: float
    note: str = ""


def optimum(terms: Terms, *, longer: bool = False) -> Optimum:
    """The best policy that the terms allow, with units as its samples.

    Args:
        terms: The terms.
        longer: Whether to see if longer tests would pay.
    """
    if not terms.by_day:
        return oracle(terms.unit_world, terms.longest, terms.unit_setup)
    further = None
    if longer:
        more = min(max(terms.max_days + 1, terms.max_days * 5 // 4), checks.LONGEST_CAP)
        further = look_days(terms.first, more)
    return best_of_looks(terms.unit_world, terms.look_units, terms.unit_setup, further)


def judged(terms: Terms, name: str, title: str, policy: Policy, note: str = "") -> Option:
    """The exact figures of a policy with units as its samples."""
    table = exact(policy, terms.unit_world)
    reward, accept_rate = float(table.reward[0]), float(table.accept_rate[0])
    samples = float(table.cost[0]) * terms.unit_samples
    return Option(
        name=name,
        title=title,
        policy=policy,
        reward=reward,
        samples=samples,
        roi=reward / (terms.setup_cost + samples),
        accept_rate=accept_rate,
        wrong_share=_wrong(terms, policy) / accept_rate if accept_rate > 0.0 else 0.0,
        note=note,
    )


def _wrong(terms: Terms, policy: Policy) -> float:
    """The probability that a policy ships an idea that is worth less than 0."""
    values, masses = _below_zero(terms)
    mass = float(masses.sum())
    if not mass > 0.0:
        return 0.0
    harmful = World(Atoms(values.tolist(), (masses / mass).tolist()), terms.unit_world.law)
    return mass * float(exact(policy, harmful).accept_rate[0])


def _below_zero(terms: Terms) -> tuple[FloatArray, FloatArray]:
    """Values below 0 and their weights: a Gauss-Legendre rule that is dense near 0.

    Nobody ships what is eight standard errors of the first look below 0.
    """
    world, prior = terms.unit_world, terms.world.prior
    if isinstance(prior, Atoms):
        values, weights = np.array(prior.values), np.array(prior.weights)
        return values[values < 0.0], weights[values < 0.0]
    mean, sd = prior.moments
    low = max(world.limits[0], mean - 10.0 * sd, -8.0 * terms.unit_sd / np.sqrt(terms.first))
    if low >= 0.0:
        return np.empty(0), np.empty(0)
    kept = prior.distribution(world.limits[1]) - prior.distribution(world.limits[0])
    if isinstance(prior, StudentT):
        values, weights = within(prior, low, 0.0, terms.unit_sd)
        return values, weights * (prior.distribution(0.0) - prior.distribution(low)) / kept
    nodes, weights = special.roots_legendre(_NODES)
    values = low * (1.0 - nodes) / 2.0
    return values, -low / 2.0 * weights * prior.density(values) / kept
