"""The paper's claims, one module each: checked against exact values, never a simulated optimum."""

from collections.abc import Callable, Mapping

from dwell.lab.claims import (
    bounds,
    countable,
    discovery,
    elimination,
    guarantee,
    measures,
    rates,
    unbiased,
)
from dwell.lab.claims.finding import Effort, Finding

# In the order in which a report tells them.
CLAIMS: Mapping[str, Callable[[Effort], Finding]] = {
    "bounds": bounds.check,
    "elimination": elimination.check,
    "rates": rates.check,
    "countable": countable.check,
    "unbiased": unbiased.check,
    "discovery": discovery.check,
    "measures": measures.check,
    "guarantee": guarantee.check,
}
