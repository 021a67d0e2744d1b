"""What programmes lose when writers are killed, or write all at once: it should be nothing.

`python -m benchmarks.durability crash sqlite:///FILE [--kills 300] [--inside-commit]` and
`python -m benchmarks.durability crowd sqlite:///FILE [--processes 4] [--tasks 200]`; an address of
PostgreSQL does as well.
"""

import argparse
import os
import random
import resource
import signal
from collections import Counter
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from time import monotonic, sleep
from typing import NamedTuple

from dwell import Programme, hoeffding
from dwell.programme.events import Abandoned, Begun, Decided, Told

_NAME = "durability"
_POLICIES = hoeffding(caps=[1, 4, 16], c=0.35, tasks=10_000, delta=0.05)
_KEYS = 40  # tellings of a task at most
_MOST_SECONDS = 0.1  # from a writer's first acknowledgement to its end


class Acknowledged(NamedTuple):
    """What a writer was told is durable, when a call returned."""

    task: str
    key: str
    decision: str


class Survived(NamedTuple):
    """What was found after all kills.

    Attributes:
        kills: How many writers were killed.
        acknowledged: How many tellings were acknowledged.
        tellings: How many are in the log.
        events: How many events that is in all.
        decisions: How many decisions were given.
    """

    kills: int
    acknowledged: int
    tellings: int
    events: int
    decisions: int


def create(address: str, name: str = _NAME) -> None:
    """Make the programme, in a process that leaves nothing open behind it."""

    def made() -> None:
        Programme.create(address, name, policies=_POLICIES, setup_cost=5)

    # Compiled code and libraries are loaded here, so that no writer has to wait for them.
    import_module(
        f"dwell.programme.stores.{'sqlite' if address.startswith('sqlite') else 'postgres'}"
    )
    Programme.create("memory:", name, policies=_POLICIES).begin().tell([1] * 16)
    if _waited(_forked(made)):
        raise RuntimeError("the programme could not be created")


def _forked(work: Callable[[], None]) -> int:
    """A process that does some work and ends: nothing of it outlives it."""
    process = os.fork()
    if process == 0:
        status = 1
        try:
            work()
            status = 0
        finally:
            os._exit(status)
    return process


def _waited(process: int) -> int:
    return os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])


def observed(task: str, key: str) -> list[int]:
    """What a task is told under a key: the same whoever tells it."""
    return [random.Random(f"{task} {key}").choice([-1, 1])]


def _write(address: str, first: int, told: int, pipe: int, limit: int | None) -> None:
    """Begin tasks and tell them, one after another, from where the last writer was killed."""
    programme = Programme.open(address, _NAME)
    os.write(pipe, b"\n")
    if limit is not None:
        # A file that grows beyond the limit ends the process within the write: inside a commit.
        signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
        file = Path(address.removeprefix("sqlite:///"))
        size = max(each.stat().st_size for each in file.parent.glob(f"{file.name}*")) + limit
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
    number = first
    while True:
        name = f"{number}"
        open_tasks = {task.name: task for task in programme.tasks()}
        if told == 0 and name not in open_tasks and not _there(programme, name):
            programme.begin(name)
        task = programme.task(name)
        for key in range(told, _KEYS):
            advice = task.tell(observed(name, f"{key}"), key=f"{key}")
            os.write(pipe, f"{name} {key} {advice.decision}\n".encode())
            if advice.done:
                break
        os.write(pipe, f"{name} end -\n".encode())
        number, told = number + 1, 0


def _there(programme: Programme, name: str) -> bool:
    try:
        programme.task(name)
    except ValueError:
        return False
    return True


def crash(address: str, kills: int, seed: int = 0, *, inside_commit: bool = False) -> Survived:
    """Kill writers at random moments, and see that what they were told is durable is there."""
    draw = random.Random(seed)
    create(address)
    acknowledged: list[Acknowledged] = []
    number, told = 0, 0
    for _ in range(kills):
        reading, writing = os.pipe()
        limit = draw.randrange(1, 40_000) if inside_commit else None
        writer = _forked(lambda: _write(address, number, told, writing, limit))  # noqa: B023 - it is over before these change
        os.close(writing)
        lines = b""
        while not lines:
            lines += os.read(reading, 1 << 16)
        if not inside_commit:
            sleep(draw.uniform(0.0, _MOST_SECONDS))
            os.kill(writer, signal.SIGKILL)
        while more := os.read(reading, 1 << 16):
            lines += more
        os.close(reading)
        ended = -_waited(writer)
        if ended not in (signal.SIGKILL, signal.SIGXFSZ):
            raise AssertionError(f"a writer ended by itself: {ended}")
        for line in lines.decode().splitlines():
            if line:
                task, key, decision = line.split()
                if key == "end":
                    number, told = int(task) + 1, 0
                else:
                    acknowledged.append(Acknowledged(task, key, decision))
                    number, told = int(task), int(key) + 1
    return _survived(address, kills, acknowledged)


def _survived(address: str, kills: int, acknowledged: list[Acknowledged]) -> Survived:
    programme = Programme.open(address, _NAME)
    names: dict[int, str] = {}
    told: Counter[tuple[str, str]] = Counter()
    decisions: dict[str, str] = {}
    events = 0
    for position, event in programme.events():
        events = position
        if isinstance(event, Begun):
            names[event.task] = event.name
        elif isinstance(event, Told):
            task, key = names[event.task], event.key or ""
            told[task, key] += 1
            assert event.observations.values == observed(task, key), "what was told is there"  # type: ignore[union-attr]  # they are values
        elif isinstance(event, Decided):
            assert names[event.task] not in decisions, "a decision is given once"
            decisions[names[event.task]] = event.decision
    assert max(told.values()) == 1, "nothing is told twice"
    for task, key, decision in acknowledged:
        assert told[task, key] == 1, f"what was acknowledged is there: {task} {key}"
        assert decision in ("None", decisions.get(task)), "a decision that was given stays"
    # At most one telling of each writer was not acknowledged.
    known = {(each.task, each.key) for each in acknowledged}
    assert len(set(told) - known) <= 1, "a telling that was not acknowledged was told again"
    programme.verify()
    return Survived(kills, len(acknowledged), len(told), events, len(decisions))


class Crowd(NamedTuple):
    """What was found after many wrote at once.

    Attributes:
        processes: How many wrote.
        tasks: How many tasks they began.
        events: How many events there are.
        seconds: How long it took.
    """

    processes: int
    tasks: int
    events: int
    seconds: float


def crowd(address: str, processes: int, tasks: int, *, seed: int = 0) -> Crowd:
    """Let many processes begin, tell and abandon at once, and see that nothing is lost."""
    create(address)
    start = monotonic()
    writers = [
        _forked(lambda: _mix(address, writer, tasks, seed))  # noqa: B023 - the fork has its own
        for writer in range(processes)
    ]
    for writer in writers:
        assert _waited(writer) == 0, "no writer fails"
    seconds = monotonic() - start
    programme = Programme.open(address, _NAME)
    begun: dict[int, str] = {}
    told: Counter[tuple[int, str | None]] = Counter()
    abandoned: set[str] = set()
    events = 0
    for position, event in programme.events():
        events = position
        if isinstance(event, Begun):
            begun[event.task] = event.name
        elif isinstance(event, Told):
            told[event.task, event.key] += 1
        elif isinstance(event, Abandoned):
            abandoned.add(begun[event.task])
    assert sorted(begun.values()) == sorted(
        f"{writer} {task}" for writer in range(processes) for task in range(tasks)
    ), "every task was begun once"
    assert max(told.values()) == 1, "nothing was told twice"
    assert abandoned == {
        f"{writer} {task}" for writer in range(processes) for task in range(3, tasks, 4)
    }, "what was to be abandoned was, and nothing else"
    assert programme.counts.finished + len(abandoned) == len(begun), "all others have finished"
    found = programme.verify()  # the learner's state is that of a sequential replay
    assert found.events == events
    return Crowd(processes, len(begun), events, seconds)


def _mix(address: str, writer: int, tasks: int, seed: int) -> None:
    """Begin tasks, a few at a time, tell them in turns, and abandon every fourth."""
    programme = Programme.open(address, _NAME)
    draw = random.Random(f"{seed} {writer}")
    left, running = list(range(tasks)), dict[int, int]()
    while left or running:
        if left and (len(running) < 3 or draw.random() < 0.2):
            task = left.pop(0)
            programme.begin(f"{writer} {task}")
            running[task] = 0
            continue
        task = draw.choice(sorted(running))
        name, key = f"{writer} {task}", f"{running[task]}"
        if task % 4 == 3:
            programme.task(name).abandon()
            del running[task]
            continue
        running[task] += 1
        advice = programme.task(name).tell(observed(name, key) * 4, key=key)
        if advice.done:
            del running[task]


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.durability", description=__doc__)
    parser.add_argument("what", choices=("crash", "crowd"))
    parser.add_argument("address")
    parser.add_argument("--kills", type=int, default=300)
    parser.add_argument("--inside-commit", action="store_true")
    parser.add_argument("--processes", type=int, default=4)
    parser.add_argument("--tasks", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    asked = parser.parse_args()
    if asked.what == "crash":
        print(crash(asked.address, asked.kills, asked.seed, inside_commit=asked.inside_commit))
    else:
        print(crowd(asked.address, asked.processes, asked.tasks, seed=asked.seed))


if __name__ == "__main__":
    main()
