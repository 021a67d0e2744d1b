"""Export: finished tasks as a log of past tests, in the form that `dwell evaluate` reads."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.csv as arrow_csv
import pyarrow.parquet as arrow_parquet

from dwell.errors import InvalidInput
from dwell.files import whole_file
from dwell.programme.events import Begun, Corrected, Finished, Told
from dwell.programme.journal import Journal
from dwell.programme.observations import ArmBatches, Batch, Observations, Outcomes, Values

Row = dict[str, Any]
# What a spreadsheet takes for the beginning of a formula; and what keeps it from that.
_FORMULA, _TEXT = ("=", "+", "-", "@"), "'"


def export(journal: Journal, path: Path) -> int:
    """Write all finished tasks to a file, and return how many there are.

    Args:
        journal: The programme's log.
        path: A file that ends in .csv or .parquet.
    """
    ending = path.suffix.lower()
    if ending not in (".csv", ".parquet"):
        raise InvalidInput(f"the file must end in .csv or .parquet, got {str(path)!r}")
    names, parts, done = _read(journal)
    if not done:
        raise InvalidInput(
            f"no task of {journal.name!r} has finished yet: there is nothing to write"
        )
    forms = {type(part) for task in done for part in parts[task].values()}
    if len(forms) > 1:
        raise InvalidInput(
            f"tasks of {journal.name!r} were told in {len(forms)} forms; a log has one form"
        )
    shown = plain_text if ending == ".csv" else str
    rows = [row for task in done for row in _rows(shown(names[task]), list(parts[task].values()))]
    table = pa.Table.from_pylist(rows)
    with whole_file(path, "the file") as stream:
        write = arrow_csv.write_csv if ending == ".csv" else _write_parquet
        write(table, stream)
    return len(done)


def plain_text(name: str) -> str:
    """A name in a CSV file, which no spreadsheet takes for a formula; different ones stay so.

    Example:
        >>> plain_text("=1+1"), plain_text("blue"), plain_text("'blue")
        ("'=1+1", 'blue', "''blue")
    """
    return f"{_TEXT}{name}" if name.lstrip().startswith((*_FORMULA, _TEXT)) else name


def _write_parquet(table: pa.Table, stream: Any) -> None:
    arrow_parquet.write_table(table, stream)


def _read(
    journal: Journal,
) -> tuple[dict[int, str], dict[int, dict[str, Observations]], list[int]]:
    """Names of tasks, what they were told, corrected, and which of them are finished."""
    names: dict[int, str] = {}
    parts: dict[int, dict[str, Observations]] = {}
    done: list[int] = []
    for position, event in journal.events():
        match event:
            case Begun(task=task, name=name):
                names[task], parts[task] = name, {}
            case Told(task=task, key=key, observations=observations):
                parts[task][f"#{position}" if key is None else key] = observations
            case Corrected(task=task, key=key, observations=observations):
                parts[task][key] = observations
            case Finished(task=task):
                done.append(task)
    return names, parts, sorted(done)


def _rows(name: str, told: list[Observations]) -> Iterator[Row]:
    """The rows of a test."""
    order = 0
    for period, part in enumerate(told, start=1):
        match part:
            case Values(values):
                for order, value in enumerate(values, start=order + 1):  # noqa: B020 - it goes on
                    yield {"test": name, "order": order, "value": float(value)}
            case Outcomes(control, treatment):
                for arm, outcomes in (("control", control), ("treatment", treatment)):
                    for outcome in outcomes:
                        order += 1
                        yield {
                            "test": name,
                            "arm": arm,
                            "order": order,
                            "outcome": float(outcome),
                        }
            case Batch():
                yield {"test": name, "period": period, **_moments(part)}
            case ArmBatches(control, treatment):
                for arm, batch in (("control", control), ("treatment", treatment)):
                    yield {"test": name, "arm": arm, "period": period, **_moments(batch)}


def _moments(batch: Batch) -> Row:
    mean = batch.sum / max(batch.n, 1)
    variance = None
    if batch.sum_squares is not None and batch.n > 1:
        variance = max(batch.sum_squares - batch.n * mean**2, 0.0) / (batch.n - 1)
    return {"n": batch.n, "mean": mean, "variance": variance}
