"""Records: what tasks teach about each policy.

For each candidate policy a record says how long it would have run, whether it would have accepted,
and an unbiased estimate of what it would have earned. The estimate uses only samples that no
decision has seen; those that a policy decided by tell nothing without bias (Lemma 9 of the
paper).
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dwell import checks
from dwell.arrays import BoolArray, Decisions, Durations, FloatArray, IntArray, Samples, starts_of
from dwell.columns import numbers
from dwell.errors import InvalidInput
from dwell.kernels.climbing import means_after, sums_of_first
from dwell.kernels.crossing import tail_means
from dwell.outcomes import Outcomes, scan, scan_row
from dwell.periods import Periods, scan_periods
from dwell.policies import Policies


@dataclass(frozen=True, slots=True)
class Records:
    """A block of tasks (rows) as seen by policies (columns).

    Attributes:
        durations: How many samples each policy would have drawn.
        decisions: Whether it would have accepted.
        estimates: Unbiased estimates of the idea's value from samples that the decision did not
            see, one per policy or one for all; None where no such samples were drawn.
        drawn: How many samples were drawn in each task, or would have to be where they ended early.
        sums: The sum of all samples that were drawn; None where nobody asked for it.
        traits: What they show of their noise, as in `learners.noise_evidence`; None where nobody
            asked for it.
    """

    durations: Durations
    decisions: Decisions
    estimates: FloatArray | None
    drawn: IntArray
    sums: FloatArray | None = None
    traits: FloatArray | None = None

    def __post_init__(self) -> None:
        for name, kind in (("durations", np.int32), ("decisions", np.int8), ("drawn", np.int64)):
            object.__setattr__(self, name, _whole(name, getattr(self, name), kind))
        if self.estimates is not None:
            object.__setattr__(self, "estimates", numbers("estimates", self.estimates))
        shape = self.durations.shape
        if len(shape) != 2:
            raise InvalidInput(
                f"records need a row of durations per task, a column per policy, got shape {shape}"
            )
        if self.decisions.shape != shape or (len(self.drawn),) != shape[:1]:
            raise InvalidInput(f"records need a decision per duration, got {shape} durations")
        if self.estimates is not None and self.estimates.shape not in (shape, (shape[0], 1)):
            raise InvalidInput(
                f"records need an estimate per duration or per task, got {shape} durations and "
                f"{self.estimates.shape} estimates"
            )
        for name, dimensions in (("sums", 1), ("traits", 2)):
            if (given := getattr(self, name)) is not None:
                found = numbers(name, given)
                object.__setattr__(self, name, found)
                if found.ndim != dimensions or len(found) != shape[0]:
                    raise InvalidInput(
                        f"records need {name} of {shape[0]} tasks, got shape {found.shape}"
                    )
                if not np.isfinite(found).all():
                    raise InvalidInput(f"{name} must be finite numbers, got {checks.shown(given)}")

    @property
    def rewards(self) -> FloatArray | None:
        """Unbiased estimates of what each policy would have earned."""
        return None if self.estimates is None else self.decisions * self.estimates

    def __len__(self) -> int:
        return len(self.drawn)

    def first(self, count: int) -> "Records":
        """The records of the first tasks."""
        if count >= len(self):
            return self
        return Records(
            self.durations[:count],
            self.decisions[:count],
            None if self.estimates is None else self.estimates[:count],
            self.drawn[:count],
            None if self.sums is None else self.sums[:count],
            None if self.traits is None else self.traits[:count],
        )

    def of_first(self, policies: int) -> "Records":
        """The records of the first policies alone."""
        if policies == self.durations.shape[1]:
            return self
        estimates = self.estimates
        if estimates is not None and estimates.shape[1] > 1:
            estimates = np.ascontiguousarray(estimates[:, :policies])
        return Records(
            np.ascontiguousarray(self.durations[:, :policies]),
            np.ascontiguousarray(self.decisions[:, :policies]),
            estimates,
            self.drawn,
            self.sums,
            self.traits,
        )

    def replace(self, tasks: IntArray, renewed: "Records") -> None:
        """Put other records in the place of those of some tasks."""
        self.durations[tasks], self.decisions[tasks] = renewed.durations, renewed.decisions
        self.drawn[tasks] = renewed.drawn
        if self.estimates is not None:
            self.estimates[tasks] = renewed.estimates
        for mine, theirs in ((self.sums, renewed.sums), (self.traits, renewed.traits)):
            if mine is not None:
                mine[tasks] = theirs


def _whole(name: str, values: object, kind: type[np.signedinteger[Any]]) -> NDArray[Any]:
    found = np.asarray(values)
    if found.dtype == kind:
        return found
    if found.dtype.kind not in "iu":
        raise InvalidInput(f"{name} must be whole numbers, got {checks.shown(values)}")
    most = np.iinfo(kind).max
    if found.max(initial=0) > most:
        raise InvalidInput(f"{name} must be at most {most:,}, got {found.max():,}")
    return found.astype(kind, copy=False)


def oversampled(samples: Samples, policies: Policies) -> Records:
    """Records of tasks in which twice the longest cap was drawn (Algorithm 1, line 2).

    Args:
        samples: A row per task with 2 D samples, D the cap of the last policy.
        policies: The policies to record.
    """
    outcomes = scan(samples, policies)
    cap = policies.caps[-1]
    return Records(
        durations=outcomes.durations,
        decisions=outcomes.decisions,
        estimates=tail_means(samples, cap, 2 * cap)[:, None],
        drawn=np.full(len(samples), 2 * cap, dtype=np.int64),
    )


def until_stopped(
    samples: Samples,
    policies: Policies,
    extras: int | IntArray = 0,
    *,
    least: int | IntArray = 0,
    sums: bool = False,
) -> Records:
    """Records of tasks that end once all policies have stopped, and `extras` samples later.

    Given the value, samples after a stop are independent of the decision at that stop: accepted
    or not times the mean of the next `extras` is unbiased for what the policy earns. A task that
    it rejects earns exactly 0, so samples are needed after acceptances only.

    Args:
        samples: A row per task; see `unfinished` where rows may be too short.
        policies: The policies to record.
        extras: How many samples after an acceptance to estimate the value from: one number, or one
            per task, and estimates of 0 where that is 0.
        least: How many samples every task draws at least; one number, or one per task.
        sums: Whether to keep the sums of what was drawn.

    Example:
        >>> import numpy as np
        >>> from dwell import fixed
        >>> row = np.array([[1, 1, -1, 1]], dtype=np.int8)
        >>> records = until_stopped(row, Policies([fixed(1, 1), fixed(2, 3)]), extras=2)
        >>> records.estimates.tolist(), records.drawn.tolist()
        ([[0.0, 0.0]], [3])
    """
    return _until_stopped(scan(samples, policies), samples, policies, extras, least, sums)


def row_until_stopped(
    row: Samples, policies: Policies, extras: int, *, least: int, sums: bool
) -> Records:
    """The same of one task, whose samples were checked."""
    outcomes = scan_row(row, policies)
    return _until_stopped(outcomes, row[np.newaxis], policies, extras, least, sums)


def _until_stopped(
    outcomes: Outcomes,
    samples: Samples,
    policies: Policies,
    extras: int | IntArray,
    least: int | IntArray,
    sums: bool,
) -> Records:
    # Policies of one chain accept at the same moment, if at all: one mean serves them all.
    means = np.zeros((len(samples), 1 if policies.one_chain else len(policies)))
    drawn = np.empty(len(samples), dtype=np.int64)
    each = np.full(len(samples), extras, dtype=np.int64)
    means_after(samples, outcomes.durations, outcomes.decisions, each, means, drawn)
    if not isinstance(least, int) or least:
        np.maximum(drawn, least, out=drawn)
    return Records(
        outcomes.durations,
        outcomes.decisions,
        means if np.ndim(extras) or extras else None,
        drawn,
        sums_of_first(samples, drawn) if sums else None,
    )


def at_period_ends(
    periods: Periods,
    policies: Policies,
    *,
    extras: int | IntArray = 0,
    oversamples: bool = False,
    least: int | IntArray = 0,
    sums: bool = False,
) -> Records:
    """Records of tasks that are known by sums over periods: policies look at their ends.

    The value is estimated from whole periods that come after every policy has stopped: one
    estimate serves all. Lengths of periods must not depend on their samples. A policy may draw more
    than its cap, by less than a period; bounds on costs suppose that caps fall on ends of periods.

    Args:
        periods: The tasks; see `unfinished` where they may be too short.
        policies: The policies to record.
        extras: How many samples after an acceptance to estimate the value from, at least: one
            number, or one per task.
        oversamples: Whether to estimate it from as many samples as the largest cap, at least.
        least: How many samples every task draws at least; one number, or one per task.
        sums: Whether to keep the sums of what was drawn.

    Example:
        >>> import numpy as np
        >>> from dwell import fixed
        >>> days = Periods(np.array([3]), np.array([2, 2, 1]), np.array([1.0, -3.0, 0.5]))
        >>> records = at_period_ends(days, Policies([fixed(1)]), extras=3)
        >>> records.durations.tolist(), records.estimates.round(2).tolist(), records.drawn.tolist()
        ([[2]], [[-0.83]], [5])
    """
    outcomes = scan_periods(periods, policies)
    starts, drawn_before = periods.starts, starts_of(periods.counts)
    sum_before = np.zeros(len(periods.sums) + 1)
    periods.sums.cumsum(out=sum_before[1:])
    first, end = drawn_before[starts[:-1]], drawn_before[starts[1:]]

    def period_at(samples: IntArray) -> IntArray:
        """The first period before which a task has drawn so many samples."""
        found: IntArray = drawn_before.searchsorted(np.minimum(first + samples, end))
        return found

    cap = policies.caps[-1]
    if oversamples:
        stopped = period_at(np.full(len(periods), cap))
        wanted = drawn_before[stopped] - first + cap
    else:
        stopped = period_at(outcomes.durations.max(axis=1))
        accepted = (outcomes.decisions == 1).any(axis=1)
        wanted = drawn_before[stopped] - first + extras * accepted
    last = period_at(wanted)
    after = drawn_before[last] - drawn_before[stopped]
    means = (sum_before[last] - sum_before[stopped]) / np.maximum(after, 1)
    wanted = np.maximum(wanted, least)
    last = period_at(wanted)
    return Records(
        _whole("durations", outcomes.durations, np.int32),
        outcomes.decisions,
        means[:, np.newaxis] if np.ndim(extras) or extras or oversamples else None,
        np.maximum(drawn_before[last] - first, wanted),
        sum_before[last] - sum_before[starts[:-1]] if sums else None,
    )


def unfinished(records: Records, samples: int | IntArray) -> BoolArray:
    """Which tasks want more samples than they have."""
    return (records.decisions < 0).any(axis=1) | (records.drawn > samples)
