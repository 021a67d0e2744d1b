"""Inspection: a dry run over a log, what was understood and what is wrong."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import date

from dwell.errors import InvalidInput, NotOrdered
from dwell.history.reading.columns import Form
from dwell.history.reading.log import BLOCK, Log, blocks_of
from dwell.history.reading.quality import Fault, Faults, Quality


@dataclass(frozen=True, slots=True)
class Inspection:
    """What a dry run found.

    Attributes:
        form: The log's form; None if it could not be told.
        columns: The log's titles, by our names.
        ordered: Whether it can be read as it is, or has to be sorted.
        quality: Counts over all rows that can be used.
        faults: What is wrong; those that are not fatal are counted in `quality` too.
    """

    form: Form | None
    columns: Mapping[str, str] = field(default_factory=dict)
    ordered: bool = True
    quality: Quality = field(default_factory=Quality)
    faults: tuple[Fault, ...] = ()

    @property
    def usable(self) -> bool:
        """Whether the log can be used, though perhaps only sorted."""
        return not any(fault.fatal for fault in self.faults)


def check(
    source: object,
    form: Form | None = None,
    columns: Mapping[str, str] | None = None,
    *,
    memory: str = "1GB",
    bounds: tuple[float, float] | None = None,
    arms: tuple[str, ...] | None = None,
    cumulative: bool | None = None,
    since: date | None = None,
) -> Inspection:
    """Read a whole log and say what is wrong with it, with the rows.

    Args:
        source: Where it is, as for `Log`.
        form: Its form; None to tell it by the columns.
        columns: The log's titles, where they differ from our names.
        memory: How much memory ordering may take.
        bounds: From where to where values should lie; None for any.
        arms: The labels of the control and of one treatment or more; None for the usual ones.
        cumulative: Whether batches have all users since the first period; None to refuse a log
            that looks so.
        since: Only tests that began on this day or later; None for all.

    Example:
        >>> import pyarrow as pa
        >>> table = pa.table({"test": [1, 1, 2], "order": [1, 2, 1], "value": ["3", "4", "far"]})
        >>> [fault.sentence for fault in check(table).faults]
        ["value in row 3 of the table must be a finite number, got 'far'"]
    """
    try:
        log = Log(
            source,
            form,
            columns or {},
            memory=memory,
            bounds=bounds,
            arms=arms,
            cumulative=cumulative,
            since=since,
        )
    except InvalidInput as error:
        return Inspection(form, columns or {}, faults=(_unreadable(error),))
    try:
        return _read(log)
    except NotOrdered:
        return replace(_read(replace(log, sort=True)), ordered=False)


def _read(log: Log) -> Inspection:
    noted = Faults(strict=False)
    quality = Quality()
    last: tuple[Fault, ...] = ()
    try:
        for block in blocks_of(log, BLOCK, noted):
            quality += block.quality
    except NotOrdered:
        raise
    except InvalidInput as error:
        last = (_unreadable(error),)
    faults = (*noted.found.values(), *last)
    if quality.refusal is not None:
        faults = (*faults, _unreadable(InvalidInput(quality.refusal)))
    if not quality.rows and not faults:
        faults = (_unreadable(InvalidInput("the log must have a row or more, got none")),)
    return Inspection(log.form, log.columns, quality=quality, faults=faults)


def _unreadable(error: InvalidInput) -> Fault:
    return Fault("unreadable", 1, (), str(error), fatal=True)
