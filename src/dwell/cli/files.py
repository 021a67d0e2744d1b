"""Files that a command is asked to write or to read."""

import os
from collections.abc import Mapping
from pathlib import Path

from dwell.errors import CannotWrite, InvalidInput
from dwell.files import write_whole


def writable(path: Path, endings: tuple[str, ...], option: str) -> Path:
    """The path, if a file of that name can be written there: asked before anything is computed."""
    if path.suffix.lower() not in endings:
        raise InvalidInput(f"{option} must end in {' or '.join(endings)}, got {str(path)!r}")
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


def writable_folder(path: Path, option: str) -> Path:
    """The path, if it is a folder to write in or can become one: asked before anything else."""
    try:
        there = next(folder for folder in (path, *path.parents) if folder.exists())
        reason = _obstacle(there / "file") if there.is_dir() else f"{there} is a file"
    except OSError as error:  # such as a name that is too long
        reason = error.strerror or str(error)
    if reason:
        raise CannotWrite(f"cannot write into {path}: {reason}; choose another {option}")
    return path


def write_into(folder: Path, texts: Mapping[str, str], option: str) -> None:
    """Write files into a folder, by their names; it is made if there is none."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        reason = error.strerror or str(error)
        raise CannotWrite(f"cannot make {folder}: {reason}; choose another {option}") from error
    for name, text in texts.items():
        write_whole(folder / name, text, option)


def read_text(path: Path, option: str) -> str:
    """What a file of text holds."""
    try:
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        reason = "it is no text in UTF-8"
    except (OSError, ValueError) as error:  # such as a name with a null byte in it
        reason = getattr(error, "strerror", None) or str(error)
    raise InvalidInput(f"cannot read {path}: {reason}; choose another {option}")
