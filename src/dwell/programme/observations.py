"""Observations: what a test is told, in one of four forms, and the samples that it comes to.

Single values; outcomes of two arms, the first treated one against the first untreated one; or sums
over a batch, such as a day, of values or of two arms. Two users are a sample.
"""

from collections.abc import Iterable
from itertools import chain
from math import isfinite
from typing import Any, NamedTuple

import numpy as np
from msgspec import Struct
from msgspec.structs import force_setattr

from dwell import checks
from dwell.arrays import FloatArray, Samples
from dwell.columns import numbers
from dwell.errors import InvalidInput
from dwell.laws import Gaussian, Law, Lift, Signs
from dwell.learners.learner import Learner
from dwell.periods import Periods

_FEW = 64  # numbers; more are faster looked at all at once
_ROUNDING = 1e-9  # sums of many numbers may miss their bounds by so much


class Batch(Struct, frozen=True, tag="batch", forbid_unknown_fields=True):
    """Samples, or outcomes of one arm, of which only sums are known.

    Attributes:
        n: How many there are.
        sum: Their sum.
        sum_squares: The sum of their squares, if it is known.

    Example:
        >>> Batch(n=200, sum=13, sum_squares=13)
        Batch(n=200, sum=13.0, sum_squares=13.0)
    """

    n: int
    sum: float
    sum_squares: float | None = None

    def __post_init__(self) -> None:
        force_setattr(self, "n", checks.count("n of a batch", self.n, least=0))
        force_setattr(self, "sum", checks.moderate("sum of a batch", self.sum))
        if self.sum_squares is not None:
            squares = checks.not_negative("sum_squares of a batch", self.sum_squares)
            force_setattr(self, "sum_squares", squares)


class Values(Struct, frozen=True, tag="values"):
    """Samples one by one; whole numbers stay such, so that a log gives back what it was given."""

    values: list[int | float]


class Outcomes(Struct, frozen=True, tag="outcomes"):
    """Outcomes of users, arm by arm."""

    control: list[int | float]
    treatment: list[int | float]


class ArmBatches(Struct, frozen=True, tag="arm batches"):
    """A batch of each arm."""

    control: Batch
    treatment: Batch


Observations = Values | Outcomes | Batch | ArmBatches


class Range(NamedTuple):
    """What samples look like, as far as a learner was told.

    Attributes:
        law: Their law, if there is one.
        bound: They lie in [-bound, bound], if there is one.
    """

    law: Law | None = None
    bound: float | None = None

    @classmethod
    def of(cls, learner: Learner) -> "Range":
        """What a learner was told."""
        return cls(getattr(learner, "law", None), getattr(learner, "bound", None))

    @property
    def _signs(self) -> tuple[float, ...]:
        match self.law:
            case Signs():
                return (-1.0, 1.0)
            case Lift():
                return (-1.0, 0.0, 1.0)
        return ()

    def plain(self, values: object) -> list[float] | None:
        """A few whole numbers that can be; None if they are other, or have to be looked at."""
        if type(values) is not list or len(values) > _FEW:
            return None
        if not values or set(map(type, values)) != {int}:
            return None
        most = 1e15 if self.bound is None else min(self.bound, 1e15)
        fit = -most <= min(values) and max(values) <= most
        if signs := self._signs:
            fit = set(signs).issuperset(values)
        return values.copy() if fit else None

    def require_values(self, values: FloatArray) -> None:
        """Refuse samples that cannot be."""
        if signs := self._signs:
            wrong = ~np.isin(values, signs)
            words = f"{', '.join(f'{sign:g}' for sign in signs[:-1])} or 1 under {self.law}"
        else:
            most = 1e30 if self.bound is None else self.bound
            wrong = ~(np.abs(values) <= most)
            words = f"numbers from {-most:g} to {most:g}"
        _refuse("each value", values, wrong, words)

    def require_outcomes(self, name: str, outcomes: FloatArray) -> None:
        """Refuse outcomes of an arm that cannot be."""
        if isinstance(self.law, Signs):
            raise InvalidInput(
                "a programme under Signs takes values that are -1 or 1, not outcomes of arms; "
                "create it with Lift(base_rate) or Gaussian(sd)"
            )
        if isinstance(self.law, Lift):
            wrong, words = ~np.isin(outcomes, (0.0, 1.0)), f"0 or 1 under {self.law}"
        elif isinstance(self.law, Gaussian) or self.bound is None:
            wrong, words = ~(np.abs(outcomes) <= 1e30), "numbers from -1e30 to 1e30"
        else:
            # Differences then lie in [-bound, bound].
            wrong = ~((outcomes >= 0.0) & (outcomes <= self.bound))
            words = f"numbers from 0 to the bound, {self.bound:g}"
        _refuse(f"each outcome of the {name}", outcomes, wrong, words)

    def require_batch(self, batch: Batch, *, arm: str = "") -> None:
        """Refuse sums that no samples have, by how they lie between the least and the largest."""
        of = f"the {arm}'s batch" if arm else "a batch"
        low, high = self._ends(arm)
        slack = _ROUNDING * max(1.0, abs(batch.sum))
        if not batch.n * low - slack <= batch.sum <= batch.n * high + slack:
            raise InvalidInput(
                f"the sum of {of} of {batch.n} must lie between {batch.n * low:g} and "
                f"{batch.n * high:g}, got {batch.sum:g}"
            )
        squares = batch.sum_squares
        if squares is None:
            return
        least = batch.sum**2 / max(batch.n, 1)
        most = batch.n * max(abs(low), abs(high)) ** 2
        slack = _ROUNDING * max(1.0, least)
        if not least - slack <= squares <= most + slack:
            raise InvalidInput(
                f"the sum of squares of {of} of {batch.n} with sum {batch.sum:g} must lie between "
                f"{least:g} and {most:g}, got {squares:g}"
            )

    def _ends(self, arm: str) -> tuple[float, float]:
        """The least and the largest sample, or outcome of an arm."""
        if arm and isinstance(self.law, Signs):
            self.require_outcomes(arm, np.zeros(1))
        if self._signs:
            return (0.0, 1.0) if arm else (-1.0, 1.0)
        if isinstance(self.law, Gaussian) or self.bound is None:
            return -1e30, 1e30
        return (0.0, self.bound) if arm else (-self.bound, self.bound)


def _refuse(name: str, found: FloatArray, wrong: Any, words: str) -> None:
    if wrong.any():
        at = int(np.flatnonzero(wrong)[0])
        raise InvalidInput(f"{name} must be {words}, got {found[at]:g} as number {at + 1}")


def observed(
    values: object = None, *, control: object = None, treatment: object = None, known: Range
) -> Observations:
    """What a test is told, checked.

    Args:
        values: Samples, or a `Batch` of them; or else …
        control: … outcomes of untreated users, or a `Batch` of them, and …
        treatment: … those of treated users.
        known: What samples look like.

    Example:
        >>> observed([1, -1], known=Range(Signs()))
        Values(values=[1, -1])
        >>> observed([0.5], known=Range(Signs()))
        Traceback (most recent call last):
        dwell.errors.InvalidInput: each value must be -1 or 1 under Signs, got 0.5 as number 1
    """
    if (values is None) == (control is None and treatment is None) or (
        (control is None) != (treatment is None)
    ):
        raise InvalidInput("tell a task values, or else both control and treatment")
    if values is not None:
        if isinstance(values, Batch):
            if values.n == 0:
                raise InvalidInput(
                    "n of a batch must be at least 1, got 0; tell it when it has any"
                )
            known.require_batch(values)
            return values
        if (few := known.plain(values)) is not None:
            return Values(few)
        found = _numbers("values", values)
        known.require_values(found)
        return Values(_plain(found))
    if isinstance(control, Batch) and isinstance(treatment, Batch):
        known.require_batch(control, arm="control")
        known.require_batch(treatment, arm="treatment")
        return ArmBatches(control, treatment)
    outcomes = _numbers("control", control), _numbers("treatment", treatment)
    for name, each in zip(("control", "treatment"), outcomes, strict=True):
        known.require_outcomes(name, each)
    return Outcomes(*map(_plain, outcomes))


def _numbers(name: str, given: Any) -> FloatArray:
    if isinstance(given, Batch):
        raise InvalidInput("give a Batch for both arms, or for neither")
    if isinstance(given, Iterable) and not isinstance(given, np.ndarray | list | tuple | str):
        given = list(given)
    found = numbers(name, given)
    if found.ndim != 1:
        raise InvalidInput(f"{name} must be a list of numbers, got {checks.shown(given)}")
    return found


def _plain(found: FloatArray) -> list[float]:
    """Numbers as JSON has them: whole ones without a point."""
    whole = found.astype(np.int64) if (np.abs(found) < 2**53).all() else found
    listed: list[float] = (whole if np.array_equal(whole, found) else found).tolist()
    return listed


def arms_of(parts: Iterable[Observations]) -> tuple[int, int]:
    """How many users the two arms have; none where there are no arms."""
    controls = treated = 0
    for part in parts:
        match part:
            case Outcomes(control, treatment):
                controls, treated = controls + len(control), treated + len(treatment)
            case ArmBatches(control, treatment):
                controls, treated = controls + control.n, treated + treatment.n
    return controls, treated


def samples_of(parts: Iterable[Observations], known: Range) -> Samples | Periods:
    """The samples of a test: a row of them, or sums over batches.

    Example:
        >>> samples_of([Outcomes([0, 1], [1]), Outcomes([], [1])], Range(Lift(0.1))).tolist()
        [1, 0]
        >>> samples_of([ArmBatches(Batch(2, 1.0), Batch(4, 4.0))], Range()).sums.tolist()
        [1.5]
    """
    told = list(parts)
    if told and isinstance(told[0], Batch | ArmBatches):
        return _periods(told)
    values = chain.from_iterable(part.values for part in told if isinstance(part, Values))
    row = np.array(list(values), dtype=np.float64)
    arms = [part for part in told if isinstance(part, Outcomes)]
    if arms:
        control = np.array([value for part in arms for value in part.control], dtype=np.float64)
        treated = np.array([value for part in arms for value in part.treatment], dtype=np.float64)
        pairs = min(len(control), len(treated))
        row = treated[:pairs] - control[:pairs]
    return row.astype(np.int8) if isinstance(known.law, Signs | Lift) else row


def period_of(part: Batch | ArmBatches, users: int) -> tuple[int, float, int]:
    """How many samples a batch comes to, their sum, and how many users there then are.

    Where an arm is empty there are no samples.
    """
    if isinstance(part, Batch):
        return part.n, float(part.sum), users
    control, treatment = part.control, part.treatment
    # Half of all users so far, less half of those before: none is lost to rounding.
    before, users = users // 2, users + control.n + treatment.n
    count = users // 2 - before if control.n and treatment.n else 0
    if not count:
        return 0, 0.0, users
    return count, count * (treatment.sum / treatment.n - control.sum / control.n), users


def _periods(told: list[Observations]) -> Periods:
    counts, sums, users = [], [], 0
    for part in told:
        if isinstance(part, Batch | ArmBatches):
            count, total, users = period_of(part, users)
            if count:
                counts.append(count)
                sums.append(total)
    lengths = np.array([len(counts)])
    periods = Periods(lengths, np.array(counts, dtype=np.int64), np.array(sums, dtype=np.float64))
    if not isfinite(float(periods.sums.sum())):
        raise InvalidInput("sums of batches must be finite in all: give samples in larger units")
    return periods
