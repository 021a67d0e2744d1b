"""Priors and laws as a person types them."""

import re

from dwell import checks
from dwell.errors import InvalidInput
from dwell.laws import Gaussian, Law, Lift, Signs
from dwell.priors import Atoms, Beta, Normal, Prior

_NAMED = re.compile(r"\s*(\w+)\s*(?:\((.*)\))?\s*")


def parse_prior(text: str) -> Prior:
    """A prior as a person types it.

    Example:
        >>> parse_prior("Atoms(-0.05:0.9, 0.6:0.1)")
        Atoms(-0.05:0.9, 0.6:0.1)
    """
    name, arguments = _parse(text)
    if name == "atoms":
        pairs = [argument.split(":") for argument in arguments]
        values = [checks.real("each value", pair[0]) for pair in pairs]
        if all(len(pair) == 1 for pair in pairs):
            return Atoms(values)
        if all(len(pair) == 2 for pair in pairs):
            return Atoms(values, [checks.real("each weight", pair[1]) for pair in pairs])
        raise InvalidInput(f"give each atom a weight, as in Atoms(-1:0.5, 1:0.5), got {text!r}")
    if name in ("beta", "normal"):
        match name, [checks.real(f"each argument of {name}", part) for part in arguments]:
            case "beta", [a, b]:
                return Beta(a, b)
            case "normal", [mean, sd]:
                return Normal(mean, sd)
    raise InvalidInput(f"unknown prior {text!r}; use Atoms(…), Beta(a, b) or Normal(m, sd)")


def parse_law(text: str) -> Law:
    """A law of observations as a person types it.

    Example:
        >>> parse_law("Lift(0.012)")
        Lift(0.012)
    """
    name, arguments = _parse(text)
    if name in ("signs", "lift", "gaussian"):
        match name, [checks.real(f"each argument of {name}", part) for part in arguments]:
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
