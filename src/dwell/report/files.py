"""Files that are written whole or not at all."""

import os
from contextlib import suppress
from pathlib import Path
from threading import get_ident

from dwell.errors import CannotWrite


def write_whole(path: Path, text: str, option: str) -> None:
    """Write a file under another name, then give it its own: nobody ever sees half of it.

    Args:
        path: Where to.
        text: What it is to hold.
        option: What to choose anew if it cannot be written, such as `--out`.
    """
    part = path.parent / f".dwell-{os.getpid()}-{get_ident()}.part"
    try:
        part.write_text(text, encoding="utf-8")
        os.replace(part, path)
    except (OSError, ValueError) as error:  # such as a name with a null byte in it
        reason = getattr(error, "strerror", None) or str(error)
        raise CannotWrite(f"cannot write {path}: {reason}; choose another {option}") from error
    finally:
        with suppress(OSError, ValueError):
            part.unlink()
