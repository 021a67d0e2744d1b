"""Checks of single values."""

from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from math import inf, nan

import numpy as np
import pytest

from dwell import checks
from tests.refusals import refused

NOT_NUMBERS = [
    *(None, "many", [1], (), 1j, object, np.arange(3.0), np.ones(1)),
    *("3", b"3", bytearray(b"3"), memoryview(b"3"), np.str_("3"), np.array("3"), np.bytes_(b"3")),
    *(True, False, np.True_, np.array(True), np.array("3", dtype=object), np.datetime64(3, "s")),
]


@pytest.mark.parametrize(
    "given", [3, 3.0, np.int8(3), np.float64(3), np.array(3), Fraction(3), Decimal(3)]
)
def test_a_count_is_a_plain_whole_number_of_whatever_type(given: object) -> None:
    """Anything equal to a whole number counts, and becomes an int."""
    counted = checks.count("tasks", given)
    assert type(counted) is int
    assert counted == 3


@pytest.mark.parametrize("given", [10**17 + 1, np.int64(10**17 + 1), 10**18])
def test_a_count_beyond_what_a_float_holds_is_kept_exactly(given: object) -> None:
    """No count is rounded on its way through the check."""
    assert checks.count("tasks", given) == int(given)  # type: ignore[call-overload]  # they all do


@pytest.mark.parametrize("given", [0, -1, 1.5, inf, -inf, nan, 10**400, 1e300, 10**18 + 1000])
def test_what_is_no_count_is_refused(given: float) -> None:
    """Zero, fractions, infinities, NaN and more than 10^18 are no counts."""
    with refused("tasks"):
        checks.count("tasks", given)


def test_the_least_count_is_named() -> None:
    """The refusal says what would have been accepted, and what was given."""
    assert checks.count("tasks", 0, least=0) == 0
    with refused("tasks", ">= 2", 1):
        checks.count("tasks", 1, least=2)


@pytest.mark.parametrize(
    ("check", "bad"),
    [
        (checks.probability, [0, 1, -0.1, 1.1, inf, nan]),
        (checks.positive, [0, -1e-300, inf, nan]),
        (checks.not_negative, [-1e-300, inf, -inf, nan]),
        (checks.finite, [inf, -inf, nan]),
    ],
)
def test_numbers_outside_their_range_are_refused(
    check: Callable[[str, object], float], bad: list[float]
) -> None:
    """Each check names the thing and the value that it refuses."""
    for value in bad:
        with refused("the width", value):
            check("the width", value)


@pytest.mark.parametrize(
    ("check", "good"),
    [
        (checks.probability, [5e-324, 0.5, np.float32(0.25), Decimal("0.5")]),
        (checks.positive, [5e-324, 1, 1e300]),
        (checks.not_negative, [0, 0.0, 3]),
        (checks.finite, [-1e300, 0, 7]),
        (checks.real, [inf, -inf, 0, np.array(0.5)]),
    ],
)
def test_numbers_inside_their_range_come_back_as_floats(
    check: Callable[[str, object], float], good: list[float]
) -> None:
    """What is checked comes back unchanged, as a float."""
    for value in good:
        checked = check("the width", value)
        assert type(checked) is float
        assert checked == float(value)


@pytest.mark.parametrize(
    "check",
    [
        checks.count,
        checks.probability,
        checks.positive,
        checks.not_negative,
        checks.finite,
        checks.real,
    ],
)
@pytest.mark.parametrize("value", NOT_NUMBERS, ids=lambda value: type(value).__name__)
def test_what_is_no_number_is_refused(check: Callable[[str, object], float], value: object) -> None:
    """None, text, truth values and sequences are refused in a sentence, not by Python's errors."""
    with refused("the width"):
        check("the width", value)


def test_a_refusal_stays_one_line_however_long_the_value() -> None:
    """An array prints over many lines, its refusal does not."""
    with refused("tasks"):
        checks.count("tasks", np.arange(1000.0))
