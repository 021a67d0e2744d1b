"""Running tests: what a log has of them, period by period and arm by arm.

What past tests are turned into, samples in a row, is enough to replay them. Whoever tells a test
that still runs needs to know each period by a key, and the users of both arms. Rows of users are
added up by period, or by day of their time; counts are of all users so far.
"""

from collections.abc import Iterable, Iterator
from contextlib import closing
from typing import NamedTuple

import numpy as np

from dwell.errors import InvalidInput
from dwell.history.reading.columns import Orders
from dwell.history.reading.forms.arms import comparisons
from dwell.history.reading.forms.batches import with_users
from dwell.history.reading.forms.counts import counted
from dwell.history.reading.log import BLOCK, Log
from dwell.history.reading.ordering import in_order
from dwell.history.reading.quality import Faults, Quality
from dwell.history.reading.rows import Reader, Rows, between, run_starts, whole_tests
from dwell.history.reading.validation import Validator

_DAY = 86_400_000_000  # microseconds


class Sums(NamedTuple):
    """Samples, or users of an arm, by their number, sum and sum of squares."""

    n: int
    sum: float
    sum_squares: float


class Period(NamedTuple):
    """What a test has of a period.

    Attributes:
        key: Which period it is, the same whenever the log is read.
        values: Samples, where there are no arms; None where there are.
        control: Untreated users.
        treatment: Treated users.
    """

    key: str
    values: Sums | None = None
    control: Sums | None = None
    treatment: Sums | None = None


class RunningTest(NamedTuple):
    """A test, and what it has of each period, in order; of counts, one period with all so far."""

    name: str
    periods: list[Period]


def running_tests(log: Log) -> list[RunningTest]:
    """The tests of a log of batches, of users in two arms with their time or period, or of counts.

    Args:
        log: The log.

    Example:
        >>> import pyarrow as pa
        >>> days = {"test": ["red", "red"], "period": [1, 2], "n": [4, 2], "mean": [0.5, 1.0]}
        >>> [test] = running_tests(Log(pa.table({**days, "variance": [0.0, 0.0]})))
        >>> test.name, test.periods[1]
        ('red', Period(key='2', values=Sums(n=2, sum=2.0, sum_squares=2.0), ...))
    """
    if log.form == "raw" or (log.form == "two-arm" and not {"time", "period"} & {*log.columns}):
        raise InvalidInput(
            f"a log of running tests must say when: give batches, counts so far, or users of two "
            f"arms with their time or period, got the form {log.form} with the columns "
            f"{', '.join(log.columns.values())}"
        )
    source = log.opened
    reader = Reader(source, log.columns, Faults(strict=True), log.arms)
    validator = Validator(
        reader,
        log.bounds,
        ties=log.form == "two-arm" and "order" not in log.columns,
        by_period=False,
        within_time=False,
        cumulative=False if log.form == "two-arm" else log.cumulative,
    )
    tests: list[RunningTest] = []
    quality = Quality()
    with closing(reader.parts()) as parts:
        if log.form == "counts":
            return list(_so_far(parts, validator))
        ordered = in_order(parts, log.memory) if log.sort else parts
        for rows in whole_tests(ordered, BLOCK, reader.names, source.name):
            validator.order(rows)
            orders = reader.orders
            if log.form == "two-arm":
                rows, orders = _by_period(rows, log, reader)
            own, found = with_users(rows, validator)
            quality += found
            tests += _tests(own, validator, orders)
    if quality.refusal is not None:
        raise InvalidInput(quality.refusal)
    return tests


def _so_far(parts: Iterable[Rows], validator: Validator) -> Iterator[RunningTest]:
    """Tests by counts of all users so far: an outcome of 0 or 1 is its own square."""
    last = -1
    for part in parts:
        rows = counted(part, last, validator)
        last = max(last, int(part["test"].max(initial=-1)))
        names = validator.names(rows["test"])
        columns = (rows[name].tolist() for name in ("n_c", "x_c", "n_t", "x_t"))
        for name, controls, ones, treated, converted in zip(names, *columns, strict=True):
            arms = Sums(controls, ones, ones), Sums(treated, converted, converted)
            yield RunningTest(name, [Period("", None, *arms)])


def _by_period(rows: Rows, log: Log, reader: Reader) -> tuple[Rows, Orders]:
    """Users added up by test, arm and period, as batches have them; how periods were read."""
    name = "period" if "period" in log.columns else "time"
    first = next(each for each in ("order", "time", "period") if each in log.columns)
    when = rows["order" if name == first else "clock"]
    orders = reader.orders if name == first else reader.clock
    if name == "time":
        if orders.kind != "time":
            raise InvalidInput(
                f"{log.columns[name]} of {reader.source.name} must hold times, to know days by: "
                "name another column by columns, or add one with the period"
            )
        when = when // _DAY * _DAY
    _, ranks = np.unique(when, return_inverse=True)
    groups = (rows["test"] * len(reader.labels) + rows["arm"]) * len(ranks) + ranks
    _, places, group = np.unique(groups, return_index=True, return_inverse=True)
    n = np.bincount(group).astype(np.float64)
    mean = np.bincount(group, rows["outcome"]) / n
    squares = np.bincount(group, (rows["outcome"] - mean[group]) ** 2)
    added: Rows = {each: rows[each][places] for each in ("row", "test", "arm")}
    variance = squares / np.maximum(n - 1.0, 1.0)
    return added | {"order": when[places], "n": n, "mean": mean, "variance": variance}, orders


def _tests(rows: Rows, validator: Validator, orders: Orders) -> Iterator[RunningTest]:
    if "arm" in rows:
        found = comparisons(rows, validator)
        names, rows, starts = found.names, found.rows, found.starts
    else:
        starts = run_starts(rows["test"])
        names = validator.names(rows["test"][starts])
    ends = np.append(starts[1:], len(rows["test"]))
    for name, start, end in zip(names, starts.tolist(), ends.tolist(), strict=True):
        yield RunningTest(name, _periods(between(rows, start, end), orders))


def _periods(rows: Rows, orders: Orders) -> list[Period]:
    n, mean = rows["n"], rows["mean"]
    squares = (n - 1.0) * rows["variance"] + n * mean**2
    sums = [
        Sums(int(count), float(total), float(square))
        for count, total, square in zip(n, n * mean, squares, strict=True)
    ]
    places = rows["order"].tolist()
    if "arm" not in rows:
        return [
            Period(_key(place, orders), values=each)
            for place, each in zip(places, sums, strict=True)
        ]
    arms: dict[int, list[Sums]] = {place: [Sums(0, 0.0, 0.0)] * 2 for place in sorted(places)}
    for place, arm, each in zip(places, rows["arm"].tolist(), sums, strict=True):
        arms[place][arm] = each
    return [
        Period(_key(place, orders), control=control, treatment=treatment)
        for place, (control, treatment) in arms.items()
    ]


def _key(place: int, orders: Orders) -> str:
    """A period as people write it, where it is a day."""
    if orders.kind != "time":
        return str(place)
    return str(np.datetime64(place, "us")).removesuffix("T00:00:00.000000")
