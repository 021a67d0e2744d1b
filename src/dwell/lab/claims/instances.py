"""Worlds and policies on which the claims are checked: small, so that the truth is exact."""

from dataclasses import dataclass

from dwell.families import fixed, hoeffding
from dwell.laws import Signs
from dwell.policies import Policies
from dwell.priors import Atoms
from dwell.table import exact
from dwell.world import World


@dataclass(frozen=True, slots=True)
class Instance:
    """A world and the policies to choose from in it."""

    name: str
    world: World
    policies: Policies

    @property
    def gap(self) -> float:
        """By how much the best policy's ROI exceeds the second best (Delta in the paper)."""
        roi = sorted(exact(self.policies, self.world).roi.tolist())
        return float(roi[-1] - roi[-2])


def separated(wins: float) -> Instance:
    """One sample tells everything, so that a second one halves the ROI: gap wins / 2."""
    world = World(Atoms([-1, 1], [1 - wins, wins]), Signs())
    return Instance(f"gap {wins / 2:g}", world, Policies([fixed(1, 1), fixed(2, 2)]))


def nearly_tied() -> Instance:
    """A second sample earns almost exactly what it costs: with 7 wins in 22 exactly so."""
    wins = 7 / 22 + 1e-8
    world = World(Atoms([-0.5, 0.5], [1 - wins, wins]), Signs())
    return Instance("nearly tied", world, Policies([fixed(1, 1), fixed(2, 2)]))


def three_points() -> Instance:
    """The paper's own example: values -1, 0 and 1 and a Hoeffding band."""
    policies = hoeffding([1, 2, 3, 5], c=0.35, tasks=10_000, delta=0.05)
    return Instance("values -1, 0, 1", World(Atoms([-1, 0, 1]), Signs()), policies)


def all_lose() -> Instance:
    """Every policy accepts everything, and most of it is bad."""
    policies = Policies([fixed(samples, -samples) for samples in (1, 2, 3)])
    return Instance("every policy loses", World(Atoms([-0.9, 0.1]), Signs()), policies)
