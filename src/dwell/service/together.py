"""Together: what many ask for at the same time is done at once, by one thread.

While something is done, whatever else is asked for waits, and is then done in one go. Who asks is
answered when what they asked for is done, and not before.
"""

from asyncio import Future, Task, create_task, get_running_loop
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Generic, TypeVar

Asked = TypeVar("Asked")
Given = TypeVar("Given")


class Together(Generic[Asked, Given]):
    """A queue that is emptied in one go.

    Args:
        do: Does all that is asked for, in a thread: an answer to each, or what was wrong with it.
    """

    def __init__(self, do: Callable[[Sequence[Asked]], Sequence[Given | Exception]]) -> None:
        self._do = do
        self._thread = ThreadPoolExecutor(1, "dwell together")
        self._waiting: list[tuple[Asked, Future[Given]]] = []
        self._work: Task[None] | None = None

    async def ask(self, asked: Asked) -> Given:
        """The answer, once it is there."""
        answer: Future[Given] = get_running_loop().create_future()
        self._waiting.append((asked, answer))
        if self._work is None:
            self._work = create_task(self._empty())
        return await answer

    async def _empty(self) -> None:
        try:
            while self._waiting:
                taken, self._waiting = self._waiting, []
                for (_, answer), given in zip(taken, await self._done(taken), strict=True):
                    if answer.done():  # whoever asked has gone
                        continue
                    if isinstance(given, Exception):
                        answer.set_exception(given)
                    else:
                        answer.set_result(given)
        finally:
            self._work = None

    async def _done(
        self, taken: Sequence[tuple[Asked, Future[Given]]]
    ) -> Sequence[Given | Exception]:
        try:
            every = [asked for asked, _ in taken]
            return await get_running_loop().run_in_executor(self._thread, self._do, every)
        except Exception as error:  # it is everybody's
            return [error] * len(taken)
