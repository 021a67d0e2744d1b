"""Client, AsyncClient: a service's programmes."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import astuple
from typing import Generic, Self

from dwell import checks
from dwell.client.drivers import Async, Connection, Sync
from dwell.client.exchange import Request, Steps, path_of
from dwell.client.programme import RemoteProgramme
from dwell.client.verbs import D, Handle, Verb
from dwell.laws import Law

_PATIENCE = 60.0


class _Programmes(Handle[D], Generic[D]):
    """What both clients can do."""

    @Verb
    def create(
        self,
        name: str,
        *,
        learner: str | None = None,
        caps: str | Iterable[int] | None = None,
        law: Law | str | None = None,
        cap: int | None = None,
        setup_cost: float = 0.0,
        drift: bool | None = None,
        silence_days: float = 4.0,
    ) -> Steps[RemoteProgramme[D]]:
        """Create a programme.

        Args:
            name: Its name.
            learner: A learner's name; by default `"empirical-bayes"` if the law of samples is
                given, else `"ladder"`.
            caps: The most samples of each policy to choose from, for learners that choose.
            law: The law of samples, or how it is written, for learners that compute boundaries.
            cap: The most samples of a test, for the same.
            setup_cost: What each task costs besides its samples.
            drift: Whether a learner that fits the pool of ideas reckons with one that changes.
            silence_days: After so many days without data a task is listed as stalled.
        """
        listed = caps if caps is None or isinstance(caps, str) else list(caps)
        terms = {"learner": learner, "caps": listed, "law": _written(law), "cap": cap}
        given = {**terms, "drift": drift}
        body = {
            "name": name,
            **{key: value for key, value in given.items() if value is not None},
            "setup_cost": checks.not_negative("setup_cost", setup_cost),
            "settings": {"silence_days": checks.positive("silence_days", silence_days)},
        }
        answer = yield Request("POST", "/programmes", body, repeatable=False)
        return RemoteProgramme(self._driver, answer.json()["programme"])

    @Verb
    def programme(self, name: str) -> Steps[RemoteProgramme[D]]:
        """A programme that was created.

        Args:
            name: Its name.
        """
        answer = yield Request("GET", path_of("programmes", name))
        answer.require_success()
        return RemoteProgramme(self._driver, name)

    @Verb
    def programmes(self) -> Steps[list[RemoteProgramme[D]]]:
        """All programmes, by name."""
        answer = yield Request("GET", "/programmes")
        names = [each["programme"] for each in answer.json()["programmes"]]
        return [RemoteProgramme(self._driver, name) for name in names]


class Client(_Programmes[Sync]):
    """The programmes of a service that `dwell serve` runs, with the verbs of `Programme`.

    What does not get through is sent again, with growing waits, where to ask twice is to ask once:
    everything but to create a programme, to begin a task without a name and to clear one. It can be
    used from many threads.

    Args:
        url: The service's address, such as `http://127.0.0.1:8000`.
        token: A token of it, where it asks for one.
        patience: How many seconds to try, for each request.

    Example:
        >>> def example() -> None:
        ...     with Client("http://127.0.0.1:8000") as client:
        ...         task = client.programme("checkout").begin("blue-button")
        ...         print(task.tell([1, -1, 1], key="batch-1"))
    """

    def __init__(self, url: str, token: str | None = None, *, patience: float = _PATIENCE) -> None:
        seconds = checks.not_negative("patience", patience)
        super().__init__(Sync(Connection(url, token, seconds)))

    def close(self) -> None:
        """Close all connections."""
        self._driver.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class AsyncClient(_Programmes[Async]):
    """The same for programs that do other things meanwhile: each verb and property is awaited.

    Args:
        url: The service's address, such as `http://127.0.0.1:8000`.
        token: A token of it, where it asks for one.
        patience: How many seconds to try, for each request.

    Example:
        >>> async def example() -> None:
        ...     async with AsyncClient("http://127.0.0.1:8000") as client:
        ...         checkout = await client.programme("checkout")
        ...         print(await (await checkout.begin("blue-button")).advice)
    """

    def __init__(self, url: str, token: str | None = None, *, patience: float = _PATIENCE) -> None:
        seconds = checks.not_negative("patience", patience)
        super().__init__(Async(Connection(url, token, seconds)))

    async def close(self) -> None:
        """Close all connections."""
        await self._driver.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()


def _written(law: Law | str | None) -> str | None:
    """A law as people write it, with all of its digits.

    Example:
        >>> from dwell.laws import Lift, Signs
        >>> _written(Lift(0.1234567891)), _written(Signs())
        ('Lift(0.1234567891)', 'Signs')
    """
    if law is None or isinstance(law, str):
        return law
    numbers = ", ".join(map(repr, astuple(law)))
    return f"{type(law).__name__}({numbers})" if numbers else type(law).__name__
