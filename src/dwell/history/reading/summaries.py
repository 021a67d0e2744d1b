"""Summaries: what each past test measured as a whole, from any log or from a table of effects.

| columns | the effect of a test |
|---|---|
| effect, standard_error | as it stands |
| n_c, x_c, n_t, x_t | the treatment's rate minus the control's |
| those of another form of a log | the mean of its samples, whatever their order |
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import sqrt
from typing import Any

import numpy as np

from dwell import checks
from dwell.arrays import BoolArray, DateArray, FloatArray, IntArray
from dwell.errors import InvalidInput, NotOrdered
from dwell.fitting import Means, effects_from_counts, steady_errors
from dwell.history.reading.beginnings import beginnings_of
from dwell.history.reading.blocks import PeriodBlock, SampleBlock, chosen
from dwell.history.reading.columns import COLUMNS, dates, decoded, numbers
from dwell.history.reading.counts_block import CountsBlock
from dwell.history.reading.log import Log
from dwell.history.reading.mixed_block import MixedBlock
from dwell.history.reading.quality import Quality
from dwell.history.reading.sources import Source, opened

EFFECTS = ("effect", "standard_error")
_COUNTS = ("n_c", "x_c", "n_t", "x_t")


@dataclass(frozen=True, slots=True)
class Summaries:
    """What past tests measured, an entry each.

    Attributes:
        effects: The effect of each test.
        standard_errors: Their standard errors.
        sd: The standard deviation of one sample, a treated user's outcome minus an untreated
            one's; None where it is not known.
        notes: What was left out.
        base_rate: Of outcomes that are 0 or 1, how often all users together have 1; None where
            that is not known.
        began: When each test began; None where that is not known.
        names: What each test is called; of tables with a row per test, nothing.
    """

    effects: FloatArray
    standard_errors: FloatArray
    sd: float | None = None
    notes: tuple[str, ...] = ()
    base_rate: float | None = None
    began: DateArray | None = None
    names: tuple[str, ...] = ()


def summaries(
    source: object,
    *,
    columns: Mapping[str, str] | None = None,
    arms: tuple[str, ...] | None = None,
    cumulative: bool | None = None,
) -> Summaries:
    """What each past test measured.

    A table of effects, or of counts, has a row per test; a test that it names twice is refused.

    Args:
        source: Whatever a `Log` is read from.
        columns: The table's titles, where they differ from our names: `{"effect": "lift"}`.
        arms: The labels of the control and of one treatment or more; None for the usual ones.
        cumulative: Whether batches have all users since the first period; None to refuse a log
            that looks so.

    Example:
        >>> import pyarrow as pa
        >>> table = pa.table({"Test": ["a", "b"], "effect": [0.5, -1], "standard_error": [1, 2]})
        >>> summaries(table).standard_errors.tolist()
        [1.0, 2.0]
    """
    found, given = opened(source), dict(columns or {})
    titles = _titles(found, given)
    for wanted in (EFFECTS, _COUNTS):
        if all(name in titles for name in wanted):
            read = {name: titles[name] for name in (*wanted, "test", "date") if name in titles}
            table, began = _table(found, read, wanted)
            told = Summaries(table[0], table[1]) if wanted is EFFECTS else _lifts(*table)
            return replace(told, began=began)
    log = Log(found, columns=given, arms=arms, cumulative=cumulative)
    told, times = summaries_of(log), beginnings_of(log)
    return told if times is None else replace(told, began=times.of(told.names))


def summaries_of(log: Log) -> Summaries:
    """What each test of a log measured, but for when it began; of short tests nothing.

    Args:
        log: The log.

    Example:
        >>> import pyarrow as pa
        >>> table = pa.table({"test": ["a", "b"], "n_c": [90, 90], "x_c": [9, 9]})
        >>> table = table.append_column("n_t", [[90, 90]]).append_column("x_t", [[18, 9]])
        >>> found = summaries_of(Log(table))
        >>> found.names, found.effects.tolist()
        (('a', 'b'), [0.1, 0.0])
    """
    try:
        return _counted(log) if log.form == "counts" else _means(log)
    except NotOrdered:
        return summaries_of(replace(log, sort=True))


def _titles(source: Source, columns: Mapping[str, str]) -> dict[str, str]:
    """The table's titles by our names: those that make up one of the forms."""
    forms = (EFFECTS, _COUNTS, *(names for form, names in COLUMNS.items() if form != "counts"))
    ours = list(dict.fromkeys(name for names in forms for name in (*names, "arm", "date")))
    for name, title in columns.items():
        if name not in ours:
            raise InvalidInput(
                f"columns must map names among {', '.join(sorted(ours))}, got {checks.shown(name)}"
            )
        if title not in source.titles:
            raise InvalidInput(
                f"{source.name} must have the column {checks.shown(title)}, which {name} is mapped "
                f"to, got {checks.shown(', '.join(source.titles))}"
            )
    found = {title.strip().lower(): title for title in reversed(source.titles)} | dict(columns)
    if not any(all(name in found for name in names) for names in forms):
        raise InvalidInput(
            f"{source.name} must have the columns {'; or '.join(map(', '.join, forms))}, got "
            f"{checks.shown(', '.join(source.titles))}: map names that differ by columns"
        )
    twice = [found[n] for n in ours if n in found and source.titles.count(found[n]) > 1]
    if twice:
        raise InvalidInput(
            f"{source.name} must have one column {checks.shown(twice[0])}, got "
            f"{source.titles.count(twice[0])}"
        )
    return found


def _table(
    source: Source, titles: Mapping[str, str], wanted: Sequence[str]
) -> tuple[list[FloatArray], DateArray | None]:
    """The columns of a table with a row per test, and when tests began."""
    parts: list[list[FloatArray]] = [[] for _ in wanted]
    began: list[IntArray] = []
    rows_of: dict[str, int] = {}
    before = 0
    for batch in source.batches(list(titles.values())):
        if "test" in titles:
            _refuse_twice(batch.column(titles["test"]), before, source.name, rows_of)
        for part, name in zip(parts, wanted, strict=True):
            part.append(_numbers(batch.column(titles[name]), titles[name], before, source.name))
        if "date" in titles:
            began.append(_dates(batch.column(titles["date"]), titles["date"], before, source.name))
        before += batch.num_rows
    if not before:
        raise InvalidInput(f"{source.name} must have a row per test, got none")
    columns = [np.concatenate(part) for part in parts]
    return columns, np.concatenate(began).astype("datetime64[us]") if began else None


def _numbers(column: Any, title: str, before: int, name: str) -> FloatArray:
    found, bad = numbers(column)
    if bad is not None:
        raise InvalidInput(_cell(column, bad, title, before, name, "a finite number"))
    return found


def _dates(column: Any, title: str, before: int, name: str) -> IntArray:
    found, bad = dates(column)
    if bad is not None:
        what = _cell(column, bad, title, before, name, "a date such as 2026-03-31")
        raise InvalidInput(f"{what}: mend it, or leave the column out")
    return found


def _cell(column: Any, bad: BoolArray, title: str, before: int, name: str, wanted: str) -> str:
    """What is wrong with the first of the bad cells."""
    place = int(bad.argmax())
    got = checks.shown(decoded(column)[place].as_py())
    return f"{title} in row {before + place + 1} of {name} must be {wanted}, got {got}"


def _refuse_twice(column: Any, before: int, name: str, rows_of: dict[str, int]) -> None:
    for row, value in enumerate(decoded(column).to_pylist(), start=before + 1):
        test = str(value).strip()
        if test and value is not None and rows_of.setdefault(test, row) != row:
            raise InvalidInput(
                f"a test must have one row, got test {test} in rows {rows_of[test]} and {row} of "
                f"{name}: leave one of them out"
            )


def _lifts(*counts: FloatArray) -> Summaries:
    lifts = effects_from_counts(*counts)
    sd = sqrt(2.0 * lifts.base_rate * (1.0 - lifts.base_rate)) or None
    return Summaries(lifts.effects, lifts.standard_errors, sd, base_rate=lifts.base_rate)


def _counted(log: Log) -> Summaries:
    """The lifts of counts."""
    names: tuple[str, ...] = ()
    parts = []
    for block in log.blocks():
        assert isinstance(block, CountsBlock)  # there are no others
        kept = block.long_enough()
        names += kept.names
        parts.append(np.hstack([kept.users, kept.ones]))
    control, treated, control_ones, treated_ones = np.vstack(parts).T.astype(np.float64)
    return replace(_lifts(control, control_ones, treated, treated_ones), names=names)


def _means(log: Log) -> Summaries:
    """The means of samples, test by test, with errors that do not go with them."""
    effects, sizes, variances = [], [], []
    names: list[str] = []
    quality, squares, freedom = Quality(), 0.0, 0
    for kept in _parts(log):
        quality += kept.quality
        if not len(kept.names):
            continue
        spread = kept.spread()
        drawn = kept.drawn.astype(np.float64)
        with np.errstate(divide="ignore", invalid="ignore"):
            effect = _sums(kept) / drawn
            variance = spread.squares / spread.degrees_of_freedom / drawn
        used = np.isfinite(effect) & np.isfinite(variance)
        names += chosen(kept.names, used)
        effects.append(effect[used])
        sizes.append(drawn[used])
        variances.append(variance[used])
        squares += float(spread.squares[used].sum())
        freedom += int(spread.degrees_of_freedom[used].sum())
    if quality.refusal is not None:
        raise InvalidInput(f"{log.opened.name} cannot be used: {quality.refusal}")
    if quality.drifts and not log.within_time:
        return _means(replace(log, within_time=True))
    if not squares > 0.0:
        raise InvalidInput("past tests must have samples that differ, got none that have")
    found = np.concatenate(effects)
    sd = sqrt(squares / freedom)
    means = Means(np.concatenate(sizes), np.concatenate(variances), least=sd**2)
    tests = quality.tests
    left_out = tests - len(found)
    notes = (
        f"{left_out:,} of {tests:,} past tests are left out: they have too few samples to say how "
        "noisy they are",
    )
    errors = steady_errors(found, [means])
    return Summaries(found, errors, sd, notes if left_out else (), names=tuple(names))


def _parts(log: Log) -> Iterator[SampleBlock | PeriodBlock]:
    """A log's tests by what is known of them: of two samples or more, or of a period or more."""
    for block in log.blocks():
        found = (block.samples, block.periods) if isinstance(block, MixedBlock) else (block,)
        quality = block.quality
        for part in found:
            assert isinstance(part, SampleBlock | PeriodBlock)  # there are no others
            kept = part.with_at_least(2 if isinstance(part, SampleBlock) else 1)
            yield replace(kept, quality=quality)
            quality = Quality()


def _sums(block: SampleBlock | PeriodBlock) -> FloatArray:
    numbers = block.sums if isinstance(block, PeriodBlock) else block.samples
    return np.add.reduceat(numbers.astype(np.float64), block.starts[:-1])
