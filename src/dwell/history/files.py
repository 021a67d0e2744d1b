"""Files: CSV and Parquet, found by a path, a folder or a pattern."""

from glob import glob, has_magic
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as parquet

from dwell.errors import InvalidInput
from dwell.history.csv_files import CsvFiles, header
from dwell.history.faults import faulty
from dwell.history.parquet_files import ParquetFiles

_CSV = (".csv", ".tsv", ".csv.gz", ".tsv.gz")
_PARQUET = (".parquet", ".pq")


def files(path: str | Path) -> CsvFiles | ParquetFiles:
    """A file, all files of a folder, or those that a pattern such as `logs/*.parquet` fits.

    They are read in the order of their names, and their rows are counted through.
    """
    name = str(path)
    found = _found(Path(path))
    if all(each.name.lower().endswith(_CSV) for each in found):
        return CsvFiles(name, found, header(found[0]).titles)
    if not all(each.name.lower().endswith(_PARQUET) for each in found):
        raise InvalidInput(
            f"{name} must be files whose names end in {', '.join(_CSV)} or {', '.join(_PARQUET)}, "
            f"all of one kind, got {', '.join(each.name for each in found[:5])}"
        )
    try:
        return ParquetFiles(name, found, tuple(parquet.read_schema(found[0]).names))
    except (pa.ArrowException, OSError) as error:
        raise faulty(found[0], "Parquet", error) from None


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
