"""Arms: which of a test's labels is the control, and each treatment against it.

A test with several treatments is as many comparisons, which share their control: `test / arm`.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from dwell.arrays import BoolArray, IntArray
from dwell.history.reading.quality import Quality
from dwell.history.reading.rows import Rows, run_starts
from dwell.history.reading.validation import Validator

_LETTERS = frozenset("abcdefgh")


@dataclass(frozen=True, slots=True)
class Sides:
    """The roles of a test's labels; of labels that say nothing of roles, there is no control."""

    control: str | None
    treatments: tuple[str, ...]


def sides_of(labels: Iterable[str]) -> Sides | None:
    """The roles of a test's labels; None if they do not say which is the control.

    A is the control of B, C, …; C that of T; 0 that of 1, 2, …; false that of true.

    Args:
        labels: All of them, in small letters.

    Example:
        >>> sides_of(["b", "a", "c"])
        Sides(control='a', treatments=('b', 'c'))
        >>> sides_of(["c", "t"]).control, sides_of(["b", "c"])
        ('c', None)
    """
    given = sorted(set(labels))
    known = {"c", "a", "0", "false"} & set(given)
    control: str | None = None
    if "control" in given:
        if known:
            return None
        control = "control"
    elif len(given) == 1:
        control = given[0] if known else None
    elif set(given) <= _LETTERS:
        control = "a" if "a" in given else None
    elif all(label.isdigit() for label in given):
        control = "0" if "0" in given else None
    elif len(known) == 1:
        [control] = known
    if control is None and len(given) > 1:
        return None
    return Sides(control, tuple(label for label in given if label != control))


@dataclass(frozen=True, slots=True)
class Comparisons:
    """Treatments and their controls, one comparison after another.

    Attributes:
        names: What they are called: as their tests, or test / arm.
        rows: Rows by comparison, in the log's order; a control's are there once for each
            treatment. The column arm is 1 for treated rows.
        starts: Where each comparison's rows start.
        quality: What was found on the way.
    """

    names: tuple[str, ...]
    rows: Rows
    starts: IntArray
    quality: Quality

    @property
    def numbers(self) -> IntArray:
        """Which comparison each row is of."""
        return np.repeat(
            np.arange(len(self.starts)), np.diff(np.append(self.starts, len(self.rows["test"])))
        )


def comparisons(rows: Rows, validator: Validator) -> Comparisons:
    """Each treatment of each test against its control.

    Args:
        rows: Rows of whole tests, with a column arm that holds numbers of labels.
        validator: What looks the rows over.
    """
    starts = run_starts(rows["test"])
    tests = np.repeat(np.arange(len(starts)), np.diff(np.append(starts, len(rows["test"]))))
    labels = len(validator.reader.labels)
    seen = np.bincount(tests * labels + rows["arm"], minlength=len(starts) * labels)
    there: BoolArray = seen.reshape(len(starts), labels) > 0
    kinds, of_test = np.unique(there, axis=0, return_inverse=True)
    of_test = of_test.ravel()
    roles = [_roles(np.flatnonzero(kind).tolist(), validator) for kind in kinds]
    unclear = np.array([role is None for role in roles], dtype=np.bool_)[of_test]
    if unclear.any():
        _refuse(rows, starts, unclear, there, validator)
    sides = np.full((len(kinds), labels), -1, dtype=np.int8)
    for number, role in enumerate(roles):
        if role is not None:
            sides[number, role.treatments] = 1
            sides[number, role.controls] = 0
    side = sides[of_test[tests], rows["arm"]]
    rows = rows | {"label": rows["arm"], "arm": side, "local": tests}
    others = int(((side < 0) & ~unclear[tests]).sum())
    quality = Quality(rows=int((side >= 0).sum()), other_arms=others)
    if (side < 0).any():
        rows = {name: column[side >= 0] for name, column in rows.items()}
    several = np.array([role is not None and len(role.treatments) > 1 for role in roles])[of_test]
    if several.any():
        return _one_by_one(rows, [roles[kind] for kind in of_test.tolist()], quality, validator)
    first = run_starts(rows["test"])
    names = validator.names(rows["test"][first])
    return Comparisons(names, rows, first, quality)


def _one_by_one(
    rows: Rows, roles: "list[_Roles | None]", quality: Quality, validator: Validator
) -> Comparisons:
    """Comparisons of tests of which some have several treatments."""
    reader = validator.reader
    starts = run_starts(rows["test"])
    parts: list[IntArray] = []
    names: list[str] = []
    shared = 0
    for start, end in pairwise([*starts.tolist(), len(rows["test"])]):
        places = np.arange(start, end)
        role = roles[int(rows["local"][start])]
        name = reader.names[int(rows["test"][start])]
        if role is None or len(role.treatments) < 2:
            parts.append(places)
            names.append(name)
            continue
        control, label = rows["arm"][start:end] == 0, rows["label"][start:end]
        for treatment in role.treatments:
            parts.append(places[control | (label == treatment)])
            names.append(f"{name} / {reader.labels[treatment]}")
            shared += 1
    chosen = np.concatenate(parts)
    used = {name: column[chosen] for name, column in rows.items()}
    lengths = np.array([len(part) for part in parts], dtype=np.int64)
    quality += Quality(shared_controls=shared)
    return Comparisons(tuple(names), used, np.cumsum(lengths) - lengths, quality)


class _Roles(NamedTuple):
    """Numbers of labels: the control's, if there is one, and the treatments'."""

    controls: list[int]
    treatments: list[int]


def _roles(codes: list[int], validator: Validator) -> _Roles | None:
    """The roles of these labels; None if they do not say which is the control."""
    reader = validator.reader
    by_label = {reader.labels[code]: code for code in codes}
    if reader.arms is not None:
        control, treatments = reader.arms[0], [each for each in reader.arms[1:] if each in by_label]
        controls = [by_label[control]] if control in by_label else []
        return _Roles(controls, [by_label[label] for label in treatments])
    lowered = {label.lower(): code for label, code in by_label.items()}
    found = sides_of(lowered)
    if found is None:
        return None
    controls = [] if found.control is None else [lowered[found.control]]
    return _Roles(controls, [lowered[label] for label in found.treatments])


def _refuse(
    rows: Rows, starts: IntArray, which: BoolArray, there: BoolArray, validator: Validator
) -> None:
    reader = validator.reader
    first = int(np.flatnonzero(which)[0])
    labels = ", ".join(reader.labels[code] for code in np.flatnonzero(there[first]))
    row = rows["row"][starts[first]]
    name = reader.names[int(rows["test"][starts[first]])]
    reader.faults.add(
        "arm must tell the control",
        rows["row"][which[np.cumsum(np.diff(rows["test"], prepend=rows["test"][:1]) != 0)]],
        f"the arms of a test must say which is the control, got {labels} in test {name} from row "
        f"{row} of {reader.source.name}: name them by arms, the control first",
    )
