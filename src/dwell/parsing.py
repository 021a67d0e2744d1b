"""Numbers, caps, priors and laws as a person types them: nowhere else does text become a number."""

from __future__ import annotations

import re
from contextlib import suppress
from datetime import date
from itertools import pairwise
from typing import TYPE_CHECKING

from dwell import checks
from dwell.errors import InvalidInput

if TYPE_CHECKING:
    from dwell.laws import Law
    from dwell.priors import Prior

_NAMED = re.compile(r"\s*(\w+)\s*(?:\((.*)\))?\s*")


def number(name: str, text: str) -> float:
    """A number as a person types it; a whole one stays as exact as it was typed.

    Example:
        >>> number("--sd", "0.16"), number("--tasks", "10_000"), number("--tasks", "1e6")
        (0.16, 10000, 1000000.0)
        >>> number("--sd", "wide")
        Traceback (most recent call last):
        dwell.errors.InvalidInput: --sd must be a number, got 'wide'
    """
    for read in (int, float):
        with suppress(ValueError):
            return read(text)
    raise InvalidInput(f"{name} must be a number, got {checks.shown(text)}")


def whole(name: str, text: str, least: int = 1) -> int:
    """A whole number, as in 1000, 10_000 or 1e6.

    Example:
        >>> whole("--tasks", "1e6"), whole("--tasks", "10_000")
        (1000000, 10000)
    """
    return checks.count(name, number(name, text), least)


def cap(name: str, text: str) -> int:
    """A number of samples that boundaries can be made for."""
    return checks.cap(name, whole(name, text))


def caps(name: str, text: str) -> tuple[int, ...]:
    """Caps as a list, with ranges in it.

    Example:
        >>> caps("--caps", "1:3, 8"), caps("--caps", "2:40:x4")
        ((1, 2, 3, 8), (2, 8, 32))
    """
    found = [cap for part in text.split(",") for cap in _range_of_caps(name, part.strip())]
    for earlier, later in pairwise(found):
        if later < earlier:
            raise InvalidInput(f"{name} must be sorted, got {later} after {earlier}")
    return tuple(found)


def _range_of_caps(name: str, text: str) -> list[int]:
    match text.split(":"):
        case [single]:
            return [_cap(name, single)]
        case [first, last]:
            found = list(range(_cap(name, first), _cap(name, last) + 1))
        case [first, last, factor] if factor.startswith("x"):
            cap, longest = _cap(name, first), _cap(name, last)
            times = whole(f"the factor in {name}", factor[1:], least=2)
            found = []
            while cap <= longest:
                found.append(cap)
                cap *= times
        case _:
            raise InvalidInput(f"{name} must look like 1,2,4 or 1:50 or 1:256:x2, got {text!r}")
    if not found:
        raise InvalidInput(f"a range in {name} must go upwards, got {text!r}")
    return found


def _cap(name: str, text: str) -> int:
    return cap(f"each cap in {name}", text)


def parse_prior(text: str) -> Prior:
    """A prior as a person types it.

    Example:
        >>> parse_prior("Atoms(-0.05:0.9, 0.6:0.1)")
        Atoms(-0.05:0.9, 0.6:0.1)
    """
    from dwell.priors import Atoms, Beta, Normal, StudentT

    name, arguments = _parse(text)
    if name == "atoms":
        pairs = [argument.split(":") for argument in arguments]
        values = [number("each value", pair[0]) for pair in pairs]
        if all(len(pair) == 1 for pair in pairs):
            return Atoms(values)
        if all(len(pair) == 2 for pair in pairs):
            return Atoms(values, [number("each weight", pair[1]) for pair in pairs])
        raise InvalidInput(f"give each atom a weight, as in Atoms(-1:0.5, 1:0.5), got {text!r}")
    if name in ("beta", "normal", "studentt"):
        match name, [number(f"each argument of {name}", part) for part in arguments]:
            case "beta", [a, b]:
                return Beta(a, b)
            case "normal", [mean, sd]:
                return Normal(mean, sd)
            case "studentt", [mean, scale, df]:
                return StudentT(mean, scale, df)
    raise InvalidInput(
        f"unknown prior {text!r}; use Atoms(…), Beta(a, b), Normal(m, sd) or StudentT(m, scale, df)"
    )


def parse_law(text: str) -> Law:
    """A law of observations as a person types it.

    Example:
        >>> parse_law("Lift(0.012)")
        Lift(0.012)
    """
    from dwell.laws import Gaussian, Lift, Signs

    name, arguments = _parse(text)
    if name in ("signs", "lift", "gaussian"):
        match name, [number(f"each argument of {name}", part) for part in arguments]:
            case "signs", []:
                return Signs()
            case "lift", [base_rate]:
                return Lift(base_rate)
            case "gaussian", [sd]:
                return Gaussian(sd)
    raise InvalidInput(f"unknown law {text!r}; use Signs, Lift(base_rate) or Gaussian(sd)")


def titles_of_columns(name: str, text: str) -> dict[str, str]:
    """Titles by our names: value=revenue,test=id."""
    pairs = [part.partition("=") for part in text.split(",")]
    if not all(ours.strip() and title.strip() for ours, _, title in pairs):
        raise InvalidInput(f"{name} must look like value=revenue,test=id, got {checks.shown(text)}")
    return {ours.strip(): title.strip() for ours, _, title in pairs}


def _two(name: str, text: str, example: str) -> tuple[str, str]:
    parts = [part.strip() for part in text.split(",")]
    if len(parts) != 2 or not all(parts):
        raise InvalidInput(f"{name} must look like {example}, got {checks.shown(text)}")
    return parts[0], parts[1]


def bounds(name: str, text: str) -> tuple[float, float]:
    """A lower number and a higher one: -1,1."""
    low, high = (checks.real(name, number(name, end)) for end in _two(name, text, "-1,1"))
    if not low < high:
        raise InvalidInput(f"{name} must be a lower number and a higher one, got {text}")
    return low, high


def day(name: str, text: str) -> date:
    """A day.

    Example:
        >>> day("--since", "2026-03-31")
        datetime.date(2026, 3, 31)
    """
    try:
        return date.fromisoformat(text.strip())
    except ValueError:
        raise InvalidInput(
            f"{name} must be a day such as 2026-03-31, got {checks.shown(text)}"
        ) from None


def labels_of_arms(name: str, text: str) -> tuple[str, ...]:
    """What arms are called, the control first."""
    labels = tuple(part.strip() for part in text.split(","))
    if len(labels) < 2 or not all(labels) or len(set(labels)) < len(labels):
        raise InvalidInput(
            f"{name} must look like control,treatment, the control first and no label twice, got "
            f"{checks.shown(text)}"
        )
    return labels


def _parse(text: str) -> tuple[str, list[str]]:
    match = _NAMED.fullmatch(text)
    name, inside = match.groups() if match else ("", None)
    parts = inside.split(",") if inside and inside.strip() else []
    return name.lower(), [part.strip() for part in parts]
