"""How long runs will take, said before they begin where that is long."""

from __future__ import annotations

import os
from collections.abc import Sequence
from time import perf_counter
from typing import TYPE_CHECKING

from dwell.cli.output import note

if TYPE_CHECKING:
    from dwell.cli.running import Job

# Fewer tasks than these take seconds, one after another or side by side: nobody asks for how long.
_SOON, _SOON_OVERLAPPING, _SOON_COMPUTING = 10**8, 10**5, 10**6
_LONG = 60.0
_PILOT = 0.3
_UNITS = (("year", 365.25 * 86400), ("day", 86400), ("hour", 3600), ("minute", 60))


def announce(jobs: Sequence[Job], *, sampled: bool = False, workers: int = 1) -> None:
    """Say how long jobs may take, if that is over a minute."""
    processes = min(workers, os.cpu_count() or 1)
    seconds = sum(_seconds(job, sampled) for job in jobs) / processes
    if seconds > _LONG:
        note(
            f"this may take up to {duration(seconds)}, if no learner settles before; Ctrl-C stops "
            "it, and fewer --tasks or --replications make it shorter"
        )


def _seconds(job: Job, sampled: bool) -> float:
    """What the tasks that may have to be drawn would take, by some of them.

    The first tasks of a run take longest, as there is most to be learned from them: what counts is
    what more of them take.
    """
    from dwell.families import Every
    from dwell.lab.run import simulate

    most = job.most_tasks(sampled)
    soon = _SOON if job.overlap == 1 else _SOON_OVERLAPPING
    if isinstance(job.learner.choices, Every):
        soon = min(soon, _SOON_COMPUTING)
    if most * job.replications <= soon:
        return 0.0
    tasks, taken, each = 250, 0.0, 0.0
    while taken < _PILOT and tasks < most:
        tasks *= 4
        start = perf_counter()
        simulate(job.learner, job.world, tasks, rng=0, sampled=sampled, overlap=job.overlap)
        before, taken = taken, perf_counter() - start
        more = taken - before if taken > 1.2 * before else taken
        each = more / (0.75 * tasks)
    return each * most * job.replications


def duration(seconds: float) -> str:
    """A time in words.

    Example:
        >>> duration(90), duration(7200), duration(1e12)
        ('2 minutes', '2 hours', '31,688 years')
    """
    unit, length = next(pair for pair in _UNITS if seconds >= pair[1])
    count = f"{max(1.0, seconds / length):,.0f}"
    return f"{count} {unit}{'s' * (count != '1')}"
