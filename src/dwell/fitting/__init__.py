"""Priors fitted to tests of the past: what ideas were worth, with the noise taken off."""

from dwell.fitting.counts import Lifts, effects_from_counts
from dwell.fitting.noise import Means, steady_errors
from dwell.fitting.prior import FittedPrior, fit_prior

__all__ = ["FittedPrior", "Lifts", "Means", "effects_from_counts", "fit_prior", "steady_errors"]
