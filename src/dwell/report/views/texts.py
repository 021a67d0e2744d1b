"""Texts of results: digits as figures deserve, and what a notebook makes of a text."""

import re
from math import floor, isfinite, log10

from dwell.report.tables import minus, number

_MINUS = re.compile(r"(?<![\w.)])-(?=\d)")
_MANY = 7  # decimals: then a power of ten is easier to read
_PERCENT = re.compile(r"(?<=\d)%")


def around(middle: float, reach: float) -> str:
    """A figure and how far its interval reaches, to two digits of that.

    Example:
        >>> around(0.0015794, 0.000596), around(12.0, 0.0), around(1234.5, 88.0)
        ('0.00158 ± 0.00060', '12.00', '1,234 ± 88')
    """
    if not (isfinite(reach) and reach > 0.0):
        return minus(number(middle))
    form = _form(reach)
    return polished(f"{middle:{form}} ± {reach:{form}}")


def between(middle: float, low: float, high: float) -> str:
    """A figure and the ends of its interval, to two digits of its width.

    Example:
        >>> between(0.31372, 0.0932, 0.6308), between(3e-7, 2.4e-7, 9.6e-7)
        ('0.31 (0.09 to 0.63)', '3e-07 (2.4e-07 to 9.6e-07)')
    """
    width = high - low
    if not (isfinite(width) and width > 0.0):
        return minus(number(middle))
    form = _form(width)
    return polished(f"{middle:{form}} ({low:{form}} to {high:{form}})")


def _form(width: float) -> str:
    """How to write numbers that are known to so much: two digits of that."""
    decimals = max(0, 1 - floor(log10(width)))
    return f",.{decimals}f" if decimals < _MANY else ".2g"


def polished(text: str) -> str:
    """A text as pages have it: true minus signs, and a space before %.

    Example:
        >>> polished("Normal(-0.1, 0.3): 41.7%").isascii(), polished("p < 0.05, a-1")
        (False, 'p < 0.05, a-1')
    """
    return _PERCENT.sub(" %", _MINUS.sub("\N{MINUS SIGN}", text))


def headed(text: str) -> tuple[str, str]:
    """What stands before the first colon, if that is a few words; and the rest.

    Example:
        >>> headed("What to do: wait."), headed("ROI 2.")
        (('What to do:', 'wait.'), ('', 'ROI 2.'))
    """
    head, colon, rest = text.partition(": ")
    return (f"{head}:", rest) if colon and len(head) <= 40 else ("", text)
