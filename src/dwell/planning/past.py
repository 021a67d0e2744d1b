"""The past: effects of earlier tests from a table, and the prior that fits them."""

import csv
import io
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from math import isfinite, sqrt
from typing import Literal

import numpy as np

from dwell import checks
from dwell.arrays import FloatArray
from dwell.errors import InvalidInput, UncertainPrior
from dwell.fitting import FittedPrior, effects_from_counts, fit_prior
from dwell.fitting.numbers import column
from dwell.priors import Atoms, Normal

_EFFECTS = ("effect", "standard_error")
_COUNTS = ("n_c", "x_c", "n_t", "x_t")
Fit = Literal["normal", "npmle"]


@dataclass(frozen=True, slots=True)
class PastTests:
    """What earlier tests measured.

    Attributes:
        effects: The effect of each test.
        standard_errors: Their standard errors.
        sd: The standard deviation of one sample, a treated user's outcome minus an untreated
            one's; None where only effects are known.
    """

    effects: FloatArray
    standard_errors: FloatArray
    sd: float | None = None

    def __post_init__(self) -> None:
        for name in ("effects", "standard_errors"):
            object.__setattr__(self, name, column(name, getattr(self, name)))
        if self.sd is not None:
            object.__setattr__(self, "sd", checks.positive("sd", self.sd))

    @classmethod
    def from_csv(cls, text: str, name: str) -> "PastTests":
        r"""Read a table with the columns effect and standard_error, or n_c, x_c, n_t and x_t.

        The latter are the users and conversions of control and treatment. Other columns are
        ignored.

        Args:
            text: The table, with the names of its columns first.
            name: What to call it where it is refused.

        Example:
            >>> PastTests.from_csv("effect,standard_error\nfar,1", "past.csv")
            Traceback (most recent call last):
            dwell.errors.InvalidInput: effect in row 1 of past.csv must be a number, got 'far'
        """
        reader = csv.reader(io.StringIO(text.removeprefix("\ufeff")), skipinitialspace=True)
        lines = _lines(reader, name)
        header = [title.strip().lower() for title in next(lines, [])]
        columns = next((c for c in (_EFFECTS, _COUNTS) if set(c) <= set(header)), None)
        if columns is None:
            raise InvalidInput(
                f"{name} must have the columns {', '.join(_EFFECTS)} or {', '.join(_COUNTS)}, got "
                f"{checks.shown(', '.join(header))}"
            )
        rows = [
            [_number(line, header.index(title), title, row, name) for title in columns]
            for row, line in enumerate(lines, start=1)
        ]
        if not rows:
            raise InvalidInput(f"{name} must have a row per test, got none")
        numbers = np.array(rows).T
        if columns is _EFFECTS:
            return cls(numbers[0], numbers[1])
        lifts = effects_from_counts(*numbers)
        return cls(
            lifts.effects,
            lifts.standard_errors,
            sqrt(2.0 * lifts.base_rate * (1.0 - lifts.base_rate)) or None,
        )


def _lines(reader: Iterator[list[str]], name: str) -> Iterator[list[str]]:
    """The lines that hold anything."""
    try:
        yield from (line for line in reader if any(cell.strip() for cell in line))
    except csv.Error as error:
        raise InvalidInput(f"{name} must be a CSV file, got one with this fault: {error}") from None


def _number(line: list[str], column: int, title: str, row: int, name: str) -> float:
    cell = line[column].strip() if column < len(line) else ""
    try:
        number = float(cell)
    except ValueError:
        number = float("nan")
    if not isfinite(number):
        raise InvalidInput(
            f"{title} in row {row} of {name} must be a number, got {checks.shown(cell)}"
        )
    return number


@dataclass(frozen=True, slots=True)
class Fitted:
    """A prior for the past, and how good it is.

    Attributes:
        past: What it was fitted to.
        fit: Which of the two fits is used.
        found: Both fits.
        notes: What to know about them.
    """

    past: PastTests
    fit: Fit
    found: FittedPrior
    notes: tuple[str, ...]

    @property
    def prior(self) -> Normal | Atoms:
        """The prior that is used."""
        return self.found.normal if self.fit == "normal" else self.found.npmle

    def density(self, fit: Fit, effects: FloatArray) -> FloatArray:
        """How dense measured effects should be, by one of the two fits: noise included."""
        if fit == "normal":
            values, weights, spread = np.array([self.found.mean]), np.ones(1), self.found.sd
        else:
            values, weights = np.array(self.found.npmle.values), np.array(self.found.npmle.weights)
            spread = 0.0
        noise = _few(self.past.standard_errors)
        sd = np.hypot(spread, noise)
        z = (effects[:, None, None] - values[:, None]) / sd
        densities = np.exp(-0.5 * z * z) / (sd * np.sqrt(2.0 * np.pi))
        mixed: FloatArray = densities.mean(axis=2) @ weights
        return mixed


def _few(errors: FloatArray, most: int = 200) -> FloatArray:
    """Errors that stand for all of them."""
    return np.quantile(errors, (np.arange(most) + 0.5) / most) if len(errors) > most else errors


def fitted(past: PastTests, fit: Fit = "normal") -> Fitted:
    """Fit a prior to the past.

    Args:
        past: Effects of earlier tests.
        fit: "normal", or "npmle" for a law of any shape.
    """
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always", UncertainPrior)
        found = fit_prior(past.effects, past.standard_errors)
    notes = [str(warning.message) for warning in told]
    if fit == "normal" and found.misfit_p_value < 0.01:
        notes.append(
            f"effects are not quite normal (p = {found.misfit_p_value:.1g}); compare with the fit "
            "npmle, of any shape"
        )
    return Fitted(past, fit, found, tuple(notes))
