"""Forms: rows of each form as blocks of tests.

A raw row is a sample; users of two arms make samples, in pairs or within stretches of time; a row
of batches is a period. Counts are not among them: a row may make a block of its own, or many a
single one.
"""

from collections.abc import Callable

import numpy as np

from dwell.history.reading.block import Block
from dwell.history.reading.blocks import SampleBlock
from dwell.history.reading.columns import Form
from dwell.history.reading.forms.batches import batches
from dwell.history.reading.forms.users import users
from dwell.history.reading.quality import Quality
from dwell.history.reading.rows import Rows, run_starts
from dwell.history.reading.validation import Validator


def raw(rows: Rows, validator: Validator) -> SampleBlock:
    """A row is a sample."""
    validator.order(rows)
    starts = run_starts(rows["test"])
    lengths = np.diff(np.append(starts, len(rows["test"])))
    samples = rows["value"]
    return SampleBlock(
        validator.names(rows["test"][starts]),
        lengths,
        samples,
        Quality(
            rows=len(samples),
            tests=len(starts),
            samples=len(samples),
            short_tests=validator.short(lengths, rows, starts),
            constant_tests=validator.constant(samples, lengths, rows, starts),
            gaps=validator.gaps(rows, starts),
            out_of_range=validator.outside(samples, rows),
        ),
    )


MAKERS: dict[Form | None, Callable[[Rows, Validator], Block]] = {
    "raw": raw,
    "two-arm": users,
    "batches": batches,
}
