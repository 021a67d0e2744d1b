"""The desk of a programme: what many tell at the same time is written together, and kept apart."""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from threading import Event
from typing import Any, TypeVar

import pytest

from dwell import AsyncClient, Batch, Lift, Programme, fixed
from dwell.errors import CannotWrite, Clash, NotThere
from dwell.pools.fitted import FittedPool
from dwell.programme.advice import Advice
from dwell.programme.events import Begun, Told
from dwell.programme.stores.memory import MemoryStore
from dwell.programme.stores.protocol import Entry, Turn
from dwell.programme.stores.sqlite import SqliteStore
from dwell.programme.telling import Telling
from dwell.service.app import create_app
from dwell.service.desk import Desk, Queues
from dwell.service.settings import Settings
from tests.serving import served

T = TypeVar("T")
Outcome = Advice | BaseException


class Gated(MemoryStore):
    """A store whose appends wait until they are let go.

    Attributes:
        let_go: Whether they are.
        reached: Whether one has come.
        sizes: How many entries were appended at each time.
        broken: Whether commits fail.
    """

    def __init__(self) -> None:
        super().__init__()
        self.let_go = Event()
        self.let_go.set()
        self.reached = Event()
        self.sizes: list[int] = []
        self.broken = False

    def append(
        self, name: str, after: int, entries: Sequence[Entry], snapshot: str | None = None
    ) -> None:
        """Append entries, when it is let."""
        self.reached.set()
        assert self.let_go.wait(10.0)
        if self.broken:
            raise CannotWrite("the disk is full; make room")
        super().append(name, after, entries, snapshot)
        self.sizes.append(len(entries))

    async def is_reached(self) -> None:
        """Wait until something is to be appended."""
        self.reached.clear()
        while not self.reached.is_set():
            await asyncio.sleep(0.001)


def opened(tasks: int) -> tuple[Gated, Programme]:
    """A programme with tasks that want many samples."""
    store = Gated()
    programme = Programme.create(store, "checkout", policies=fixed(1000, 1))
    for number in range(1, tasks + 1):
        programme.begin(f"task {number}")
    store.sizes.clear()
    return store, programme


def together(store: Gated, desk: Desk, first: Telling, *others: Telling) -> list[Outcome]:
    """What comes of tellings of which all but the first wait until the store is let go."""

    async def told() -> list[Outcome]:
        store.let_go.clear()
        begun = asyncio.ensure_future(desk.tell(first))
        await store.is_reached()
        waiting = [asyncio.ensure_future(desk.tell(each)) for each in others]
        await asyncio.sleep(0)
        store.let_go.set()
        return await asyncio.gather(begun, *waiting, return_exceptions=True)

    return asyncio.run(told())


def told_in(programme: Programme) -> list[tuple[int, str | None]]:
    """Which task was told under which key, in the order of the log."""
    return [(event.task, event.key) for _, event in programme.events() if isinstance(event, Told)]


def test_what_waits_is_written_in_one_transaction() -> None:
    """One commit for the first, and one for all that came meanwhile, in the order they came in."""
    store, programme = opened(6)
    tellings = [Telling(f"task {number}", [1, -1], key="monday") for number in range(1, 7)]
    outcomes = together(store, Desk(programme, Queues(), lambda: 0.0), *tellings)
    assert all(isinstance(each, Advice) and each.wants == 998 for each in outcomes)
    assert store.sizes == [1, 5]
    assert told_in(programme) == [(number, "monday") for number in range(1, 7)]


def test_a_telling_that_is_refused_does_no_harm_to_the_others() -> None:
    """Each is told by itself then; who told wrongly hears what is wrong, and nobody else does."""
    store, programme = opened(4)
    desk = Desk(programme, Queues(), lambda: 0.0)
    outcomes = together(
        *(store, desk),
        Telling("task 1", [1], key="a"),
        Telling("task 2", [1], key="a"),
        Telling("nobody", [1], key="a"),
        Telling("task 3", [1], key="a"),
        Telling("task 3", [-1], key="a"),
        Telling("task 3", [1], key="a"),
        Telling("task 4", [1], key="a"),
    )
    wrong = {place: type(each) for place, each in enumerate(outcomes) if type(each) is not Advice}
    assert wrong == {2: NotThere, 4: Clash}
    assert told_in(programme) == [(number, "a") for number in range(1, 5)]


def test_the_same_twice_among_what_waits_is_told_once() -> None:
    """Somebody who asked again before the first answer came hears the same."""
    store, programme = opened(2)
    again = [Telling("task 2", [1, 1], key="a")] * 3
    outcomes = together(
        store, Desk(programme, Queues(), lambda: 0.0), Telling("task 1", [1]), *again
    )
    assert [each.wants for each in outcomes if isinstance(each, Advice)] == [999, 998, 998, 998]
    assert store.sizes == [1, 1]


def test_nobody_is_answered_with_success_if_the_commit_fails() -> None:
    """All who waited hear the same sentence, the log has none of it, and later ones are written."""
    store, programme = opened(4)
    desk = Desk(programme, Queues(), lambda: 0.0)
    tellings = [Telling(f"task {number}", [1], key="a") for number in range(1, 5)]
    store.broken = True
    outcomes = together(store, desk, *tellings)
    assert {(type(each), str(each)) for each in outcomes} == {
        (CannotWrite, "the disk is full; make room")
    }
    assert told_in(programme) == []
    store.broken = False
    assert all(isinstance(each, Advice) for each in together(store, desk, *tellings))
    assert sorted(told_in(programme)) == [(number, "a") for number in range(1, 5)]


def test_who_has_gone_leaves_what_they_told() -> None:
    """A connection that breaks while it waits takes nobody else's answer with it."""
    store, programme = opened(3)
    desk = Desk(programme, Queues(), lambda: 0.0)

    async def told() -> list[Outcome]:
        store.let_go.clear()
        asked = [asyncio.ensure_future(desk.tell(Telling(f"task {n}", [1]))) for n in (1, 2, 3)]
        await store.is_reached()
        asked[1].cancel()
        store.let_go.set()
        return await asyncio.gather(*asked, return_exceptions=True)

    kinds = [type(each) for each in asyncio.run(told())]
    assert kinds == [Advice, asyncio.CancelledError, Advice]
    assert [task for task, _ in told_in(programme)] == [1, 2, 3]


def test_many_clients_at_once_find_all_they_told_in_the_log_once() -> None:
    """Over HTTP: 12 clients, 10 tellings each; every telling is there once, in fewer commits."""
    store = Gated()
    app = create_app(Settings(requests_per_second=1e6), store)
    Programme.create(store, "checkout", policies=fixed(1000, 1))

    async def one(url: str, number: int) -> None:
        async with AsyncClient(url) as client:
            task = await (await client.programme("checkout")).begin(f"task {number}")
            for day in range(10):
                advice = await task.tell([1, -1, 1], key=f"{day}")
                assert advice.wants == 1000 - 3 * (day + 1) == (await task.advice).wants

    async def crowd(url: str) -> None:
        await asyncio.gather(*(one(url, number) for number in range(12)))

    with served(app) as url:
        asyncio.run(crowd(url))
    programme = Programme.open(store, "checkout")
    names = {event.task: event.name for _, event in programme.events() if isinstance(event, Begun)}
    told = sorted((names[task], key) for task, key in told_in(programme))
    assert told == sorted((f"task {n}", f"{day}") for n in range(12) for day in range(10))
    assert len(store.sizes) < sum(store.sizes)
    programme.verify()


def test_a_forecast_is_made_once_for_what_a_task_was_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """Read again it is the same; told more, or corrected, it is another one."""
    made = 0
    ahead = FittedPool.ahead

    def counted(*given: Any) -> Any:
        nonlocal made
        made += 1
        return ahead(*given)

    monkeypatch.setattr(FittedPool, "ahead", counted)
    programme = Programme.create("memory:", "checkout", law=Lift(0.1), cap=2000, setup_cost=500)
    task, desk = programme.begin("blue"), Desk(programme, Queues(), lambda: 0.0)

    def read() -> Any:
        return run(lambda: desk.advice("blue")).forecast

    first = read()
    assert first == read()
    assert made == 1
    run(lambda: desk.tell(Telling("blue", None, Batch(20, 2), Batch(20, 3), "a")))
    assert made == 1  # to tell makes none
    second = read()
    assert second == read() == task.advice.forecast != first
    task.correct("a", control=Batch(20, 4), treatment=Batch(20, 1))
    assert read() == task.advice.forecast != second


def run(asked: Callable[[], Awaitable[T]]) -> T:
    """What comes of something that is awaited."""

    async def awaited() -> T:
        return await asked()

    done: Coroutine[Any, Any, T] = awaited()
    return asyncio.run(done)


class Counted(SqliteStore):
    """A store that counts what is appended in one transaction, and may fail at its end.

    Attributes:
        reached: Whether somebody has come who wants their turn …
        let_go: … and whether they get it.
    """

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self.transactions: list[list[str]] = []
        self.broken = False
        self.reached, self.let_go = Event(), Event()
        self.let_go.set()

    @contextmanager
    def turn(self, after: Mapping[str, int]) -> Iterator[Turn]:
        """Append to several logs."""
        self.reached.set()
        assert self.let_go.wait(10.0)
        with super().turn(after) as turn:
            yield turn
            if self.broken and after:
                raise CannotWrite("the disk is full; make room")
        if after:
            self.transactions.append(sorted(each.name for each in turn.added))


def several(path: Path, names: str) -> tuple[Counted, dict[str, Desk]]:
    """Desks of programmes of a store, each with a task that is called blue."""
    store, queues = Counted(path / "tests.db"), Queues()
    desks = {}
    for name in names:
        programme = Programme.create(store, name, policies=fixed(1000, 1))
        programme.begin("blue")
        desks[name] = Desk(programme, queues, lambda: 0.0)
    return store, desks


def all_at_once(*asked: Coroutine[Any, Any, Advice]) -> list[Outcome]:
    """What comes of things that are asked at the same time."""

    async def answers() -> list[Outcome]:
        return await asyncio.gather(*asked, return_exceptions=True)

    return asyncio.run(answers())


def test_what_waits_for_several_programmes_is_one_transaction(tmp_path: Path) -> None:
    """Tellings and beginnings alike; each programme's log has its own, and nothing else."""
    store, desks = several(tmp_path, "abc")
    told = [desk.tell(Telling("blue", [1], key="monday")) for desk in desks.values()]
    outcomes = all_at_once(*told, desks["a"].begin("red"), desks["a"].begin("green"))
    assert [each.wants for each in outcomes if isinstance(each, Advice)] == [999] * 3 + [1000] * 2
    assert store.transactions == [["a", "a", "a", "b", "c"]]
    read = all_at_once(*(desk.advice("blue") for desk in desks.values()))
    assert [each.wants for each in read if isinstance(each, Advice)] == [999] * 3
    again = [Programme.open(SqliteStore(store.path), name) for name in "abc"]
    assert [told_in(each) for each in again] == [[(1, "monday")]] * 3
    assert [each.verify().tasks for each in again] == [3, 1, 1]


def test_what_comes_while_others_have_their_turn_is_written_with_what_waits(tmp_path: Path) -> None:
    """As far as it is for the same programmes; what is for another is written next."""
    store, desks = several(tmp_path, "abcd")

    async def told() -> list[Advice]:
        def tell(name: str, key: str) -> asyncio.Future[Advice]:
            return asyncio.ensure_future(desks[name].tell(Telling("blue", [1], key=key)))

        store.let_go.clear()
        store.reached.clear()
        asked = [tell("a", "1"), tell("b", "1")]
        while not store.reached.is_set():
            await asyncio.sleep(0.001)
        asked += [tell("c", "1"), tell("a", "2"), tell("d", "1"), tell("c", "2")]
        await asyncio.sleep(0)
        store.let_go.set()
        return await asyncio.gather(*asked)

    assert [advice.wants for advice in asyncio.run(told())] == [998, 999, 998, 998, 999, 998]
    assert store.transactions == [["a", "b"], ["c", "d"]]
    keys = [[key for _, key in told_in(desk.programme)] for desk in desks.values()]
    assert keys == [["1", "2"], ["1"], ["1", "2"], ["1"]]


def test_what_is_refused_in_one_programme_does_no_harm_to_another(tmp_path: Path) -> None:
    """A task that is not there, a name that is taken or was taken: who asked for it hears of it."""
    _, desks = several(tmp_path, "ab")
    desks["a"].programme.begin("red").abandon()
    outcomes = all_at_once(
        desks["a"].tell(Telling("nobody", [1])),
        desks["a"].begin("blue"),
        desks["a"].begin("red"),
        desks["a"].tell(Telling("blue", [1], key="monday")),
        desks["b"].tell(Telling("blue", [1], key="monday")),
    )
    assert [type(each) for each in outcomes] == [NotThere, Clash, Clash, Advice, Advice]
    assert told_in(desks["a"].programme) == told_in(desks["b"].programme) == [(1, "monday")]


def test_a_transaction_that_fails_leaves_nothing_in_any_programme(tmp_path: Path) -> None:
    """All hear of it, what is known goes back to what the logs have, and the next one is told."""
    store, desks = several(tmp_path, "ab")
    store.broken = True
    telling = Telling("blue", [1, 1], key="monday")
    outcomes = all_at_once(*(desk.tell(telling) for desk in desks.values()))
    assert [type(each) for each in outcomes] == [CannotWrite] * 2
    assert [desk.programme.task("blue").advice.wants for desk in desks.values()] == [1000] * 2
    store.broken = False
    outcomes = all_at_once(*(desk.tell(telling) for desk in desks.values()))
    assert [each.wants for each in outcomes if isinstance(each, Advice)] == [998] * 2
    assert [told_in(desk.programme) for desk in desks.values()] == [[(1, "monday")]] * 2
