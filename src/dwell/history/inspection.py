"""Inspection: a dry run over a log, what was understood and what is wrong."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from dwell.errors import InvalidInput, NotOrdered
from dwell.history.findings import Findings, Problem
from dwell.history.forms import Form
from dwell.history.log import BLOCK, Log, batches_of, tests_of
from dwell.history.quality import Quality


@dataclass(frozen=True, slots=True)
class Inspection:
    """What a dry run found.

    Attributes:
        form: The log's form; None if it could not be told.
        columns: The log's titles, by our names.
        ordered: Whether it can be read as it is, or has to be sorted.
        quality: Counts over all rows that can be used.
        problems: What is wrong; those that are not fatal are counted in `quality` too.
    """

    form: Form | None
    columns: Mapping[str, str] = field(default_factory=dict)
    ordered: bool = True
    quality: Quality = field(default_factory=Quality)
    problems: tuple[Problem, ...] = ()

    @property
    def usable(self) -> bool:
        """Whether the log can be used, though perhaps only sorted."""
        return not any(problem.fatal for problem in self.problems)


def check(
    source: object,
    form: Form | None = None,
    columns: Mapping[str, str] | None = None,
    *,
    memory: str = "1GB",
    bounds: tuple[float, float] | None = None,
    arms: tuple[str, str] | None = None,
) -> Inspection:
    """Read a whole log and say what is wrong with it, with the rows.

    Args:
        source: Where it is, as for `Log`.
        form: Its form; None to tell it by the columns.
        columns: The log's titles, where they differ from our names.
        memory: How much memory ordering may take.
        bounds: From where to where values should lie; None for any.
        arms: The labels of control and treatment; None for the usual ones.

    Example:
        >>> import pyarrow as pa
        >>> table = pa.table({"test": [1, 1, 2], "order": [1, 2, 1], "value": ["3", "4", "far"]})
        >>> [problem.sentence for problem in check(table).problems]
        ["value in row 3 of the table must be a finite number, got 'far'"]
    """
    try:
        log = Log(source, form, columns or {}, memory=memory, bounds=bounds, arms=arms)
    except InvalidInput as error:
        return Inspection(form, columns or {}, problems=(_unreadable(error),))
    try:
        return _read(log)
    except NotOrdered:
        return replace(_read(replace(log, sort=True)), ordered=False)


def _read(log: Log) -> Inspection:
    findings = Findings(strict=False)
    read = batches_of if log.form == "batches" else tests_of
    quality = Quality()
    faults: tuple[Problem, ...] = ()
    try:
        for block in read(log, BLOCK, findings):
            quality += block.quality
    except NotOrdered:
        raise
    except InvalidInput as error:
        faults = (_unreadable(error),)
    problems = (*findings.problems.values(), *faults)
    if not quality.rows and not problems:
        problems = (_unreadable(InvalidInput("the log must have a row or more, got none")),)
    return Inspection(log.form, log.columns, quality=quality, problems=problems)


def _unreadable(error: InvalidInput) -> Problem:
    return Problem("unreadable", 1, (), str(error), fatal=True)
