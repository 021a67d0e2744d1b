"""A simple family: two limits in standard errors that shrink evenly to 0.

After d of D looks a test is shipped at z (1 - d / D) standard errors above 0 and dropped at
z' (1 - d / D) below: people can follow it with a ruler. The triangular tests of Whitehead (1997,
The Design and Analysis of Sequential Clinical Trials) have straight limits on the sum instead.
"""

from dataclasses import dataclass
from itertools import product

import numpy as np

from dwell import checks
from dwell.arrays import FloatArray
from dwell.planning.terms import Terms
from dwell.policy import Policy
from dwell.table import exact

_SHIP = (0.25, 0.5, 1.0, 1.5, 2.0, 2.5, 3.0)
_DROP = (-0.5, 0.0, 0.25, 0.5, 1.0, 1.5, 2.0)
_MOST_LENGTHS, _MOST_LENGTHS_ON_LATTICE = 9, 5


@dataclass(frozen=True, slots=True)
class Band:
    """One of the family.

    Attributes:
        ship: z, in standard errors above 0, before the first sample.
        drop: z', in standard errors below 0.
        looks: D, the look at which both have shrunk to 0.
    """

    ship: float
    drop: float
    looks: int

    def __post_init__(self) -> None:
        for name in ("ship", "drop"):
            object.__setattr__(self, name, checks.finite(name, getattr(self, name)))
        object.__setattr__(self, "looks", checks.cap("looks", self.looks))

    def policy(self, terms: Terms) -> Policy:
        """Its boundaries on the sum of units."""
        d = np.arange(1.0, self.looks + 1.0)
        width = (1.0 - d / self.looks) * terms.unit_sd * np.sqrt(d)
        lower, upper = -self.drop * width, self.ship * width
        lower[: terms.first - 1], upper[: terms.first - 1] = -np.inf, np.inf
        # Only what is above 0 is shipped at the end.
        lower[-1] = upper[-1] = np.nextafter(0.0, 1.0)
        return Policy(lower, upper)

    def words(self, terms: Terms) -> str:
        """What to do, in words."""
        if self.looks == terms.first:
            return f"Test for {terms.period(self.looks)}, then ship what is above 0."
        start = 1.0 - terms.first / self.looks
        ship, drop = (f"{abs(limit) * start:.3g}" for limit in (self.ship, self.drop))
        if self.drop > 0.0:
            dropped = f"what is {drop} below"
        elif self.drop == 0.0:
            dropped = "what is not above 0"
        else:
            dropped = f"what is not even {drop} above"
        return (
            f"{terms.rhythm}. On {terms.when(terms.first)} ship what is {ship} standard errors "
            f"above 0, and drop {dropped}; both limits shrink evenly to 0 on "
            f"{terms.when(self.looks)}, when what is above 0 is shipped."
        )


@dataclass(frozen=True, slots=True)
class Bands:
    """The family on given terms, with what each member earns: an entry each."""

    terms: Terms
    members: tuple[Band, ...]
    reward: FloatArray
    samples: FloatArray

    @classmethod
    def of(cls, terms: Terms) -> "Bands":
        """All members that the terms allow."""
        shapes = [(up, down) for up, down in product(_SHIP, _DROP) if up + down > 0.0]
        lengths = _lengths(terms)
        members = (
            Band(0.0, 0.0, terms.first),
            *(Band(*shape, looks) for looks in lengths for shape in shapes),
        )
        tables = [exact(band.policy(terms), terms.unit_world) for band in members]
        return cls(
            terms,
            members,
            np.array([table.reward[0] for table in tables]),
            np.array([table.cost[0] for table in tables]) * terms.unit_samples,
        )

    def best(self, setup_cost: float) -> tuple[Band, float]:
        """The member with the highest ROI at a set-up cost, and that ROI."""
        roi = self.reward / (self.samples + setup_cost)
        index = int(np.argmax(roi))
        return self.members[index], float(roi[index])


def _lengths(terms: Terms) -> list[int]:
    """A few numbers of looks, each larger than the one before by about the same factor."""
    few = _MOST_LENGTHS if terms.by_day else _MOST_LENGTHS_ON_LATTICE
    spaced = np.geomspace(terms.first + 1.0, max(terms.looks, terms.first + 1.0), few)
    return sorted({int(looks) for looks in spaced.round() if terms.first < looks <= terms.looks})
