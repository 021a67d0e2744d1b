"""Files that a command is asked to write or to read."""

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from glob import glob, has_magic
from pathlib import Path

from dwell.errors import CannotWrite, InvalidInput
from dwell.files import same_file

_TEXT_IN_SQL = re.compile(r"'([^']+)'")


def writable(path: Path, endings: tuple[str, ...], option: str) -> Path:
    """The path, if a file of that name can be written there: asked before anything is computed."""
    if path.suffix.lower() not in endings:
        listed = " or ".join(filter(None, (", ".join(endings[:-1]), endings[-1])))
        raise InvalidInput(f"{option} must end in {listed}, got {str(path)!r}")
    try:
        reason = _obstacle(path)
    except OSError as error:  # such as a name that is too long
        reason = error.strerror or str(error)
    if reason:
        raise CannotWrite(f"cannot write {path}: {reason}; choose another {option}")
    return path


def _obstacle(path: Path) -> str:
    if path.is_dir():
        return "it is a folder"
    if not path.parent.is_dir():
        return f"there is no folder {path.parent}"
    return "" if os.access(path.parent, os.W_OK) else f"the folder {path.parent} is read-only"


def refuse_inputs(outputs: Mapping[str, Path], read: Iterable[str | None]) -> None:
    """Refuse to write what is read: a file, one of a folder or of a pattern, or a link to it.

    Args:
        outputs: The files to write, by the option that named each.
        read: What is to be read: paths, folders, patterns; None is passed over.

    Example:
        >>> refuse_inputs({"--out": Path("logs/new.csv")}, ["logs/*.csv"])
        Traceback (most recent call last):
        dwell.errors.InvalidInput: --out logs/new.csv is among what is read, logs/*.csv; choose \
another file
    """
    for source in filter(None, read):
        for option, path in outputs.items():
            if _holds(source, path):
                among = "what is read" if source == str(path) else f"among what is read, {source}"
                raise InvalidInput(f"{option} {path} is {among}; choose another file")


def files_in(query: str | None) -> Iterator[str]:
    """What a query over DuckDB may read: every text in it could be the name of a file."""
    return (found[1] for found in _TEXT_IN_SQL.finditer(query or ""))


def _holds(source: str, path: Path) -> bool:
    """Whether a file is, or would be, among those that a path, a folder or a pattern means."""
    try:
        if Path(source).is_dir():
            is_log = path.suffix.lower() != ".html"
            return is_log and Path(os.path.realpath(path)).is_relative_to(os.path.realpath(source))
        if not has_magic(source) or Path(source).exists():
            return same_file(Path(source), path)
        there = any(same_file(Path(each), path) for each in glob(source, recursive=True))
        return there or Path(os.path.abspath(path)).match(os.path.abspath(source))
    except (OSError, ValueError):  # no name of a file
        return False
