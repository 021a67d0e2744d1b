"""Scale: returns on testing as people can read them."""

from dataclasses import dataclass
from math import floor, isfinite, log10

from dwell.arrays import FloatArray
from dwell.report.evaluation.report import Report
from dwell.report.tables import minus

# Where a thousand samples earn less than this, figures are given for a million, and so on.
_TINY = 0.01
_UNITS = {10**6: "million", 10**9: "billion", 10**12: "trillion"}


@dataclass(frozen=True, slots=True)
class Scale:
    """How ROIs are written: per so many samples, with so many decimals.

    Example:
        >>> scale = Scale(1000, 2)
        >>> scale.text(0.02), scale.text(-1e-9), scale.text(0.0123, signed=True)
        ('20.00', '0.00', '+12.30')
        >>> scale.around(0.25, 0.125)
        '250.00 ± 125.00'
    """

    samples: int
    decimals: int

    @classmethod
    def of(cls, report: Report, samples: int | None = None) -> "Scale":
        """One on which the best policy and the current rule have three digits or more.

        Args:
            report: What was found on past tests.
            samples: Per how many samples; None for whatever can be read.
        """
        found = report.found
        most = max(abs(found.current.roi), abs(float(found.roi.max())))
        if samples is None:
            readable = (each for each in (1_000, *_UNITS) if not 0.0 < each * most < _TINY)
            samples = next(readable, max(_UNITS))
        digits = 2 - floor(log10(samples * most)) if most > 0.0 else 0
        return cls(samples, min(max(digits, 0), 9))

    def telling(self, middle: float, reach: float) -> "Scale":
        """The same with as many decimals as it takes to see on which side of 0 an interval ends.

        Example:
            >>> finer = Scale(1, 2).telling(0.289, 0.2851)
            >>> finer.around(0.289, 0.2851), finer.text(0.289 - 0.2851)
            ('0.289 ± 0.285', '0.004')
        """
        ends = (middle - reach, middle + reach)
        for more in range(4):
            finer = Scale(self.samples, self.decimals + more)

            def rounded(number: float, decimals: int = finer.decimals) -> float:
                return round(number * self.samples, decimals)

            told = rounded(middle) - rounded(reach), rounded(middle) + rounded(reach)
            if all(
                _side(a) == _side(b) == _side(rounded(a)) for a, b in zip(ends, told, strict=True)
            ):
                return finer
        return finer

    @property
    def unit(self) -> str:
        """What a figure is counted per."""
        return f"{_UNITS.get(self.samples, f'{self.samples:,}')} samples"

    def text(self, roi: float, *, signed: bool = False) -> str:
        """An ROI in this unit; a dash if there is none."""
        if not isfinite(roi):
            return "-"
        rounded = round(roi * self.samples, self.decimals) + 0.0  # no minus before a zero
        return minus(f"{rounded:{'+' if signed and rounded else ''},.{self.decimals}f}")

    def around(self, middle: float, reach: float, *, signed: bool = False) -> str:
        """An ROI and how far its interval reaches to either side."""
        return f"{self.text(middle, signed=signed)} ± {self.text(reach)}"

    def texts(self, rois: FloatArray, *, signed: bool = False) -> list[str]:
        """Many of them."""
        return [self.text(roi, signed=signed) for roi in rois.tolist()]


def _side(number: float) -> int:
    """On which side of 0 a number lies."""
    return (number > 0.0) - (number < 0.0)
