"""Columns: which of them a log of each form has, and what is in them as numbers."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

import numpy as np
import pyarrow as pa
import pyarrow.compute as compute

from dwell import checks
from dwell.arrays import BoolArray, FloatArray, IntArray
from dwell.errors import InvalidInput

Form = Literal["counts", "batches", "two-arm", "raw"]
# Tried in this order where the form is not given.
COLUMNS: dict[Form, tuple[str, ...]] = {
    "counts": ("test", "n_c", "x_c", "n_t", "x_t"),
    "batches": ("test", "period", "n", "mean", "variance"),
    "two-arm": ("test", "arm", "order", "outcome"),
    "raw": ("test", "order", "value"),
}
_OPTIONAL: dict[Form, tuple[str, ...]] = {
    "counts": ("date",),
    "batches": ("arm",),
    "two-arm": ("time", "period"),
}
# What may take the place of a column that is not there.
_INSTEAD: dict[Form, dict[str, tuple[str, ...]]] = {"two-arm": {"order": ("time", "period")}}
FORMS: tuple[Form, ...] = get_args(Form)
Column = Any  # a pyarrow.Array: pyarrow ships no annotations
Kind = Literal["whole", "fraction", "time"]
_NOTHING = ("", "null", "nan", "na", "none", "\\n")
_TYPES: dict[Kind, Sequence[pa.DataType]] = {
    "whole": (pa.int64(),),
    "fraction": (pa.float64(),),
    "time": (pa.timestamp("us"), pa.timestamp("us", "UTC")),
}


def understood_columns(
    titles: Sequence[str], form: Form | None, columns: Mapping[str, str], name: str
) -> tuple[Form, dict[str, str]]:
    """The form of a log, and its title for each column of that form.

    Args:
        titles: The titles of the log's columns.
        form: Its form; None to tell it by the columns.
        columns: Titles that differ from our names: `{"value": "revenue"}`.
        name: What to call the log where it is refused.

    Example:
        >>> understood_columns(["Test", "order", "revenue"], None, {"value": "revenue"}, "log.csv")
        ('raw', {'test': 'Test', 'order': 'order', 'value': 'revenue'})
    """
    if form is not None and form not in FORMS:
        raise InvalidInput(f"form must be one of {', '.join(FORMS)}, got {checks.shown(form)}")
    ours = {column for known in FORMS for column in _all(known)}
    for column, title in columns.items():
        if column not in ours:
            raise InvalidInput(
                f"columns must map names among {', '.join(sorted(ours))}, got "
                f"{checks.shown(column)}"
            )
        if title not in titles:
            raise InvalidInput(
                f"{name} must have the column {checks.shown(title)}, which {column} is mapped to, "
                f"got {_listed(titles)}"
            )
    found = {_plain(title): title for title in reversed(titles)} | dict(columns)
    for candidate in FORMS if form is None else (form,):
        if all(_has(found, candidate, column) for column in COLUMNS[candidate]):
            mapping = {column: found[column] for column in _all(candidate) if column in found}
            for title in mapping.values():
                if list(titles).count(title) > 1:
                    raise InvalidInput(
                        f"{name} must have one column {checks.shown(title)}, got "
                        f"{list(titles).count(title)}"
                    )
            return candidate, mapping
    wanted = FORMS if form is None else (form,)
    choices = "; or ".join(", ".join(COLUMNS[candidate]) for candidate in wanted)
    raise InvalidInput(
        f"{name} must have the columns {choices}, got {_listed(titles)}: map names that differ by "
        "columns"
    )


def _has(found: Mapping[str, str], form: Form, column: str) -> bool:
    instead = _INSTEAD.get(form, {}).get(column, ())
    return any(name in found for name in (column, *instead))


def _all(form: Form) -> tuple[str, ...]:
    return COLUMNS[form] + _OPTIONAL.get(form, ())


def _plain(title: str) -> str:
    return title.strip().lower()


def _listed(titles: Sequence[str]) -> str:
    return checks.shown(", ".join(titles)) if titles else "none"


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


def missing(column: Column) -> BoolArray:
    """Where a column has no value: NULL, NaN, or text that stands for them.

    Example:
        >>> missing(pa.array(["1", "", "NULL", "far", None])).tolist()
        [False, True, True, False, True]
    """
    column = decoded(column)
    absent: BoolArray = column.is_null(nan_is_null=True).to_numpy(zero_copy_only=False)
    if is_text(column):
        plain = compute.utf8_lower(compute.utf8_trim_whitespace(column))
        named = compute.is_in(plain, value_set=pa.array(_NOTHING, plain.type))
        absent = absent | named.to_numpy(zero_copy_only=False)
    return absent


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


def dates(column: Column) -> tuple[IntArray, BoolArray | None]:
    """A column of dates or times in microseconds since 1970, and where it has none; or None.

    Example:
        >>> dates(pa.array(["1970-01-02", "soon"]))
        (array([86400000000,           0]), array([False,  True]))
    """
    column = decoded(column)
    if is_text(column) or pa.types.is_temporal(column.type):
        return Orders("time").read(column)
    return np.zeros(len(column), dtype=np.int64), np.ones(len(column), dtype=np.bool_)


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
        found = cast.to_numpy(zero_copy_only=False) + 0.0  # there is one zero only
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
