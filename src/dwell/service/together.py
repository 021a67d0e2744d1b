"""Together: what many ask for at the same time is done at once, by one thread.

While something is done, whatever else is asked for waits, and is then done in one go; or sooner, if
who does it had to wait before it could begin, and asks for more. Who asks is answered when what
they asked for is done, and not before.
"""

from asyncio import Future, Task, create_task, get_running_loop
from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Generic, TypeVar

Asked = TypeVar("Asked")
Given = TypeVar("Given")


class Batch(Generic[Asked, Given]):
    """What is done in one go.

    Attributes:
        asked: What was asked for.
    """

    def __init__(self, waiting: deque[tuple[Asked, Future[Given]]]) -> None:
        self._waiting, self._answers = waiting, list[Future[Given]]()
        self.asked: list[Asked] = []
        self.more(lambda _: True)

    def more(self, wanted: Callable[[Asked], bool]) -> None:
        """Take what waits by now, as far as it is wanted; the rest goes on waiting, in order.

        Args:
            wanted: Whether something is.
        """
        left = []
        while self._waiting:  # the loop adds to it meanwhile
            asked, answer = one = self._waiting.popleft()
            if wanted(asked):
                self.asked.append(asked)
                self._answers.append(answer)
            else:
                left.append(one)
        self._waiting.extendleft(reversed(left))

    def answer(self, given: Sequence[Given | Exception]) -> None:
        """Answer all who asked; to be called by the loop."""
        for answer, each in zip(self._answers, given, strict=True):
            if answer.done():  # whoever asked has gone
                continue
            if isinstance(each, Exception):
                answer.set_exception(each)
            else:
                answer.set_result(each)


class Together(Generic[Asked, Given]):
    """A queue that is emptied in one go.

    Args:
        do: Does all that is asked for, in a thread: an answer to each, or what was wrong with it.
    """

    def __init__(self, do: Callable[[Batch[Asked, Given]], Sequence[Given | Exception]]) -> None:
        self._do = do
        self._thread = ThreadPoolExecutor(1, "dwell together")
        self._waiting: deque[tuple[Asked, Future[Given]]] = deque()
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
                batch = Batch(self._waiting)
                batch.answer(await self._done(batch))
        finally:
            self._work = None

    async def _done(self, batch: Batch[Asked, Given]) -> Sequence[Given | Exception]:
        try:
            return await get_running_loop().run_in_executor(self._thread, self._do, batch)
        except Exception as error:  # it is everybody's
            return [error] * len(batch.asked)
