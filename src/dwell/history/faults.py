"""Faults: what to say of a file that cannot be read."""

from collections.abc import Sequence
from pathlib import Path

from dwell.errors import InvalidInput


def require_titles(titles: Sequence[str], own: Sequence[str], path: Path) -> None:
    """Refuse a file that lacks a column which the files before it have."""
    for title in titles:
        if title not in own:
            raise InvalidInput(f"{path} must have the column {title} as the files before it")


def faulty(path: Path, kind: str, error: Exception) -> InvalidInput:
    """The refusal of a file that is not what it should be."""
    fault = " ".join(str(error).split())[:200].replace(". ", "; ")
    return InvalidInput(f"{path} must be a {kind} file, got one with this fault: {fault}")
