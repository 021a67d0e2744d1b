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
from dwell.arrays import DateArray, FloatArray
from dwell.errors import InvalidInput, NotOrdered
from dwell.fitting import Means, effects_from_counts, steady_errors
from dwell.history.reading.blocks import PeriodBlock, SampleBlock
from dwell.history.reading.columns import COLUMNS, decoded, numbers
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
    """

    effects: FloatArray
    standard_errors: FloatArray
    sd: float | None = None
    notes: tuple[str, ...] = ()
    base_rate: float | None = None
    began: DateArray | None = None


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
            chosen = {name: titles[name] for name in (*wanted, "test") if name in titles}
            table = _table(found, chosen, wanted)
            return Summaries(table[0], table[1]) if wanted is EFFECTS else _lifts(*table)
    log = Log(found, columns=given, arms=arms, cumulative=cumulative)
    try:
        return _means(log)
    except NotOrdered:
        return _means(replace(log, sort=True))


def _titles(source: Source, columns: Mapping[str, str]) -> dict[str, str]:
    """The table's titles by our names: those that make up one of the forms."""
    forms = (EFFECTS, _COUNTS, *(names for form, names in COLUMNS.items() if form != "counts"))
    ours = list(dict.fromkeys(name for names in forms for name in (*names, "arm")))
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


def _table(source: Source, titles: Mapping[str, str], wanted: Sequence[str]) -> list[FloatArray]:
    """The columns of a table with a row per test."""
    parts: list[list[FloatArray]] = [[] for _ in wanted]
    rows_of: dict[str, int] = {}
    before = 0
    for batch in source.batches(list(titles.values())):
        if "test" in titles:
            _refuse_twice(batch.column(titles["test"]), before, source.name, rows_of)
        for part, name in zip(parts, wanted, strict=True):
            part.append(_numbers(batch.column(titles[name]), titles[name], before, source.name))
        before += batch.num_rows
    if not before:
        raise InvalidInput(f"{source.name} must have a row per test, got none")
    return [np.concatenate(part) for part in parts]


def _numbers(column: Any, title: str, before: int, name: str) -> FloatArray:
    found, bad = numbers(column)
    if bad is not None:
        place = int(bad.argmax())
        got = checks.shown(decoded(column)[place].as_py())
        row = before + place + 1
        raise InvalidInput(f"{title} in row {row} of {name} must be a finite number, got {got}")
    return found


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


def _means(log: Log) -> Summaries:
    """The means of samples, test by test, with errors that do not go with them."""
    effects, sizes, variances = [], [], []
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
    return Summaries(found, steady_errors(found, [means]), sd, notes if left_out else ())


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
