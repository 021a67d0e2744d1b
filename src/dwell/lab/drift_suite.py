"""The drift suite: worlds whose pool of ideas changes, for comparing learners.

In the first six a good pool gives way to a bad one or the other way round, the two alternate, easy
wins are used up, the mean of all values swings with the season, or it sinks. Constants of learners
may be chosen on these. The others, of other pools, are held out: they are there to report on.
"""

from collections.abc import Iterable

import numpy as np

from dwell.lab.changing import ChangingWorld
from dwell.lab.suite import Instance, suite
from dwell.laws import Lift, Signs
from dwell.priors import Atoms, Normal, Prior, StudentT

_STEPS = 8  # of a pool that changes little by little
_SETUP_COSTS = (0.0, 20.0)


def _wins(share: float) -> Atoms:
    """Mostly a little worse than nothing, and this share of large wins."""
    return Atoms([-0.05, 0.6], [1.0 - share, share])


def _evenly(start: float, end: float) -> list[float]:
    steps: list[float] = np.linspace(start, end, _STEPS).tolist()
    return steps


def _seasonally(high: float, low: float) -> list[float]:
    """From high to low and back, as a cosine."""
    turns = (np.arange(_STEPS // 2) + 0.5) / _STEPS
    down: list[float] = (low + (high - low) * (1.0 + np.cos(2.0 * np.pi * turns)) / 2.0).tolist()
    return [*down, *reversed(down)]


# Rare wins, the suite's own; and ideas nine in ten of which lose, so that little is to be earned.
_GOOD, _BAD = _wins(0.1), Atoms([-0.3, 0.1], [0.9, 0.1])
_FEWER_WINS: list[float] = np.geomspace(0.2, 0.01, _STEPS).tolist()
# Of the worlds that are held out.
_FAIR, _POOR = Atoms([-0.1, 0.5], [0.85, 0.15]), Atoms([-0.25, 0.15], [0.92, 0.08])
_LARGE = Atoms([-0.5, -0.1, 0, 0.1, 0.5], [0.1, 0.2, 0.4, 0.2, 0.1])
_SMALL = Atoms([-0.1, 0, 0.1])
_HEADLINES: tuple[Prior, ...] = (Normal(-0.0003, 0.0045), Normal(-0.003, 0.003))

_CHOSEN_ON = {
    "good-to-bad": ChangingWorld([_GOOD, _BAD], Signs()),
    "bad-to-good": ChangingWorld([_BAD, _GOOD], Signs()),
    "decay": ChangingWorld([_wins(share) for share in _FEWER_WINS], Signs()),
    "alternating": ChangingWorld([_GOOD, _BAD], Signs(), period=300),
    "season": ChangingWorld(
        [Normal(mean, 0.15) for mean in _seasonally(0.1, -0.2)], Signs(), period=300
    ),
    "ramp": ChangingWorld([Normal(mean, 0.15) for mean in _evenly(0.1, -0.2)], Signs()),
}
_HELD_OUT = {
    "large-to-small": ChangingWorld([_LARGE, _SMALL], Signs()),
    "two-changes": ChangingWorld([_FAIR, _POOR, _FAIR], Signs()),
    "rise": ChangingWorld([_wins(share) for share in reversed(_FEWER_WINS)], Signs()),
    "short-season": ChangingWorld([_FAIR, _POOR], Signs(), period=150),
    "heavy-ramp": ChangingWorld([StudentT(at, 0.08, 3) for at in _evenly(0.1, -0.15)], Signs()),
    "headlines-change": ChangingWorld(_HEADLINES, Lift(base_rate=0.012)),
}
DRIFTS = _CHOSEN_ON | _HELD_OUT
# No constant was chosen on these.
HELD_OUT_DRIFTS = tuple(_HELD_OUT)


def drift_suite(
    *,
    names: Iterable[str] = tuple(DRIFTS),
    grid: bool = False,
    scales: bool = False,
) -> tuple[Instance, ...]:
    """Instances whose pool of ideas changes, those of one name side by side.

    Args:
        names: Which worlds, by their names in DRIFTS.
        grid: See `dwell.lab.suite.suite`.
        scales: See there as well.

    Example:
        >>> [str(instance) for instance in drift_suite(names=["ramp", "headlines-change"])]
        ['ramp, set-up cost 0', 'ramp, set-up cost 20', 'headlines-change, set-up cost 1000']
    """
    alike = {instance.world.law: instance for instance in suite(grid=grid, scales=scales)}
    named = tuple(names)
    return tuple(
        Instance(
            name,
            world.pools[0],
            alike[world.law].policies,
            setup_cost,
            name in HELD_OUT_DRIFTS,
            changing=world,
        )
        for name, world in DRIFTS.items()
        if name in named
        for setup_cost in (
            _SETUP_COSTS if isinstance(world.law, Signs) else (alike[world.law].setup_cost,)
        )
    )
