"""Logs that somebody sends: kept in a file of ours for a while, never larger than allowed."""

import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import BinaryIO

from dwell.errors import InvalidInput
from dwell.service.problems import TOO_LARGE, Refused

_PIECE = 2**20
# What is packed may be in parts, one after another. Whatever comes after a part is copied for the
# next: few bytes at a time are read, and not too many parts, of which most may be empty.
_PACKED, _MOST_PARTS = 2**16, 2**16
_GZIP, _PARQUET = b"\x1f\x8b", b"PAR1"


@contextmanager
def kept(sent: BinaryIO, most: int) -> Iterator[Path]:
    """A log in a file, by an ending that says what it is; it goes away afterwards.

    Args:
        sent: Its bytes: CSV, perhaps compressed by gzip, or Parquet.
        most: The most bytes that it may have, unpacked.
    """
    with TemporaryDirectory(prefix="dwell-") as folder:
        head = sent.read(len(_PARQUET))
        path = Path(folder, "log.parquet" if head == _PARQUET else "log.csv")
        size = 0
        with path.open("wb") as file:
            for piece in _pieces(head, sent):
                size += len(piece)
                if size > most:
                    raise Refused(
                        TOO_LARGE,
                        f"a log may have at most {most:,} bytes here, unpacked; send one of fewer "
                        "tests, or use `dwell evaluate`",
                    )
                file.write(piece)
        yield path


def _pieces(head: bytes, sent: BinaryIO) -> Iterator[bytes]:
    """The bytes of a log, unpacked a piece at a time."""
    if not head.startswith(_GZIP):
        yield head
        while piece := sent.read(_PIECE):
            yield piece
        return
    unpacking, parts = zlib.decompressobj(wbits=31), 1
    packed = head
    try:
        while packed:
            yield unpacking.decompress(packed, _PIECE)
            packed = unpacking.unconsumed_tail or unpacking.unused_data or sent.read(_PACKED)
            if unpacking.eof:  # what comes then is compressed anew
                unpacking, parts = zlib.decompressobj(wbits=31), parts + 1
                if parts > _MOST_PARTS:
                    raise InvalidInput(
                        f"the log is packed in more than {_MOST_PARTS:,} parts: send it as plain "
                        "CSV"
                    )
    except zlib.error:
        raise InvalidInput("the log cannot be unpacked: send it as plain CSV") from None
