"""Desks: what many tell and ask at the same time goes to the logs of their programmes together.

What waits to be written, whichever programme it is for, is written in one transaction; and what
waits to be read is looked up at once. A commit, and a look at a store, take as long for many as for
one.
"""

from collections.abc import Callable, Sequence
from typing import TypeVar

from dwell.errors import CannotWrite
from dwell.programme.advice import Advice
from dwell.programme.programme import Programme
from dwell.programme.task import Status
from dwell.programme.telling import Telling
from dwell.service.given_advice import GivenAdvice
from dwell.service.together import Batch, Together

Order = Telling | str  # what to tell a task; or the name of one to begin
Asked = TypeVar("Asked")
Given = TypeVar("Given")


class Desk:
    """Begins and tells tasks of a programme, and reads advice on them, for all who come.

    Args:
        programme: The programme.
        queues: Where what is asked waits, of all programmes of the store.
        clock: What tells the time, in seconds since 1970.
    """

    def __init__(self, programme: Programme, queues: "Queues", clock: Callable[[], float]) -> None:
        self.programme, self._queues = programme, queues
        self.given = GivenAdvice(programme, clock)

    async def begin(self, task: str) -> Advice:
        """Begin a task; when this returns, it is durable."""
        return await self._queues.orders.ask((self, task))

    async def tell(self, telling: Telling) -> Advice:
        """Tell a task something; when this returns, it is durable."""
        return await self._queues.orders.ask((self, telling))

    async def advice(self, task: str) -> Advice:
        """What to do with a task; its forecast is made."""
        return await self._queues.readings.ask((self, task))

    def advice_on_all(self) -> list[tuple[str, Status, Advice]]:
        """All open tasks: where each stands, and what to do with it."""
        return self.given.on_all()

    def carried_out(self, orders: Sequence[Order]) -> list[Advice | Exception]:
        """What comes of orders: tellings are one transaction unless something is wrong with one."""
        told = iter(self._told([each for each in orders if isinstance(each, Telling)]))
        return [
            next(told) if isinstance(each, Telling) else _outcome(self._begun, each)
            for each in orders
        ]

    def _begun(self, task: str) -> Advice:
        return self.programme.begin(task).advice

    def _told(self, tellings: Sequence[Telling]) -> Sequence[Advice | Exception]:
        if len(tellings) > 1:
            try:
                return self.programme.tell(tellings)
            except CannotWrite:  # the store is at fault, and nobody's telling
                raise
            except Exception:
                pass  # nothing was written, and whose it is will show
        return [_outcome(self._told_alone, each) for each in tellings]

    def _told_alone(self, telling: Telling) -> Advice:
        return self.programme.tell([telling])[0]


class Queues:
    """What waits at the desks of a store, to be written or to be read."""

    def __init__(self) -> None:
        self.orders: Together[tuple[Desk, Order], Advice] = Together(_carried_out)
        self.readings: Together[tuple[Desk, str], Advice] = Together(_read)


def _carried_out(batch: Batch[tuple[Desk, Order], Advice]) -> list[Advice | Exception]:
    """Carry all out in one transaction or, where that fails, desk by desk."""
    desks = {desk for desk, _ in batch.asked}
    if len(desks) > 1:
        try:
            with Programme.together((desk.programme for desk in desks), turn=True):
                batch.more(lambda order: order[0] in desks)  # that came while others had their turn
                done = _desk_by_desk(Desk.carried_out, batch.asked)
                for outcome in done:
                    if isinstance(outcome, CannotWrite):
                        raise outcome
                return done
        except CannotWrite:
            raise
        except Exception:
            pass  # as above
    return _desk_by_desk(Desk.carried_out, batch.asked)


def _read(batch: Batch[tuple[Desk, str], Advice]) -> list[Advice | Exception]:
    """Read all by one look at the store."""
    asked = batch.asked
    with Programme.together({desk.programme for desk, _ in asked}):
        found = _desk_by_desk(lambda desk, tasks: desk.given.on_open(tasks), asked)
    return [
        _outcome(desk.given.finished, task, advice)
        for (desk, task), advice in zip(asked, found, strict=True)
    ]


def _desk_by_desk(
    do: Callable[[Desk, list[Asked]], Sequence[Given]], asked: Sequence[tuple[Desk, Asked]]
) -> list[Given]:
    """What comes of what is asked, done for each desk at once; in the order in which it came."""
    places: dict[Desk, list[int]] = {}
    for place, (desk, _) in enumerate(asked):
        places.setdefault(desk, []).append(place)
    done: dict[int, Given] = {}
    for desk, its in places.items():
        done.update(zip(its, do(desk, [asked[place][1] for place in its]), strict=True))
    return [done[place] for place in range(len(asked))]


def _outcome(do: Callable[..., Advice], *given: object) -> Advice | Exception:
    try:
        return do(*given)
    except Exception as error:
        return error
