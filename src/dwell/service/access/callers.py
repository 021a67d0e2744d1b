"""Who calls, and what they may do."""

from typing import Any, Literal

from fastapi import Depends

Scope = Literal["read", "tell", "admin"]


def may(scope: Scope) -> Any:
    """A dependency of a route: whoever calls it has this scope, for the programme in its path."""

    def check() -> Scope:
        return scope

    return Depends(check)
