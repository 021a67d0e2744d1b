"""Sensitivity: how a plan would change with its set-up cost and with its prior."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from dwell.errors import NothingWorthTesting
from dwell.planning.comparison import Plan
from dwell.planning.option import optimum
from dwell.planning.terms import Terms
from dwell.priors import Atoms, Normal, StudentT
from dwell.world import World

_SETUPS = 9
_SHIFTS = (-1.0, -0.5, 0.0, 0.5, 1.0)
_FACTORS = (0.5, 0.71, 1.0, 1.41, 2.0)


@dataclass(frozen=True, slots=True)
class BySetup:
    """The ROI of each option at several set-up costs.

    Attributes:
        setup_costs: The set-up costs, in samples.
        roi: A list per option, by its name; the best and the simple one are sought anew at each.
    """

    setup_costs: tuple[float, ...]
    roi: dict[str, tuple[float, ...]]


def by_setup(plan: Plan) -> BySetup:
    """From a hundredth of the set-up cost to a hundred times as much."""
    terms = plan.terms
    middle = terms.setup_cost or terms.unit_samples
    costs = tuple(float(cost) for cost in middle * np.geomspace(0.01, 100.0, _SETUPS))
    roi = {
        "best": tuple(_best(replace(terms, setup_cost=cost)).roi for cost in costs),
        "simple": tuple(plan.bands.best(cost)[1] for cost in costs),
    }
    for option in plan.rules:
        roi[option.name] = tuple(option.reward / (option.samples + cost) for cost in costs)
    return BySetup(costs, roi)


@dataclass(frozen=True, slots=True)
class BestFigures:
    """The best policy's ROI and its mean days per test; both 0 where nothing is worth testing."""

    roi: float
    days: float


@dataclass(frozen=True, slots=True)
class ByPrior:
    """The best policy by the prior's mean and spread: a row per spread, a column per mean."""

    means: tuple[float, ...]
    spreads: tuple[float, ...]
    best: tuple[tuple[BestFigures, ...], ...]


def by_prior(terms: Terms) -> ByPrior | None:
    """With means and spreads around the prior's own.

    None where a prior cannot be moved: under a law with a limited range, or without a spread.
    """
    prior, (mean, sd) = terms.world.prior, terms.moments
    if not (terms.by_day and isinstance(prior, Normal | StudentT | Atoms) and sd > 0.0):
        return None

    def found(shift: float, factor: float) -> BestFigures:
        moved = _moved(prior, mean, shift * sd, factor)
        return _best(replace(terms, world=World(moved, terms.world.law)))

    return ByPrior(
        tuple(mean + shift * sd for shift in _SHIFTS),
        tuple(factor * sd for factor in _FACTORS),
        tuple(tuple(found(shift, factor) for shift in _SHIFTS) for factor in _FACTORS),
    )


def _moved(
    prior: Normal | StudentT | Atoms, mean: float, shift: float, factor: float
) -> Normal | StudentT | Atoms:
    if isinstance(prior, Normal):
        return Normal(mean + shift, factor * prior.sd)
    if isinstance(prior, StudentT):
        return StudentT(mean + shift, factor * prior.scale, prior.df)
    values: Sequence[float] = [mean + shift + factor * (v - mean) for v in prior.values]
    return Atoms(values, prior.weights)


def _best(terms: Terms) -> BestFigures:
    try:
        best = optimum(terms)
    except NothingWorthTesting:
        return BestFigures(0.0, 0.0)
    days = (best.cost - terms.unit_setup) * terms.unit_samples / terms.traffic_per_day
    return BestFigures(best.roi / terms.unit_samples, days)
