"""The desk of a programme: what many tell and ask at the same time goes to its log together.

What waits to be told is written in one transaction, and what waits to be read is looked up at once:
a commit, and a look at the log, take as long for many as for one.
"""

from collections.abc import Callable, Sequence

from dwell.errors import CannotWrite
from dwell.programme.advice import Advice
from dwell.programme.programme import Programme
from dwell.programme.task import Status
from dwell.programme.telling import Telling
from dwell.service.given_advice import GivenAdvice
from dwell.service.together import Together


class Desk:
    """Tells tasks of a programme, and reads advice on them, for all who come.

    Args:
        programme: The programme.
        clock: What tells the time, in seconds since 1970.
    """

    def __init__(self, programme: Programme, clock: Callable[[], float]) -> None:
        self._programme = programme
        self._tellings = Together(self._tell)
        self._given = GivenAdvice(programme, clock)
        self._readings = Together(self._given.on)

    async def tell(self, telling: Telling) -> Advice:
        """Tell a task something; when this returns, it is durable."""
        return await self._tellings.ask(telling)

    async def advice(self, task: str) -> Advice:
        """What to do with a task; its forecast is made."""
        return await self._readings.ask(task)

    def advice_on_all(self) -> list[tuple[str, Status, Advice]]:
        """All open tasks: where each stands, and what to do with it."""
        return self._given.on_all()

    def _tell(self, tellings: Sequence[Telling]) -> Sequence[Advice | Exception]:
        """Tell all in one transaction or, where something is wrong with one, each in its own."""
        if len(tellings) > 1:
            try:
                return self._programme.tell(tellings)
            except CannotWrite:  # the store is at fault, and nobody's telling
                raise
            except Exception:
                pass  # nothing was written, and whose it is will show
        return [self._told_alone(each) for each in tellings]

    def _told_alone(self, telling: Telling) -> Advice | Exception:
        try:
            [advice] = self._programme.tell([telling])
        except Exception as error:
            return error
        return advice
