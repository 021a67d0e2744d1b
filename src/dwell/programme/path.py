"""Path: where a task was at each look, the limits there, and those that lie ahead."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import inf, isfinite
from typing import Literal

import numpy as np
from msgspec import Struct

from dwell.arrays import BoolArray, FloatArray, IntArray, Samples
from dwell.laws import Law
from dwell.periods import Periods
from dwell.pools.under_law import noise_under
from dwell.sparse_policy import SparsePolicy

_MOST_LOOKS = 100  # made, and as many to come: more cannot be told apart in a picture
_MOST_KEPT = 64  # in the log, with each task that was begun


class Limits(Struct, frozen=True, array_like=True):
    """The limits that a task is run by, for people to see when they are no more in force.

    Attributes:
        looks: After how many samples it is looked at; of very many looks, some.
        lower: The lower limit on the sum at each; None where there is none …
        upper: … and the upper one.
    """

    looks: list[int]
    lower: list[float | None]
    upper: list[float | None]


@dataclass(frozen=True, slots=True)
class Look:
    """A look at a task.

    Attributes:
        samples: After how many samples.
        position: Where the task was; None if the look lies ahead.
        lower: What is here or below is dropped; None if nothing is, …
        upper: … and what is here or above is shipped; None if nothing is: both are None where a
            batch ends, or samples do, before the policy looks again.
    """

    samples: int
    position: float | None
    lower: float | None
    upper: float | None


@dataclass(frozen=True, slots=True)
class Path:
    """Where a task was at each look, and which limits lie ahead.

    Attributes:
        unit: Of positions and limits: standard errors where the law of samples is known, else sums
            of samples.
        looks: The looks in order, those that lie ahead last; of very many, some.
        decided_after: After how many samples it was decided; None if it is not.
    """

    unit: Literal["standard errors", "sum"]
    looks: tuple[Look, ...]
    decided_after: int | None


def path_of(
    samples: Samples | Periods,
    policy: SparsePolicy,
    law: Law | None,
    decided_after: int | None,
    allowed: Sequence[int] | None = None,
) -> Path:
    """The path of a task.

    Args:
        samples: Its samples, or sums over batches: it is then looked at where these end.
        policy: What it is run by.
        law: The law of samples, if it is known.
        decided_after: After how many samples it was decided; None if it is not.
        allowed: After how many samples of a batch one may look; None for after each.

    Example:
        >>> policy = SparsePolicy(np.array([1, 2, 3]), np.array([-2, -2, 0]), np.array([2, 2, 0]))
        >>> for look in path_of(np.array([1.0, -1.0]), policy, None, None).looks:
        ...     print(look.samples, look.position, look.lower, look.upper)
        1 1.0 -2.0 2.0
        2 0.0 -2.0 2.0
        3 None None 0.0
    """
    drawn, totals = _seen(samples, policy.looks)
    due = np.searchsorted(policy.looks, drawn, side="right") - 1
    looked = np.ones(len(drawn), dtype=np.bool_) if allowed is None else np.isin(drawn, allowed)
    made_before = np.maximum.accumulate(np.append(-1, np.where(looked, due, -1)))[:-1]
    new = looked & (due > made_before)  # where no look is due, nothing is compared
    made = _thinned(np.arange(len(drawn)), drawn == decided_after)
    ahead = np.flatnonzero(policy.looks > (drawn[-1] if len(drawn) else 0))
    ahead = ahead[:0] if decided_after is not None else _thinned(ahead)
    after = np.append(drawn[made], policy.looks[ahead])
    places = np.append(np.where(new[made], due[made], len(policy.looks)), ahead)
    noise = None if law is None else noise_under(law)
    scale = np.ones(len(after)) if noise is None else noise * np.sqrt(after)
    # At the cap all is dropped that is not shipped; the entry after it is of no look.
    lower = np.append(policy.lower[:-1], [-inf, -inf])[places] / scale
    upper = np.append(policy.upper, inf)[places] / scale
    positions = [*(totals[made] / scale[: len(made)]).tolist(), *[None] * len(ahead)]
    looks = map(Look, after.tolist(), positions, _finite(lower), _finite(upper))
    return Path("sum" if noise is None else "standard errors", tuple(looks), decided_after)


@lru_cache(maxsize=64)  # the tasks of a round have the same
def kept_limits(policy: SparsePolicy) -> Limits:
    """Limits as the log keeps them with a task; of very many looks, some."""
    some = _thinned(np.arange(len(policy.looks)), most=_MOST_KEPT)
    lower, upper = _finite(policy.lower[some]), _finite(policy.upper[some])
    return Limits(policy.looks[some].tolist(), lower, upper)


def policy_from(limits: Limits) -> SparsePolicy:
    """The policy whose limits a log keeps."""
    lower = [-inf if each is None else each for each in limits.lower]
    upper = [inf if each is None else each for each in limits.upper]
    return SparsePolicy(np.array(limits.looks), np.array(lower), np.array(upper))


def _seen(samples: Samples | Periods, looks: IntArray) -> tuple[IntArray, FloatArray]:
    """After how many samples it was looked at, and their sums."""
    if isinstance(samples, Periods):
        return np.cumsum(samples.counts), np.cumsum(samples.sums)
    drawn = looks[looks <= len(samples)]
    if len(samples) and (not len(drawn) or drawn[-1] < len(samples)):
        drawn = np.append(drawn, len(samples))  # where it is now
    return drawn, np.cumsum(samples, dtype=np.float64)[drawn - 1]


def _thinned(
    places: IntArray, decided: BoolArray | None = None, most: int = _MOST_LOOKS
) -> IntArray:
    """At most so many of the places, the first and the last among them, and that of a decision."""
    if len(places) <= most:
        return places
    some = places[np.linspace(0, len(places) - 1, most).round().astype(np.int64)]
    return some if decided is None else np.union1d(some, places[decided])


def _finite(limits: Iterable[float]) -> list[float | None]:
    return [float(each) if isfinite(each) else None for each in limits]
