"""Numbers, priors and laws as a person types them: the only place where text becomes a number."""

from __future__ import annotations

import re
from contextlib import suppress
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


def _parse(text: str) -> tuple[str, list[str]]:
    match = _NAMED.fullmatch(text)
    name, inside = match.groups() if match else ("", None)
    parts = inside.split(",") if inside and inside.strip() else []
    return name.lower(), [part.strip() for part in parts]
