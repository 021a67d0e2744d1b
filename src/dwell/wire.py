"""Structures in the types that JSON knows, and back: dataclasses of numbers and arrays.

What comes back is of the annotated type or is refused: a restored state cannot hold text where an
array of numbers was.
"""

import json
from abc import abstractmethod
from collections.abc import Mapping
from functools import cache
from typing import Any, ClassVar, Self, TypeVar, get_args

import msgspec
import numpy as np

from dwell.errors import InvalidInput

Structure = TypeVar("Structure")
# Which kinds of numbers an array of each kind may be read from.
_READ_FROM = {"f": "fiu", "i": "iu"}


class AsJson:
    """Makes text of what gives a dict, and reads it again; what is not such text is refused.

    Attributes:
        LOOKS_LIKE: What such text looks like, for a refusal.
    """

    __slots__ = ()
    LOOKS_LIKE: ClassVar[str]

    def to_json(self) -> str:
        """Everything needed to make it again, as JSON."""
        return json.dumps(self.to_dict(), allow_nan=False)

    @classmethod
    def from_json(cls, text: str) -> Self:
        """What `to_json` wrote."""
        try:
            return cls.from_dict(json.loads(text, parse_constant=_refuse))
        except InvalidInput:
            raise
        except (LookupError, TypeError, AttributeError, ValueError):
            raise InvalidInput(f"{cls.LOOKS_LIKE}, got {str(text)[:60]!r}") from None

    @abstractmethod
    def to_dict(self) -> dict[str, Any]:
        """The same in types that JSON knows."""

    @classmethod
    @abstractmethod
    def from_dict(cls, fields: Mapping[str, Any]) -> Self:
        """What `to_dict` gave."""


def _refuse(constant: str) -> None:
    """Refuse NaN and Infinity, which nothing here writes."""
    raise ValueError(f"{constant} is no number in JSON")


def plain(structure: object) -> Any:
    """A dataclass as a dict, its arrays as lists.

    Example:
        >>> from dwell.estimate.bounds import Bounds
        >>> plain(Bounds(*np.ones((4, 2))))["cost_low"]
        [1.0, 1.0]
    """
    return msgspec.to_builtins(structure, enc_hook=listed)


def typed(fields: object, kind: type[Structure]) -> Structure:
    """The dataclass that `plain` described; a ValueError if that is none of its kind."""
    return msgspec.convert(fields, kind, dec_hook=_array)


def listed(value: object) -> object:
    """An array as lists: what to do with it where the rest is of types that JSON knows."""
    if isinstance(value, np.ndarray):
        return value.tolist()
    raise NotImplementedError(f"{type(value).__name__} has no form in JSON")


@cache
def _entries_of(kind: Any) -> np.dtype[Any]:
    """The type of the entries of a type of array."""
    entries: np.dtype[Any] = np.dtype(get_args(get_args(kind)[1])[0])
    return entries


def _array(kind: Any, value: object) -> object:
    wanted = _entries_of(kind)
    found = np.array(value)
    if found.size and found.dtype.kind not in _READ_FROM[wanted.kind]:
        raise ValueError(f"an array of {wanted} holds numbers of that kind, got {found.dtype}")
    return found.astype(wanted)
