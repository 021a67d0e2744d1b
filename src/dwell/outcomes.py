"""Scan: what each policy would have done on each task."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from dwell import checks
from dwell.arrays import Decisions, Durations, FloatArray, IntArray, Samples, starts_of
from dwell.errors import InvalidInput
from dwell.kernels.crossing import scan_chain
from dwell.policies import AnyPolicy, Policies


@dataclass(frozen=True, slots=True)
class Outcomes:
    """What each policy (a column) did on each task (a row).

    Attributes:
        durations: How many samples it drew.
        decisions: 1 for accept, 0 for reject, -1 where the samples ended before it stopped.
    """

    durations: Durations
    decisions: Decisions


def scan(
    samples: ArrayLike,
    policies: AnyPolicy | Iterable[AnyPolicy],
    lengths: Sequence[int] | IntArray | None = None,
) -> Outcomes:
    """Run policies on recorded samples.

    Policies that differ only in their caps share one pass over the samples.

    Args:
        samples: A row of samples per task; or, with `lengths`, all tasks' samples in one line.
        policies: One policy or many.
        lengths: How many samples each task has, for tasks of unequal length.

    Example:
        >>> from dwell import Policy, Policies
        >>> wide = Policy([-2, -3, 3], [2, 3, 3])
        >>> outcomes = scan([[1, 1, 1], [-1, -1, 1]], Policies([wide.truncated(2), wide]))
        >>> outcomes.durations.tolist(), outcomes.decisions.tolist()
        ([[2, 3], [2, 3]], [[0, 1], [0, 0]])
    """
    policies = Policies.of(policies)
    policies.require_dense()
    flat, starts = _laid_out(samples, lengths)
    equal = lengths is None and len(starts) > 1
    longest = int(starts[1]) if equal else int(np.diff(starts).max(initial=0))
    return _scanned(flat, starts, longest, policies)


def scan_row(row: Samples, policies: Policies) -> Outcomes:
    """Run policies on the samples of one task, which were checked.

    Args:
        row: Its samples, as small whole numbers or as floats.
        policies: The policies.
    """
    policies.require_dense()
    return _scanned(row, np.array([0, len(row)]), len(row), policies)


def _scanned(flat: Samples, starts: IntArray, longest: int, policies: Policies) -> Outcomes:
    shape = (len(starts) - 1, len(policies))
    durations, decisions = _empty(*shape)
    # Sums of so many small whole numbers fit in 32 bits, and so do the boundaries that matter.
    whole = flat.dtype == np.int8 and longest <= 2**24
    for chain in policies.chains:
        shown = max(1, longest)
        lower, upper = chain.whole if whole else chain.ends(shown)
        alone = len(chain.members) == len(policies)
        results = (durations, decisions) if alone else _empty(shape[0], len(chain.members))
        scan_chain(
            flat,
            starts,
            lower[:shown],
            upper[:shown],
            chain.short_caps,
            *results,
        )
        if not alone:
            durations[:, chain.members], decisions[:, chain.members] = results
    for index, rule in policies.rules:
        for task in range(shape[0]):
            row = flat[starts[task] : starts[task + 1]].astype(np.float64)
            if len(row) >= rule.cap:
                durations[task, index], decisions[task, index] = rule.run(row)
            else:
                durations[task, index], decisions[task, index] = len(row), -1
    return Outcomes(durations, decisions)


def _empty(tasks: int, policies: int) -> tuple[Durations, Decisions]:
    return np.empty((tasks, policies), np.int32), np.empty((tasks, policies), np.int8)


def _laid_out(
    samples: ArrayLike, lengths: Sequence[int] | IntArray | None
) -> tuple[Samples, IntArray]:
    """All samples in one line, and where each task starts in it."""
    try:
        table = np.asarray(samples)
    except ValueError:
        raise InvalidInput(
            "samples must have one length for all tasks; for unequal ones give all samples in one "
            "line, and lengths"
        ) from None
    if lengths is None:
        if table.ndim != 2:
            raise InvalidInput(f"samples must have a row per task, got shape {table.shape}")
        starts = np.arange(table.shape[0] + 1, dtype=np.int64) * table.shape[1]
    else:
        counts = _counts(lengths)
        if table.ndim != 1 or counts.ndim != 1:
            raise InvalidInput(
                f"with lengths, samples must be one line of numbers, got shape {table.shape}"
            )
        if counts.min(initial=0) < 0:
            raise InvalidInput(f"lengths must be >= 0, got {counts.min()}")
        if counts.sum() != table.size:
            raise InvalidInput(
                f"lengths must sum to the number of samples, {table.size}, got {counts.sum()}"
            )
        starts = starts_of(counts)
    flat = np.ascontiguousarray(table).reshape(-1)
    if flat.dtype == np.int8:
        return flat, starts
    if flat.dtype.kind not in "iufb":
        raise InvalidInput(f"samples must be numbers, got type {flat.dtype}")
    converted: FloatArray = flat.astype(np.float64, copy=False)
    if not np.isfinite(converted).all():
        at = int(np.flatnonzero(~np.isfinite(converted))[0])
        task = int(np.searchsorted(starts, at, side="right")) - 1
        raise InvalidInput(
            f"samples must be finite, got {converted[at]} as sample {at - starts[task] + 1} of "
            f"task {task + 1}"
        )
    return converted, starts


def _counts(lengths: Sequence[int] | IntArray) -> IntArray:
    try:
        counts = np.asarray(lengths)
        if counts.size and counts.dtype.kind not in "iu":
            raise ValueError("not whole numbers")
    except ValueError:
        raise InvalidInput(
            f"lengths must be whole numbers, one per task, got {checks.shown(lengths)}"
        ) from None
    return counts.astype(np.int64)
