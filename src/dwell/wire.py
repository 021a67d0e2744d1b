"""Structures in the types that JSON knows, and back: dataclasses of numbers and arrays.

What comes back is of the annotated type or is refused: a restored state cannot hold text where an
array of numbers was.
"""

from typing import Any, TypeVar, get_args

import msgspec
import numpy as np

Structure = TypeVar("Structure")
# Which kinds of numbers an array of each kind may be read from.
_READ_FROM = {"f": "fiu", "i": "iu"}


def plain(structure: object) -> Any:
    """A dataclass as a dict, its arrays as lists.

    Example:
        >>> from dwell.estimate.bounds import Bounds
        >>> plain(Bounds(*np.ones((4, 2))))["cost_low"]
        [1.0, 1.0]
    """
    return msgspec.to_builtins(structure, enc_hook=_listed)


def typed(fields: object, kind: type[Structure]) -> Structure:
    """The dataclass that `plain` described; a ValueError if that is none of its kind."""
    return msgspec.convert(fields, kind, dec_hook=_array)


def _listed(value: object) -> object:
    if isinstance(value, np.ndarray):
        return value.tolist()
    raise NotImplementedError(f"{type(value).__name__} has no form in JSON")


def _array(kind: Any, value: object) -> object:
    wanted: np.dtype[Any] = np.dtype(get_args(get_args(kind)[1])[0])
    found = np.array(value)
    if found.dtype.kind not in _READ_FROM[wanted.kind]:
        raise ValueError(f"an array of {wanted} holds numbers of that kind, got {found.dtype}")
    return found.astype(wanted)
