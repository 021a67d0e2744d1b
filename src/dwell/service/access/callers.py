"""Who calls, and what they may do."""

from __future__ import annotations

from dataclasses import dataclass
from http import HTTPStatus
from typing import Any, Literal

from fastapi import Request, Security
from starlette.exceptions import HTTPException

from dwell.errors import NotThere
from dwell.service.access.tokens import SCOPES, Scope, Token

_PROGRAMME = "programme"  # what routes call a programme in their paths


@dataclass(frozen=True, slots=True, kw_only=True)
class Caller:
    """Who calls.

    Attributes:
        by: How they are known: by a token in the request, by the cookie of a session, or as
            somebody on the same machine.
        scope: What they may do.
        programme: The only programme that is there for them; None if all are.
        token: The id of their token, if it is by one.
    """

    by: Literal["token", "session", "loopback"]
    scope: Scope
    programme: str | None = None
    token: str | None = None

    @classmethod
    def with_token(cls, token: Token, by: Literal["token", "session"]) -> Caller:
        """Who has shown a token, or is signed in by one."""
        return cls(by=by, scope=token.scope, programme=token.programme, token=token.id)

    def may(self, scope: Scope) -> bool:
        """Whether they have this scope, or one that allows more.

        Example:
            >>> caller = Caller(by="token", scope="tell")
            >>> caller.may("read"), caller.may("tell"), caller.may("admin")
            (True, True, False)
        """
        return SCOPES.index(self.scope) >= SCOPES.index(scope)

    def sees(self, programme: str) -> bool:
        """Whether a programme is there for them."""
        return self.programme in (None, programme)


ON_LOOPBACK = Caller(by="loopback", scope="admin")


def caller_of(request: Request) -> Caller:
    """Who calls; the gate has let nobody else in."""
    caller: Caller | None = request.scope.get("state", {}).get("caller")
    if caller is None:
        raise HTTPException(
            HTTPStatus.UNAUTHORIZED, "a token is needed", {"WWW-Authenticate": "Bearer"}
        )
    return caller


def may(scope: Scope, *, everywhere: bool = False) -> Any:
    """A dependency of a route: whoever calls it has this scope, for the programme in its path.

    To who has a token for one programme, all others are not there.

    Args:
        scope: What they must be allowed to do.
        everywhere: Whether they must be allowed it for all programmes, as where an answer tells of
            them all.
    """

    async def check(request: Request) -> Scope:  # not in a thread: it waits for nothing
        caller = caller_of(request)
        programme = request.path_params.get(_PROGRAMME)
        if programme is not None and not caller.sees(programme):
            raise NotThere(f"there is no programme {programme!r}")
        if not caller.may(scope):
            raise HTTPException(
                HTTPStatus.FORBIDDEN,
                f"this needs a token with scope {scope}, and yours has {caller.scope}",
            )
        if everywhere and caller.programme is not None:
            raise HTTPException(
                HTTPStatus.FORBIDDEN,
                f"this needs a token for all programmes, and yours is for {caller.programme!r}",
            )
        return scope

    return Security(check, scopes=[scope])  # the scope, so that the API's description can tell it
