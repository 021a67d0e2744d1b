"""What routes ask for: parts of the application that a request is answered by.

They are given without waiting for anything: what is `async` here takes no thread.
"""

from typing import Annotated

from fastapi import Depends, Request

from dwell.service.access.callers import caller_of
from dwell.service.delivery import Delivery
from dwell.service.hooks import Hooks
from dwell.service.settings import Settings
from dwell.service.shelf import Shelf
from dwell.service.workers import Workers


def shelf_of(request: Request) -> Shelf:
    """To who has a token for one programme, no other is there."""
    shelf: Shelf = request.app.state.shelf
    caller = caller_of(request)
    return shelf if caller.programme is None else shelf.only(caller.programme)


async def _shelf(request: Request) -> Shelf:
    return shelf_of(request)


async def _settings(request: Request) -> Settings:
    settings: Settings = request.app.state.settings
    return settings


async def _workers(request: Request) -> Workers:
    workers: Workers = request.app.state.workers
    return workers


async def _hooks(request: Request) -> Hooks:
    hooks: Hooks = request.app.state.hooks
    return hooks


def delivery_of(request: Request) -> Delivery:
    """What posts decisions."""
    delivery: Delivery = request.app.state.delivery
    return delivery


async def _delivery(request: Request) -> Delivery:
    return delivery_of(request)


OnShelf = Annotated[Shelf, Depends(_shelf)]
WithSettings = Annotated[Settings, Depends(_settings)]
WithWorkers = Annotated[Workers, Depends(_workers)]
WithHooks = Annotated[Hooks, Depends(_hooks)]
WithDelivery = Annotated[Delivery, Depends(_delivery)]
