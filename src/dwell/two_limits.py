"""Two limits: the family of rules that are tried on past tests, planned with and learned from.

A rule looks from some number of samples on. It ships a test that is so many standard errors above 0
and drops one that is so many below; limits stay as they are, or shrink evenly to 0 at the cap. What
is ahead at the cap, or where a test ends before, is shipped. Fixed sizes are members: their first
look is their cap.
"""

from dataclasses import dataclass
from math import inf, isinf
from typing import Literal, Self

import numpy as np

from dwell import checks
from dwell.arrays import FloatArray, IntArray
from dwell.errors import InvalidInput
from dwell.families import limits_in_words
from dwell.kernels.looks import CONSTANT, ROOT, SHRINKING
from dwell.sparse_policy import SparsePolicy

Shape = Literal["constant", "shrinking", "root"]
_SHAPES: dict[Shape, int] = {"constant": CONSTANT, "shrinking": SHRINKING, "root": ROOT}


@dataclass(frozen=True, slots=True, kw_only=True)
class TwoLimits:
    """A rule of two limits, in standard errors of the test's own mean.

    Attributes:
        first: It does not look before so many samples.
        cap: At so many it decides.
        ship: How far above 0 it ships before the cap.
        drop: How far below 0 it drops before the cap; below 0, what is not even so far above.
        shape: Whether limits are constant, shrink evenly to 0 at the cap, or fall as the root of
            cap / samples does, to `ship` and `drop` at the cap.
        at_cap: At the cap, it ships what is further above 0 than this; infinite to drop it all.
        at_end: And where a test ends before.
        step: It looks once in so many samples; 0 whenever it can.

    Example:
        >>> rule = TwoLimits(first=100, cap=400, ship=2, drop=0, shape="shrinking")
        >>> rule.name
        'ship 2, drop 0, 100 to 400, shrinking'
        >>> rule.policy(np.array([50, 100, 200, 400]), sd=1.0).upper.round(2).tolist()
        [15.0, 14.14, 0.0]
    """

    first: int
    cap: int
    ship: float = inf
    drop: float = inf
    shape: Shape = "constant"
    at_cap: float = 0.0
    at_end: float = 0.0
    step: int = 0

    def __post_init__(self) -> None:
        for name in ("first", "cap"):
            object.__setattr__(self, name, checks.count(name, getattr(self, name)))
        if self.first > self.cap:
            raise InvalidInput(f"first must be at most the cap, {self.cap}, got {self.first}")
        if not self.ship + self.drop > 0.0:
            raise InvalidInput(
                f"the limit to ship must be above the one to drop, got {self.ship:g} above 0 and "
                f"{self.drop:g} below"
            )

    @classmethod
    def fixed(cls, size: int, above: float = 0.0) -> Self:
        """Always draw so many samples, then ship what is further above 0 than `above`."""
        return cls(first=size, cap=size, at_cap=above, at_end=above)

    @property
    def looks_once(self) -> bool:
        """Whether it decides at its first look."""
        return self.first == self.cap

    @property
    def name(self) -> str:
        """What to call it in tables."""
        if self.looks_once:
            return f"fixed {self.cap}" + (f", ship above {self.at_cap:g}" if self.at_cap else "")
        if self.shape == "root":
            return f"{round(self.cap / self.step)} looks to {self.cap}"
        shown = f"ship {self.ship:g}, drop {self.drop:g}, {self.first} to {self.cap}"
        if self.shape == "shrinking":
            shown += ", shrinking"
        return shown + (", drop undecided" if isinf(self.at_cap) else "")

    def words(self, rhythm: str) -> str:
        """What it tells a team to do.

        Args:
            rhythm: When it looks again, after its first look.

        Example:
            >>> TwoLimits.fixed(100).words("")
            'draw 100 samples, then ship what is ahead and drop the rest'
        """
        if self.looks_once:
            ahead = f"more than {_errors(self.at_cap)} ahead" if self.at_cap else "ahead"
            return f"draw {_samples(self.cap)}, then ship what is {ahead} and drop the rest"
        if self.shape == "root":
            return (
                f"look {round(self.cap / self.step)} times on the way to {_samples(self.cap)} and "
                "stop at O'Brien-Fleming limits (5 %, two-sided); drop what is undecided then"
            )
        left = 1.0 - self.first / self.cap if self.shape == "shrinking" else 1.0
        ship, drop = self.ship * left, self.drop * left
        limits = limits_in_words(drop, f"{ship:.3g}", f"{abs(drop):.3g}")
        if self.shape == "shrinking":
            limits += f"; both limits shrink evenly to 0 at {_samples(self.cap)}"
        undecided = "drop what is undecided" if isinf(self.at_cap) else "ship what is ahead"
        return (
            f"look at {_samples(self.first)}, and again {rhythm}: {limits}; {undecided} at "
            f"{_samples(self.cap)} or when the test ends"
        )

    def width(self, samples: IntArray) -> FloatArray:
        """What limits are multiplied by after so many samples."""
        share = samples / self.cap
        if self.shape == "constant":
            return np.ones(len(samples))
        return 1.0 - share if self.shape == "shrinking" else 1.0 / np.sqrt(share)

    def policy(self, grid: IntArray, sd: float) -> SparsePolicy:
        """Its boundaries on the running sum, where one sample has this standard deviation.

        Args:
            grid: After how many samples there are looks, the first and the cap among them.
            sd: The standard deviation of a sample.
        """
        looks = grid[(grid >= self.first) & (grid <= self.cap)]
        if self.step:
            looks = looks[(np.diff(looks // self.step, prepend=0) > 0) | (looks == self.cap)]
        error = sd * np.sqrt(looks)
        with np.errstate(invalid="ignore"):  # of infinite limits that have shrunk to 0: see below
            lower, upper = (
                -self.drop * self.width(looks) * error,
                self.ship * self.width(looks) * error,
            )
        # Who drops all that is undecided still needs a boundary: the limit to ship.
        at_cap = self.ship if isinf(self.at_cap) else self.at_cap
        last = at_cap * error[-1] or np.nextafter(0.0, 1.0)
        lower[-1] = upper[-1] = last
        return SparsePolicy(looks, lower, upper)

    @property
    def steps(self) -> tuple[int, int, int]:
        """How its limits change, as kernels take it."""
        cap = self.cap if self.shape != "constant" else 0
        return _SHAPES[self.shape], cap, self.step

    @property
    def limits(self) -> tuple[float, float, float, float]:
        """Its limits, as kernels take them."""
        return self.ship, self.drop, self.at_cap, self.at_end


def _errors(number: float) -> str:
    return f"{number:g} standard error{'s' * (number != 1.0)}"


def _samples(number: int) -> str:
    return f"{number:,} sample{'s' * (number != 1)}"
