"""CSV: files of text, read a piece at a time.

Cells are separated by what the first line has: commas, semicolons, tabs or bars. Text is in UTF-8,
or in UTF-16 if it begins with its mark; it may be compressed by gzip, whatever its name.
"""

import csv
import io
from collections.abc import Generator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.csv as arrow_csv

from dwell.errors import InvalidInput
from dwell.history.reading.quality import require_titles, unreadable

_HEAD = 2**20
_SEPARATORS = (",", ";", "\t", "|")
_GZIP = b"\x1f\x8b"
# By how they begin.
_OTHER_KINDS = {
    b"PK": "an Excel workbook or another archive: save its sheet as CSV",
    b"\xd0\xcf\x11\xe0": "an old Excel workbook: save its sheet as CSV",
    b"PAR1": "a Parquet file: let its name end in .parquet",
    b"BZh": "one compressed by bzip2: unpack it first",
    b"\x28\xb5\x2f\xfd": "one compressed by Zstandard: unpack it first",
    b"SQLite format 3": "a database: give a query and --database",
}


class Header(NamedTuple):
    """The first line of a file that is not empty."""

    titles: tuple[str, ...]
    lines: int  # to skip to pass it
    alone: bool  # whether nothing comes after it
    separator: str = ","
    encoding: str = "utf-8"


@dataclass(frozen=True, slots=True)
class CsvFiles:
    """CSV files, one after the other; cells are read as text.

    Attributes:
        name: What to call them where they are refused.
        paths: Where they are.
        headers: The headers that were read so far: each is read once, when it is first needed.
    """

    name: str
    paths: tuple[Path, ...]
    headers: dict[Path, Header] = field(default_factory=dict, repr=False, compare=False)

    @property
    def titles(self) -> tuple[str, ...]:
        """The titles of the first one's columns."""
        return self._header(self.paths[0]).titles

    def batches(self, titles: Sequence[str]) -> Generator[pa.RecordBatch, None, None]:
        """Some columns of all rows, in the order of the files."""
        before = 0
        for path in self.paths:
            for batch in _rows(path, self._header(path), titles, before):
                before += batch.num_rows
                yield batch

    def _header(self, path: Path) -> Header:
        if path not in self.headers:
            self.headers[path] = _header(path)
        return self.headers[path]


def _header(path: Path) -> Header:
    """A file's header; of an empty file, one without titles."""
    try:
        with _stream(path) as stream:
            head = stream.read(_HEAD)
        encoding = _encoding(path, head)
        text = head.decode(encoding, "replace").removeprefix("\ufeff")
        separator = _separator(path, text)
        lines = csv.reader(io.StringIO(text, newline=""), delimiter=separator)
        for skipped, line in enumerate(lines, start=1):
            if line:
                rest = len(text) < _HEAD // 4 and not any(lines)
                titles = tuple(title.strip() for title in line)
                return Header(titles, skipped, rest, separator, encoding)
    except (csv.Error, pa.ArrowException, OSError) as error:
        raise unreadable(path, "CSV", error) from None
    return Header((), 0, True)


def _stream(path: Path) -> Any:
    """A file's bytes, as they were before they were compressed."""
    with path.open("rb") as file:
        first = file.read(2)
    return pa.input_stream(str(path), compression="gzip" if first == _GZIP else None)


def _encoding(path: Path, head: bytes) -> str:
    """How a file's text is written; what is no text is refused by what it is."""
    for mark, kind in _OTHER_KINDS.items():
        if head.startswith(mark):
            raise InvalidInput(f"{path} must be a CSV file, got {kind}")
    if head.startswith((b"\xff\xfe", b"\xfe\xff")):
        return "utf-16"
    if b"\0" in head[:1000]:
        raise InvalidInput(
            f"{path} must be a CSV file in UTF-8, or in UTF-16 with its mark, got bytes of 0: save "
            "it in UTF-8"
        )
    return "utf-8"


def _separator(path: Path, text: str) -> str:
    """What separates the titles: as the name says, unless the first line is of one piece then."""
    usual = "\t" if ".tsv" in path.name.lower() else ","
    first = next((line for line in text.splitlines() if line.strip()), "")

    def pieces(separator: str) -> int:
        return max(map(len, csv.reader([first], delimiter=separator)), default=0)

    if pieces(usual) > 1:
        return usual
    return max((usual, *_SEPARATORS), key=pieces)


def _rows(
    path: Path, header: Header, titles: Sequence[str], before: int
) -> Generator[pa.RecordBatch, None, None]:
    own, skipped, alone, separator, encoding = header
    require_titles(titles, own, path)
    if alone:
        return
    # Columns go by their places: titles may come twice, or have spaces around them.
    places = [str(own.index(title)) for title in titles]
    ragged: list[arrow_csv.InvalidRow] = []

    def refuse(row: arrow_csv.InvalidRow) -> str:
        ragged.append(row)
        return "error"

    try:
        reader = arrow_csv.open_csv(
            _stream(path),
            read_options=arrow_csv.ReadOptions(
                column_names=[str(place) for place in range(len(own))],
                skip_rows_after_names=skipped,
                use_threads=False,
                encoding=encoding,
            ),
            parse_options=arrow_csv.ParseOptions(
                delimiter=separator, newlines_in_values=True, invalid_row_handler=refuse
            ),
            convert_options=arrow_csv.ConvertOptions(
                column_types=dict.fromkeys(places, pa.string()),
                include_columns=places,
                strings_can_be_null=False,
            ),
        )
        for batch in reader:
            yield batch.rename_columns(list(titles))
    except (pa.ArrowException, OSError) as error:
        if ragged:
            row = ragged[0]
            where = "a row" if row.number is None else f"row {before + row.number - skipped}"
            raise InvalidInput(
                f"{path} must have {row.expected_columns} cells in each row, got "
                f"{row.actual_columns} in {where}"
            ) from None
        raise unreadable(path, "CSV", error) from None
