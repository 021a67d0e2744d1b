"""Cells: columns of a log as numbers, and the rows in which they are none."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
import pyarrow as pa
import pyarrow.compute as compute

from dwell.arrays import BoolArray, FloatArray, IntArray

Column = Any  # a pyarrow.Array: pyarrow ships no annotations
Kind = Literal["whole", "fraction", "time"]
_TYPES: dict[Kind, Sequence[pa.DataType]] = {
    "whole": (pa.int64(),),
    "fraction": (pa.float64(),),
    "time": (pa.timestamp("us"), pa.timestamp("us", "UTC")),
}


def decoded(column: Column) -> Column:
    """A column of plain values."""
    if pa.types.is_dictionary(column.type):
        column = column.dictionary_decode()
    # Arrow can do little with views.
    return column.cast(pa.large_string()) if pa.types.is_string_view(column.type) else column


def labels(column: Column) -> Column:
    """A column of names; lists and the like are none."""
    column = decoded(column)
    nested = pa.types.is_nested(column.type)
    return pa.nulls(len(column), pa.string()) if nested else column


def is_text(column: Column) -> bool:
    """Whether a column's values are text."""
    return bool(pa.types.is_string(column.type) or pa.types.is_large_string(column.type))


def numbers(column: Column) -> tuple[FloatArray, BoolArray | None]:
    """A column as numbers, and where it holds no finite one; None if nowhere.

    Example:
        >>> numbers(pa.array(["1", " 2.5", "far", "nan"]))
        (array([1. , 2.5, nan, nan]), array([False, False,  True,  True]))
    """
    column = decoded(column)
    cast = _cast(column, (pa.float64(),))
    if cast.null_count:
        cast = compute.fill_null(cast, float("nan"))
    found: FloatArray = cast.to_numpy(zero_copy_only=False)
    finite = np.isfinite(found)
    return found, None if finite.all() else ~finite


@dataclass(slots=True)
class Orders:
    """A column that says what came first, as whole numbers that increase with it.

    It holds whole numbers, fractions or times: the first rows say which.

    Attributes:
        kind: Which of the three; None before the first rows.

    Example:
        >>> Orders().read(pa.array(["2024-01-31", "2024-02-01", "soon"]))[1]
        array([False, False,  True])
    """

    kind: Kind | None = field(default=None)

    def read(self, column: Column) -> tuple[IntArray, BoolArray | None]:
        """The next rows of the column, and where they cannot be ordered; None if nowhere."""
        column = decoded(column)
        if self.kind is None:
            self.kind = _kind(column)
        cast = _cast(column, _TYPES[self.kind])
        bad: BoolArray | None = None
        if cast.null_count:
            bad = cast.is_null().to_numpy(zero_copy_only=False)
            cast = compute.fill_null(cast, pa.scalar(0).cast(cast.type))
        if self.kind != "fraction":
            return cast.cast(pa.int64()).to_numpy(zero_copy_only=False), bad
        found = cast.to_numpy(zero_copy_only=False) + 0.0  # there is but one zero
        infinite = ~np.isfinite(found)
        if infinite.any():
            bad = infinite if bad is None else bad | infinite
        # The bits of floats increase with them, apart from the sign's.
        bits = found.view(np.int64)
        return np.where(bits >= 0, bits, bits ^ np.int64(2**63 - 1)), bad


def _kind(column: Column) -> Kind:
    if pa.types.is_integer(column.type):
        return "whole"
    if pa.types.is_temporal(column.type):
        return "time"
    if not is_text(column):
        return "fraction"
    # Text: the kind that most of the first rows can be read as.
    kinds: list[Kind] = ["whole", "fraction", "time"]
    first = column[:1000]
    return min(kinds, key=lambda kind: _cast(first, _TYPES[kind]).null_count)


def _cast(column: Column, types: Sequence[pa.DataType]) -> Column:
    """A column as the first type that it can be cast to; null where that cannot be."""
    text = is_text(column)
    for trimmed in (False, True) if text else (False,):
        cells = compute.utf8_trim_whitespace(column) if trimmed else column
        for each in types:
            try:
                return cells.cast(each, safe=text or pa.types.is_integer(each))
            except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
                continue
    if not text:
        return _cell_by_cell(cells, types)
    different = cells.dictionary_encode()
    return _cell_by_cell(different.dictionary, types).take(different.indices)


def _cell_by_cell(column: Column, types: Sequence[pa.DataType]) -> Column:
    """Halves of halves, down to the cells that cannot be cast."""
    for each in types:
        try:
            # As nowhere else: cells with and without a time zone, side by side.
            return column.cast(each, safe=True).cast(types[0])
        except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
            continue
    if len(column) <= 1:
        return pa.nulls(len(column), types[0])
    middle = len(column) // 2
    halves = (_cell_by_cell(half, types) for half in (column[:middle], column[middle:]))
    return pa.concat_arrays(list(halves))
