"""Tokens as rows and as a table: all that is known of them but their secrets."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from dwell.report.tables import Grid
from dwell.service.access.tokens import Scope, Token


@dataclass(frozen=True, slots=True)
class TokenRow:
    """A token; times are in UTC."""

    id: str
    scope: Scope
    programme: str | None
    note: str
    created: str
    revoked: str | None


def token_row(token: Token) -> TokenRow:
    """A token as it stands."""
    revoked = None if token.revoked is None else _time(token.revoked)
    return TokenRow(
        token.id, token.scope, token.programme, token.note, _time(token.created), revoked
    )


def tokens_grid(rows: Sequence[TokenRow]) -> Grid:
    """A table of tokens."""
    cells = tuple(
        (row.id, row.scope, row.programme or "all", row.created, row.revoked or "", row.note)
        for row in rows
    )
    header = ("id", "scope", "programme", "created", "revoked", "note")
    return Grid(header, cells, left=len(header))


def _time(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
