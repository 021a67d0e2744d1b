"""A dry run over a log, told to people and to programs."""

from collections.abc import Callable
from dataclasses import asdict, replace

from dwell.errors import InvalidInput
from dwell.history.reading.inspection import Inspection
from dwell.history.reading.quality import Fault
from dwell.report.tables import Grid


def tried(found: Inspection, evaluated: Callable[[], object]) -> Inspection:
    """A dry run that promises no more than an evaluation holds: what that refuses is a fault.

    Args:
        found: What was found by reading alone.
        evaluated: Evaluates the same log.

    Example:
        >>> def refuses():
        ...     raise InvalidInput("the log must have 2 tests or more, got 1")
        >>> tried(Inspection("raw"), refuses).usable
        False
    """
    if not found.usable:
        return found
    try:
        evaluated()
    except InvalidInput as error:
        fault = Fault("refused by an evaluation", 1, (), str(error), fatal=True)
        return replace(found, faults=(*found.faults, fault))
    return found


def lines(found: Inspection) -> tuple[str, ...]:
    """What was understood of a log.

    Args:
        found: What the dry run found.

    Example:
        >>> from dwell.history.reading.quality import Quality
        >>> lines(Inspection("raw", {"test": "id", "value": "value"}, quality=Quality(rows=9)))[1]
        'Columns: test (id), value'
    """
    quality = found.quality
    columns = (
        name if name == title else f"{name} ({title})" for name, title in found.columns.items()
    )
    order = "come in order" if found.ordered else "have to be sorted first"
    return (
        f"Form: {found.form or 'could not be told'}",
        f"Columns: {', '.join(columns) or 'could not be told'}",
        f"Rows that can be used: {quality.rows:,}; tests: {quality.tests:,}; samples: "
        f"{quality.samples:,}",
        f"Order: {f'rows {order}' if quality.rows else 'could not be told'}",
        "Faults: " + ("none" if not found.faults else f"{len(found.faults)}, as follows"),
    )


def grid(found: Inspection) -> Grid:
    """What is wrong, a row per fault.

    Args:
        found: What the dry run found.
    """
    cells = (
        (
            fault.sentence,
            "refused" if fault.fatal else "noted",
            f"{fault.count:,}",
            ", ".join(f"{row:,}" for row in fault.rows)
            + (", …" if fault.count > len(fault.rows) > 0 else ""),
        )
        for fault in found.faults
    )
    header = ("what is wrong, where it is first", "it is", "times", "first rows")
    return Grid(header, tuple(cells), left=2, shares=(3, 0, 0, 1))


def about(found: Inspection) -> dict[str, object]:
    """The same for programs.

    Args:
        found: What the dry run found.
    """
    return {
        "usable": found.usable,
        "form": found.form,
        "columns": dict(found.columns),
        "ordered": found.ordered,
        **asdict(found.quality),
        "sample_ratio_p_value": found.quality.sample_ratio_p_value,
        "faults": [asdict(fault) for fault in found.faults],
    }
