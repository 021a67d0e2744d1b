"""CSV: files of text, read a piece at a time."""

import csv
import io
from collections.abc import Generator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

import pyarrow as pa
import pyarrow.csv as arrow_csv

from dwell.errors import InvalidInput
from dwell.history.reading.quality import require_titles, unreadable

_HEAD = 2**20


class Header(NamedTuple):
    """The first line of a file that is not empty."""

    titles: tuple[str, ...]
    lines: int  # to skip to pass it
    alone: bool  # whether nothing comes after it


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
        with pa.input_stream(str(path)) as stream:
            text = stream.read(_HEAD).decode("utf-8", "replace").removeprefix("\ufeff")
        lines = csv.reader(io.StringIO(text, newline=""), delimiter=_delimiter(path))
        for skipped, line in enumerate(lines, start=1):
            if line:
                rest = len(text) < _HEAD // 4 and not any(lines)
                return Header(tuple(title.strip() for title in line), skipped, rest)
    except (csv.Error, pa.ArrowException, OSError) as error:
        raise unreadable(path, "CSV", error) from None
    return Header((), 0, True)


def _rows(
    path: Path, header: Header, titles: Sequence[str], before: int
) -> Generator[pa.RecordBatch, None, None]:
    own, skipped, alone = header
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
            str(path),
            read_options=arrow_csv.ReadOptions(
                column_names=[str(place) for place in range(len(own))],
                skip_rows_after_names=skipped,
                use_threads=False,
            ),
            parse_options=arrow_csv.ParseOptions(
                delimiter=_delimiter(path), newlines_in_values=True, invalid_row_handler=refuse
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


def _delimiter(path: Path) -> str:
    return "\t" if ".tsv" in path.name.lower() else ","
