"""Run replications, in worker processes if there are to be any."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import BrokenExecutor, Executor, ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing import active_children, get_context
from types import FrameType
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from dwell.lab.hostile import AnyWorld
    from dwell.lab.run import Run
    from dwell.learners.learner import Learner


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """A learner to run in a world, for a number of tasks or samples, and how often."""

    learner: Learner
    world: AnyWorld
    tasks: int | None = None
    samples: int | None = None
    overlap: int = 1
    replications: int

    def most_tasks(self, sampled: bool) -> int:
        """How many tasks of a run may have to be drawn; the others enter by their expectation."""
        from dwell.learners.baselines import Fixed
        from dwell.learners.esc_cape import EscCape

        tasks = self.tasks or self.samples or 0
        if sampled:
            return tasks
        if isinstance(self.learner, Fixed):
            return 0
        if isinstance(self.learner, EscCape):  # its search comes on top of what it explores
            return tasks
        return min(tasks, getattr(self.learner, "exploration_cap", tasks))


@dataclass(slots=True)
class Steps:
    """Progress within runs: each is a step, in parts as its tasks are over.

    Attributes:
        most: How many tasks of a run may have to be drawn.
        advance: Told by how much of a run there is progress.
        done: The part of the present run that is over.
    """

    most: int
    advance: Callable[..., None]
    done: float = 0.0

    def over(self, tasks: float) -> None:
        """So many tasks of the present run are over."""
        share = min(1.0, tasks / max(1, self.most))
        self.advance(share - self.done)
        self.done = share

    def end(self) -> None:
        """The present run is over."""
        self.advance(1.0 - self.done)
        self.done = 0.0


@contextmanager
def executor_of(workers: int) -> Iterator[Executor | None]:
    """Worker processes that end with the command, also when it is interrupted."""
    workers = min(workers, os.cpu_count() or 1)
    if workers == 1:
        yield None
        return
    executor = ProcessPoolExecutor(workers, mp_context=get_context("spawn"))
    # Ctrl-C reaches a whole group of processes; workers that are born deaf to it stay silent.
    heard = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        executor.submit(int)
    finally:
        signal.signal(signal.SIGINT, heard)
    told_to_end = signal.signal(signal.SIGTERM, _exit)
    try:
        yield executor
    except BaseException as error:
        for process in active_children():
            process.terminate()
        if isinstance(error, BrokenExecutor):
            raise click.ClickException("a worker process died; use fewer --workers") from error
        raise
    finally:
        signal.signal(signal.SIGTERM, told_to_end)
        executor.shutdown(cancel_futures=True)


def _exit(number: int, _: FrameType | None) -> None:
    sys.exit(128 + number)


def run_all(
    jobs: Sequence[Job],
    *,
    seed: int,
    sampled: bool = False,
    executor: Executor | None,
    advance: Callable[..., None],
) -> Iterator[list[Run]]:
    """The replications of every job in order, with a step of progress after each.

    Every job is handed to the workers at once, before the first one is waited for.
    """
    from dwell.lab.replicate import replicate

    steps = [Steps(job.most_tasks(sampled), advance) for job in jobs]
    started = [
        replicate(
            job.learner,
            job.world,
            job.tasks,
            replications=job.replications,
            rng=seed,
            samples=job.samples,
            sampled=sampled,
            overlap=job.overlap,
            executor=executor,
            advance=step.over,
        )
        for job, step in zip(jobs, steps, strict=True)
    ]
    return _in_order(started, steps)


def _in_order(started: Sequence[Iterator[Run]], steps: Sequence[Steps]) -> Iterator[list[Run]]:
    for runs, step in zip(started, steps, strict=True):
        finished = []
        for run in runs:
            finished.append(run)
            step.end()
        yield finished
