"""Running tests: batches as they are in a log, period by period and arm by arm.

What past tests are turned into, samples in a row, is enough to replay them. Whoever tells a test
that still runs needs to know each period by a key, and the users of both arms.
"""

from collections.abc import Iterator
from contextlib import closing
from typing import NamedTuple

import numpy as np

from dwell.errors import InvalidInput
from dwell.history.reading.forms.arms import comparisons
from dwell.history.reading.forms.batches import with_users
from dwell.history.reading.log import BLOCK, Log
from dwell.history.reading.ordering import in_order
from dwell.history.reading.quality import Faults, Quality
from dwell.history.reading.rows import Reader, Rows, between, run_starts, whole_tests
from dwell.history.reading.validation import Validator


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
    """A test, and what it has of each period, in order."""

    name: str
    periods: list[Period]


def running_tests(log: Log) -> list[RunningTest]:
    """The tests of a log of batches.

    Args:
        log: The log.

    Example:
        >>> import pyarrow as pa
        >>> days = {"test": ["red", "red"], "period": [1, 2], "n": [4, 2], "mean": [0.5, 1.0]}
        >>> [test] = running_tests(Log(pa.table({**days, "variance": [0.0, 0.0]})))
        >>> test.name, test.periods[1]
        ('red', Period(key='2', values=Sums(n=2, sum=2.0, sum_squares=2.0), ...))
    """
    if log.form != "batches":
        raise InvalidInput(
            f"a log of running tests must be of the form batches, got {log.form}: group it by "
            "test, arm and day"
        )
    source = log.opened
    reader = Reader(source, log.columns, Faults(strict=True), log.arms)
    validator = Validator(
        reader,
        log.bounds,
        ties=False,
        by_period=False,
        within_time=False,
        cumulative=log.cumulative,
    )
    tests: list[RunningTest] = []
    quality = Quality()
    with closing(reader.parts()) as parts:
        ordered = in_order(parts, log.memory) if log.sort else parts
        for rows in whole_tests(ordered, BLOCK, reader.names, source.name):
            validator.order(rows)
            own, found = with_users(rows, validator)
            quality += found
            tests += _tests(own, validator)
    if quality.refusal is not None:
        raise InvalidInput(quality.refusal)
    return tests


def _tests(rows: Rows, validator: Validator) -> Iterator[RunningTest]:
    if "arm" in rows:
        found = comparisons(rows, validator)
        names, rows, starts = found.names, found.rows, found.starts
    else:
        starts = run_starts(rows["test"])
        names = validator.names(rows["test"][starts])
    ends = np.append(starts[1:], len(rows["test"]))
    for name, start, end in zip(names, starts.tolist(), ends.tolist(), strict=True):
        yield RunningTest(name, _periods(between(rows, start, end), validator))


def _periods(rows: Rows, validator: Validator) -> list[Period]:
    n, mean = rows["n"], rows["mean"]
    squares = (n - 1.0) * rows["variance"] + n * mean**2
    sums = [
        Sums(int(count), float(total), float(square))
        for count, total, square in zip(n, n * mean, squares, strict=True)
    ]
    orders = rows["order"].tolist()
    if "arm" not in rows:
        return [
            Period(_key(order, validator), values=each)
            for order, each in zip(orders, sums, strict=True)
        ]
    arms: dict[int, list[Sums]] = {order: [Sums(0, 0.0, 0.0)] * 2 for order in sorted(orders)}
    for order, arm, each in zip(orders, rows["arm"].tolist(), sums, strict=True):
        arms[order][arm] = each
    return [
        Period(_key(order, validator), control=control, treatment=treatment)
        for order, (control, treatment) in arms.items()
    ]


def _key(order: int, validator: Validator) -> str:
    """A period as people write it, where it is a day."""
    if validator.reader.orders.kind != "time":
        return str(order)
    return str(np.datetime64(order, "us")).removesuffix("T00:00:00.000000")
