"""The minimum run of a task: when it is looked at, for whoever wants whole weeks.

What is told between two looks that are allowed is one batch to every policy: none of them looks
within it. So what decides and what is recorded are the same rule, that with fewer looks, and what
is learned is what that rule earns. To wait with an answer after a policy has stopped would teach
what another rule earns.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from typing import NamedTuple

import numpy as np
from msgspec import Struct

from dwell.errors import InvalidInput
from dwell.periods import Periods
from dwell.programme.observations import (
    ArmBatches,
    Batch,
    Observations,
    Outcomes,
    Range,
    Values,
    samples_of,
)

_DATE = re.compile(r"(\d{4})-(\d{2})-(\d{2})(?!\d)")
_WEEK = 7


class Pace(NamedTuple):
    """When a task is looked at, if samples go on to come as so far.

    Attributes:
        made: After how many samples it was last looked at.
        first: How many samples come until the next look …
        then: … and from look to look after it.
    """

    made: int
    first: int
    then: int


class MinimumRun(Struct, frozen=True, omit_defaults=True):
    """When a task may be looked at.

    Attributes:
        samples: Not before it has this many samples …
        days: … nor before so many days are over, from the first one that it was told of …
        full_weeks: … and then only when whole weeks are over.
    """

    samples: int = 1
    days: int = 0
    full_weeks: bool = False

    @property
    def words(self) -> str:
        """The same for people.

        Example:
            >>> MinimumRun(samples=2_000, full_weeks=True).words
            'at least 2,000 samples, and only when whole weeks are over'
        """
        least = [f"{self.samples:,} samples"] * (self.samples > 1)
        least += [f"{self.days} days"] * (self.days > 1)
        parts = ["at least " + " and ".join(least)] if least else []
        if self.full_weeks:
            parts.append("only when whole weeks are over" if least else "whole weeks")
        return ", and ".join(parts)

    @property
    def by_days(self) -> bool:
        """Whether days matter."""
        return self.days > 1 or self.full_weeks

    def require(self, task: str, key: str | None, parts: Mapping[str, Observations]) -> None:
        """Refuse a key that does not say which day it is of, where days matter."""
        if not self.by_days:
            return
        first = next(iter(parts), key)
        if key is None or _day(key) is None or _is_date(key) != _is_date(str(first)):
            raise InvalidInput(
                f"task {task!r} runs for a minimum of days: tell it a day at a time, under a key "
                "that begins with its date (2026-03-02) or is its number, the same way each time, "
                f"got {'no key' if key is None else repr(key)}"
            )

    def elapsed(self, keys: Iterable[str]) -> list[int]:
        """How many days are over after each part, counted from that of the first one.

        Example:
            >>> MinimumRun().elapsed(["2026-03-02", "2026-03-05 late", "2026-03-04"])
            [1, 4, 4]
        """
        found: list[int] = []
        first = 0
        for key in keys:
            day = _day(key) or 0
            first = first if found else day
            found.append(max(day - first + 1, found[-1] if found else 1))
        return found

    def looks(self, keys: Sequence[str], samples: Sequence[int]) -> list[int]:
        """After which parts it may be looked at, counted from 0; none is taken back later.

        A week is over when its last day was told, or a day after it: then the look is at what was
        told before that.

        Args:
            keys: The parts' keys, in order.
            samples: How many samples there were after each.

        Example:
            >>> MinimumRun(samples=30).looks(["a", "b", "c"], [20, 40, 60])
            [1, 2]
            >>> days = ["1", "5", "6", "9", "14", "15"]  # nobody came on the seventh
            >>> MinimumRun(full_weeks=True).looks(days, [10, 20, 30, 40, 50, 60])
            [2, 4]
        """
        days = self.elapsed(keys) if self.by_days else [0] * len(keys)
        found = []
        for place, (day, drawn) in enumerate(zip(days, samples, strict=True)):
            end = day
            if self.full_weeks:
                end = -(-day // _WEEK) * _WEEK
                if day < end and not (place + 1 < len(days) and days[place + 1] > end):
                    continue
            if drawn >= self.samples and end >= self.days:
                found.append(place)
        return found

    def allowed(self, parts: Mapping[str, Observations]) -> list[int]:
        """After how many samples it may be looked at."""
        drawn = np.cumsum(_sizes(parts.values())).tolist()
        return [drawn[place] for place in self.looks(list(parts), drawn)]

    def merged(self, parts: Mapping[str, Observations], known: Range) -> Periods:
        """What was told up to the last look that is allowed, as a batch from look to look."""
        return _periods(parts, known, self.allowed(parts))

    def pace(self, parts: Mapping[str, Observations]) -> Pace | None:
        """How many samples come from look to look, if they go on to come as so far."""
        drawn = sum(_sizes(parts.values()))
        if not drawn:
            return None
        made = max(self.allowed(parts), default=0)
        if not self.by_days:
            size = max(1, round(drawn / len(parts)))
            return Pace(made, max(size, -(-(self.samples - drawn) // size) * size), size)
        days = self.elapsed(parts)[-1]
        daily, step = drawn / days, _WEEK if self.full_weeks else 1
        least = max(self.days, days + 1, -(-self.samples * days // drawn))
        until = -(-least // step) * step - days
        return Pace(made, max(1, round(until * daily)), max(1, round(step * daily)))


def by_parts(parts: Mapping[str, Observations], known: Range) -> Periods:
    """What was told, as a batch per part, in whatever form it was."""
    return _periods(parts, known, np.cumsum(_sizes(parts.values())).tolist())


def _periods(parts: Mapping[str, Observations], known: Range, ends: Sequence[int]) -> Periods:
    """Samples as batches that end after so many samples each."""
    samples = samples_of(parts.values(), known)
    if isinstance(samples, Periods):
        counts, sums = samples.counts, samples.sums
    else:
        counts, sums = np.ones(len(samples), dtype=np.int64), samples.astype(np.float64)
    drawn, totals = np.append(0, np.cumsum(counts)), np.append(0.0, np.cumsum(sums))
    after = np.unique(np.array([0, *ends], dtype=np.int64))
    return Periods(
        np.array([len(after) - 1]),
        np.diff(after),
        np.diff(totals[np.searchsorted(drawn, after)]),
    )


def _sizes(told: Iterable[Observations]) -> list[int]:
    """How many samples each part adds, as `samples_of` counts them."""
    sizes, controls, treated, users = [], 0, 0, 0
    for part in told:
        match part:
            case Values(values):
                sizes.append(len(values))
            case Outcomes(control, treatment):
                before = min(controls, treated)
                controls, treated = controls + len(control), treated + len(treatment)
                sizes.append(min(controls, treated) - before)
            case Batch(n=n):
                sizes.append(n)
            case ArmBatches(control=control, treatment=treatment):
                before, users = users // 2, users + control.n + treatment.n
                sizes.append(users // 2 - before if control.n and treatment.n else 0)
    return sizes


def _is_date(key: str) -> bool:
    return _DATE.match(key) is not None


def _day(key: str) -> int | None:
    """The number of the day that a key is of; None if it does not say."""
    if found := _DATE.match(key):
        try:
            return date(*map(int, found.groups())).toordinal()
        except ValueError:
            return None
    return int(key) if re.fullmatch(r"\d{1,6}", key) else None
