"""Files that are written whole or not at all."""

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from errno import EISDIR
from pathlib import Path
from stat import S_ISDIR
from threading import get_ident
from typing import BinaryIO

from dwell.errors import CannotWrite


def write_whole(path: Path, text: str, choice: str) -> None:
    """Write a text file: nobody ever sees half of it.

    Args:
        path: Where to.
        text: What it is to hold.
        choice: What to choose anew if it cannot be written, such as `--out`.

    Example:
        >>> from tempfile import TemporaryDirectory
        >>> with TemporaryDirectory() as folder:
        ...     write_whole(Path(folder, "figures.csv"), "cap,roi", "--out")
        ...     [file.name for file in Path(folder).iterdir()]
        ['figures.csv']
    """
    with whole_file(path, choice) as stream:
        # A name may hold what UTF-8 has no place for.
        stream.write(text.encode(errors="backslashreplace"))


def same_file(one: Path, other: Path) -> bool:
    """Whether two names are of one file: by links too, and also if it is not there yet.

    Example:
        >>> same_file(Path("log.csv"), Path("elsewhere/../log.csv"))
        True
    """
    with suppress(OSError, ValueError):
        return one.samefile(other)
    return _target(one) == _target(other)


@contextmanager
def whole_file(path: Path, choice: str) -> Iterator[BinaryIO]:
    """A stream to a file that gets its name once all is written; after an error there is none.

    Args:
        path: Where to.
        choice: What to choose anew if it cannot be written, such as `--out`.
    """
    target = _target(path)
    part = target.parent / f".dwell-{os.getpid()}-{get_ident()}.part"
    try:
        _require_name(path)
        with part.open("wb") as stream:
            yield stream
        os.replace(part, target)
    except OSError as error:
        reason = error.strerror or str(error)
        raise CannotWrite(f"cannot write {path}: {reason}; choose another {choice}") from error
    finally:
        with suppress(OSError, ValueError):
            part.unlink()


def _target(path: Path) -> Path:
    """What is to be replaced: a link's own target, and not the link."""
    try:
        return Path(os.path.realpath(path))
    except ValueError:  # such as a name with a null byte in it
        return path


def _require_name(path: Path) -> None:
    """Refuse what no file can be called before anything is written under another name."""
    try:
        if S_ISDIR(path.stat().st_mode):
            raise IsADirectoryError(EISDIR, "it is a folder")
    except FileNotFoundError:
        return
    except ValueError as error:  # such as a name with a null byte in it
        raise OSError(str(error)) from None
