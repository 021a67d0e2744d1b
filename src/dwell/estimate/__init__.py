"""Means and ratios of means from bounded observations, with intervals that hold at all n at once.

An interval that holds at every n may be looked at after every task, and the looking may stop
whenever one likes.
"""

from dwell.estimate.bounds import Bounds
from dwell.estimate.intervals import Intervals
from dwell.estimate.ratio import Comparison, ConfidenceSequence, difference, roi
from dwell.estimate.sequences import betting, empirical_bernstein, hoeffding, normal

__all__ = [
    "Bounds",
    "Comparison",
    "ConfidenceSequence",
    "Intervals",
    "betting",
    "difference",
    "empirical_bernstein",
    "hoeffding",
    "normal",
    "roi",
]
