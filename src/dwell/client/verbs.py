"""Verbs: steps as methods, for both drivers.

A method whose steps come to a T gives a T where requests are waited for, and something to await
that gives a T where they are not. Type checkers see which.
"""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from functools import wraps
from typing import Any, Concatenate, Generic, ParamSpec, TypeVar, overload

from dwell.client.drivers import Async, Sync
from dwell.client.exchange import Steps

P = ParamSpec("P")
T = TypeVar("T")
D = TypeVar("D", bound=Sync | Async)


class Handle(Generic[D]):
    """What verbs are methods of.

    Args:
        driver: What sends its requests.
    """

    def __init__(self, driver: D) -> None:
        self._driver = driver


class Verb(Generic[P, T]):
    """Steps as a method.

    Args:
        steps: What to ask, and what to make of the answers.
    """

    def __init__(self, steps: Callable[Concatenate[Any, P], Steps[T]]) -> None:
        self._steps = steps
        self.__doc__ = steps.__doc__

    @overload
    def __get__(self, owner: None, kind: type) -> Callable[..., Steps[T]]: ...
    @overload
    def __get__(self, owner: Handle[Sync], kind: type) -> Callable[P, T]: ...
    @overload
    def __get__(self, owner: Handle[Async], kind: type) -> Callable[P, Coroutine[Any, Any, T]]: ...
    def __get__(self, owner: Handle[Any] | None, kind: type) -> Callable[..., Any]:
        if owner is None:
            return self._steps
        driver = owner._driver

        @wraps(self._steps)
        def method(*args: P.args, **kwargs: P.kwargs) -> Any:
            return driver.run(self._steps(owner, *args, **kwargs))

        return method


class Reading(Generic[T]):
    """Steps as a property.

    Args:
        steps: What to ask, and what to make of the answers.
    """

    def __init__(self, steps: Callable[[Any], Steps[T]]) -> None:
        self._steps = steps
        self.__doc__ = steps.__doc__

    @overload
    def __get__(self, owner: None, kind: type) -> Reading[T]: ...
    @overload
    def __get__(self, owner: Handle[Sync], kind: type) -> T: ...
    @overload
    def __get__(self, owner: Handle[Async], kind: type) -> Coroutine[Any, Any, T]: ...
    def __get__(self, owner: Handle[Any] | None, kind: type) -> Any:
        return self if owner is None else owner._driver.run(self._steps(owner))
