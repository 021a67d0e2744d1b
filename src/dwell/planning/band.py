"""A simple family: two limits in standard errors that shrink evenly to 0.

After d of D days a test is shipped at z (1 - d / D) standard errors above 0 and dropped at
z' (1 - d / D) below: people can follow it with a ruler. The triangular tests of Whitehead (1997,
The Design and Analysis of Sequential Clinical Trials) have straight limits on the sum instead.
"""

from dataclasses import dataclass, replace
from itertools import product

import numpy as np

from dwell import checks
from dwell.arrays import FloatArray, IntArray
from dwell.families import limits_in_words, shrinking
from dwell.planning.schedule import lengths, step_of
from dwell.planning.terms import Terms
from dwell.policy import Policy
from dwell.table import exact

_SHIP = (0.25, 0.5, 1.0, 1.5, 2.0, 2.5, 3.0)
_DROP = (-0.5, 0.0, 0.25, 0.5, 1.0, 1.5, 2.0)
_ON_LATTICE = (2, 5, 14, 40, 100, 250, 500)
# After so many lengths that earn no more than shorter ones, longer ones are not tried.
_PASSED = 4


@dataclass(frozen=True, slots=True)
class Band:
    """One of the family.

    Attributes:
        ship: z, in standard errors above 0, before the first sample.
        drop: z', in standard errors below 0.
        length: D, the day or the sample at which both have shrunk to 0.
    """

    ship: float
    drop: float
    length: int

    def __post_init__(self) -> None:
        for name in ("ship", "drop"):
            object.__setattr__(self, name, checks.finite(name, getattr(self, name)))
        object.__setattr__(self, "length", checks.cap("length", self.length))

    def policy(self, terms: Terms) -> Policy:
        """Its boundaries on the sum of units."""
        return shrinking(
            self.length, self._looks(terms), ship=self.ship, drop=self.drop, sd=terms.unit_sd
        )

    def _looks(self, terms: Terms) -> IntArray:
        step = step_of(self.length) if terms.by_day else 1
        looks = np.arange(step, self.length + 1, step)
        return looks[looks >= min(terms.first, self.length)]

    def figures(self, terms: Terms) -> tuple[float, float]:
        """Reward and samples per test."""
        step = step_of(self.length) if terms.by_day else 1
        # Nothing is seen between looks, so that several days are as good a unit as one.
        units = replace(
            terms,
            traffic_per_day=terms.traffic_per_day * step,
            min_days=-(-terms.min_days // step),
            max_days=-(-terms.max_days // step),
        )
        policy = replace(self, length=self.length // step).policy(units)
        table = exact(policy, units.unit_world)
        return float(table.reward[0]), float(table.cost[0]) * units.unit_samples

    def words(self, terms: Terms) -> str:
        """What to do, in words."""
        if self._looks(terms)[0] == self.length:
            return f"Test for {terms.period(self.length)}, then ship what is above 0."
        looks = self._looks(terms)
        first, step = int(looks[0]), int(np.diff(looks, prepend=0)[-1])
        start = 1.0 - first / self.length
        ship, drop = (f"{abs(limit) * start:.3g}" for limit in (self.ship, self.drop))
        return (
            f"{terms.rhythm(step)}. On {terms.when(first)} "
            f"{limits_in_words(self.drop, ship, drop)}; both limits shrink evenly to 0 on "
            f"{terms.when(self.length)}, when what is above 0 is shipped."
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
        """All members that the terms allow, up to the length where longer ones earn no more."""
        shapes = [(up, down) for up, down in product(_SHIP, _DROP) if up + down > 0.0]
        members = [Band(0.0, 0.0, terms.first)]
        figures = [members[0].figures(terms)]
        # Sensitivity looks at set-up costs a hundred times as high, where tests are longest.
        setups = np.array([1.0, 100.0]) * (terms.setup_cost or terms.unit_samples)
        best = _rois(figures, setups).max(axis=0)
        passed = 0
        for length in _lengths(terms):
            longer = [Band(*shape, length) for shape in shapes]
            found = [band.figures(terms) for band in longer]
            members, figures = members + longer, figures + found
            most = _rois(found, setups).max(axis=0)
            passed = 0 if (most > best + 1e-6 * abs(best)).any() else passed + 1
            best = np.maximum(best, most)
            if passed == _PASSED:
                break
        reward, samples = np.array(figures).T
        return cls(terms, tuple(members), reward, samples)

    def best(self, setup_cost: float) -> tuple[Band, float]:
        """The member with the highest ROI at a set-up cost, and that ROI."""
        roi = self.reward / (self.samples + setup_cost)
        index = int(np.argmax(roi))
        return self.members[index], float(roi[index])


def _rois(figures: list[tuple[float, float]], setups: FloatArray) -> FloatArray:
    """A row per member, a column per set-up cost."""
    reward, samples = np.array(figures).T
    roi: FloatArray = reward[:, None] / (samples[:, None] + setups)
    return roi


def _lengths(terms: Terms) -> list[int]:
    """For longer tests, more of them: so that the best member's ROI never falls."""
    if terms.by_day:
        return lengths(terms.first, terms.longest)
    return [length for length in _ON_LATTICE if length <= terms.longest]
