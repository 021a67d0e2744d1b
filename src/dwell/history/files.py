"""Files: CSV and Parquet, read a piece at a time."""

import csv
import io
from collections.abc import Generator, Sequence
from dataclasses import dataclass
from glob import glob, has_magic
from pathlib import Path
from typing import NamedTuple

import pyarrow as pa
import pyarrow.csv as arrow_csv
import pyarrow.parquet as parquet

from dwell.errors import InvalidInput

_ROWS = 2**17
_HEAD = 2**20
_CSV = (".csv", ".tsv", ".csv.gz", ".tsv.gz")
_PARQUET = (".parquet", ".pq")


@dataclass(frozen=True, slots=True)
class CsvFiles:
    """CSV files, one after the other; cells are read as text.

    Attributes:
        name: What to call them where they are refused.
        paths: Where they are.
        titles: The titles of the first one's columns.
    """

    name: str
    paths: tuple[Path, ...]
    titles: tuple[str, ...]

    def batches(self, titles: Sequence[str]) -> Generator[pa.RecordBatch, None, None]:
        """Some columns of all rows, in the order of the files."""
        before = 0
        for path in self.paths:
            for batch in _csv_batches(path, titles, before):
                before += batch.num_rows
                yield batch


@dataclass(frozen=True, slots=True)
class ParquetFiles:
    """Parquet files, one after the other.

    Attributes:
        name: What to call them where they are refused.
        paths: Where they are.
        titles: The titles of the first one's columns.
    """

    name: str
    paths: tuple[Path, ...]
    titles: tuple[str, ...]

    def batches(self, titles: Sequence[str]) -> Generator[pa.RecordBatch, None, None]:
        """Some columns of all rows, in the order of the files."""
        for path in self.paths:
            try:
                with parquet.ParquetFile(path) as file:
                    _has(titles, file.schema_arrow.names, path)
                    yield from file.iter_batches(_ROWS, columns=list(titles))
            except (pa.ArrowException, OSError) as error:
                raise _faulty(path, "Parquet", error) from None


def files(path: str | Path) -> CsvFiles | ParquetFiles:
    """A file, all files of a folder, or those that a pattern such as `logs/*.parquet` fits.

    They are read in the order of their names, and their rows are counted through.
    """
    name = str(path)
    found = _found(Path(path))
    if all(each.name.lower().endswith(_CSV) for each in found):
        return CsvFiles(name, found, _header(found[0]).titles)
    if not all(each.name.lower().endswith(_PARQUET) for each in found):
        raise InvalidInput(
            f"{name} must be files whose names end in {', '.join(_CSV)} or {', '.join(_PARQUET)}, "
            f"all of one kind, got {', '.join(each.name for each in found[:5])}"
        )
    try:
        return ParquetFiles(name, found, tuple(parquet.read_schema(found[0]).names))
    except (pa.ArrowException, OSError) as error:
        raise _faulty(found[0], "Parquet", error) from None


def _found(path: Path) -> tuple[Path, ...]:
    if path.is_dir():
        inside = sorted(each for each in path.rglob("*") if each.is_file())
        known = tuple(each for each in inside if each.name.lower().endswith(_CSV + _PARQUET))
        if not known:
            raise InvalidInput(f"{path} must hold CSV or Parquet files, got {len(inside)} others")
        return known
    if not path.exists() and has_magic(str(path)):
        matched = tuple(Path(each) for each in sorted(glob(str(path), recursive=True)))
        if not matched:
            raise InvalidInput(f"{path} must fit some files, got none")
        return matched
    if not path.is_file():
        raise InvalidInput(f"{path} must be a file, a folder or a pattern of files, got none there")
    return (path,)


class _Header(NamedTuple):
    titles: tuple[str, ...]
    lines: int  # to skip to pass it
    alone: bool  # whether nothing comes after it


def _header(path: Path) -> _Header:
    try:
        with pa.input_stream(str(path)) as stream:
            text = stream.read(_HEAD).decode("utf-8", "replace").removeprefix("\ufeff")
        lines = csv.reader(io.StringIO(text, newline=""), delimiter=_delimiter(path))
        for skipped, line in enumerate(lines, start=1):
            if line:
                rest = len(text) < _HEAD // 4 and not any(lines)
                return _Header(tuple(title.strip() for title in line), skipped, rest)
    except (csv.Error, pa.ArrowException, OSError) as error:
        raise _faulty(path, "CSV", error) from None
    return _Header((), 0, True)


def _csv_batches(
    path: Path, titles: Sequence[str], before: int
) -> Generator[pa.RecordBatch, None, None]:
    own, skipped, alone = _header(path)
    _has(titles, own, path)
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
        raise _faulty(path, "CSV", error) from None


def _delimiter(path: Path) -> str:
    return "\t" if ".tsv" in path.name.lower() else ","


def _has(titles: Sequence[str], own: Sequence[str], path: Path) -> None:
    for title in titles:
        if title not in own:
            raise InvalidInput(f"{path} must have the column {title} as the files before it")


def _faulty(path: Path, kind: str, error: Exception) -> InvalidInput:
    fault = " ".join(str(error).split())[:200].replace(". ", "; ")
    return InvalidInput(f"{path} must be a {kind} file, got one with this fault: {fault}")
