"""Tokens: who may do what, as a log of the same store says.

The log has a name that cannot be printed, which no programme has. It is folded as a programme is,
so that every store will do and all workers agree.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from threading import Lock
from time import monotonic, time
from typing import Literal, get_args

import msgspec
from msgspec import Struct

from dwell import checks
from dwell.errors import Conflict, InvalidInput, NotThere
from dwell.programme.stores.protocol import Entry, EventStore, programmes_in
from dwell.service.access.credentials import Credential

Scope = Literal["read", "tell", "admin"]
SCOPES: tuple[Scope, ...] = get_args(Scope)  # each allows what those before it do
LOG = "\x1ftokens"
PREFIX = "dwell_"
FRESH_SECONDS = 1.0
SESSION_SECONDS = 14 * 86_400
_LONGEST_NOTE = 200
_NOBODYS = Credential("", "").digest


class _Event(Struct, frozen=True, kw_only=True, tag_field="event"):
    at: float


class _Created(_Event, frozen=True, kw_only=True, tag="token created 1"):
    id: str
    digest: str
    scope: Scope
    programme: str | None
    note: str


class _Revoked(_Event, frozen=True, kw_only=True, tag="token revoked 1"):
    id: str


class _SignedIn(_Event, frozen=True, kw_only=True, tag="signed in 1"):
    id: str
    digest: str
    token: str
    until: float


class _SignedOut(_Event, frozen=True, kw_only=True, tag="signed out 1"):
    id: str


_decoder = msgspec.json.Decoder(_Created | _Revoked | _SignedIn | _SignedOut)


@dataclass(frozen=True, slots=True, kw_only=True)
class Token:
    """What a token allows.

    Attributes:
        id: What it goes by; it is no secret.
        scope: What may be done with it.
        programme: The only programme that it is for; None for all.
        note: What it is for, for people.
        created: When it was made, in seconds since 1970.
        revoked: When it was revoked; None if it holds.
    """

    id: str
    scope: Scope
    programme: str | None = None
    note: str = ""
    created: float = 0.0
    revoked: float | None = None


@dataclass(frozen=True, slots=True)
class _Session:
    """A browser that is signed in: it goes by a credential of its own, not by the token."""

    token: str
    digest: str
    until: float


class Tokens:
    """The tokens of a store, and who is signed in with them, for many threads and processes.

    What is asked is answered from memory; `read_on` brings that up to date.

    Args:
        store: Where they are kept, beside its programmes.
        clock: What tells the time, in seconds since 1970.

    Example:
        >>> from dwell.programme.stores.memory import MemoryStore
        >>> tokens = Tokens(MemoryStore())
        >>> made, text = tokens.create("tell", note="nightly job")
        >>> tokens.shown(text).scope
        'tell'
        >>> tokens.revoke(made.id).id == made.id, tokens.shown(text)
        (True, None)
    """

    def __init__(self, store: EventStore, clock: Callable[[], float] = time) -> None:
        self.store = store
        self.clock = clock
        self._lock = Lock()
        self._position = 0
        self._read_at = -FRESH_SECONDS
        self._tokens: dict[str, Token] = {}
        self._digests: dict[str, str] = {}
        self._sessions: dict[str, _Session] = {}

    def create(
        self, scope: Scope = "read", programme: str | None = None, note: str = ""
    ) -> tuple[Token, str]:
        """Make a token; its text is given here and never again."""
        if scope not in SCOPES:
            raise InvalidInput(f"the scope must be read, tell or admin, got {checks.shown(scope)}")
        there = programmes_in(self.store)
        if programme is not None and programme not in there:
            names = ", ".join(map(repr, there)) or "none"
            raise NotThere(
                f"there is no programme {checks.shown(programme)} to make a token for; create it "
                f"first, or name one of those there are: {names}"
            )
        if not (note == "" or (len(note) <= _LONGEST_NOTE and note.isprintable())):
            raise InvalidInput(
                f"the note must be a line of at most {_LONGEST_NOTE} characters, got "
                f"{checks.shown(note)}"
            )
        made, at = Credential.new(), self.clock()
        self._append(
            lambda: _Created(
                at=at, id=made.id, digest=made.digest, scope=scope, programme=programme, note=note
            )
        )
        return self._tokens[made.id], made.text(PREFIX)

    def all(self) -> list[Token]:
        """All tokens, those that were revoked too, as they were made."""
        self.read_on()
        return list(self._tokens.values())

    def revoke(self, identity: str) -> Token:
        """End a token, and all sessions that it opened; to do it twice changes nothing."""

        def revoked() -> _Revoked | None:
            if identity not in self._tokens:
                raise NotThere(
                    f"there is no token {checks.shown(identity)}; dwell token list shows those "
                    "there are"
                )
            if self._tokens[identity].revoked is not None:
                return None
            return _Revoked(at=self.clock(), id=identity)

        self._append(revoked)
        return self._tokens[identity]

    def sign_in(self, text: str) -> str | None:
        """Open a session with a token: what its cookie holds, or None if the token is no good."""
        made, at = Credential.new(), self.clock()

        def signed_in() -> _SignedIn | None:
            token = self.shown(text)
            if token is None:
                return None
            until = at + SESSION_SECONDS
            return _SignedIn(at=at, id=made.id, digest=made.digest, token=token.id, until=until)

        return made.text() if self._append(signed_in) else None

    def sign_out(self, cookie: str) -> None:
        """End the session of a cookie, if it has one."""
        read = Credential.read(cookie)
        if read is not None and self.signed_in(cookie) is not None:
            self._append(lambda: _SignedOut(at=self.clock(), id=read.id))

    def shown(self, text: str) -> Token | None:
        """The token that a text is, if it holds."""
        read = Credential.read(text, PREFIX)
        if read is None:
            return None
        matches = read.matches(self._digests.get(read.id, _NOBODYS))
        return self.holding(read.id) if matches else None

    def signed_in(self, cookie: str) -> Token | None:
        """The token that a cookie's session was opened with, if both hold."""
        read = Credential.read(cookie)
        if read is None:
            return None
        session = self._sessions.get(read.id)
        matches = read.matches(_NOBODYS if session is None else session.digest)
        if session is None or not matches or session.until <= self.clock():
            return None
        return self.holding(session.token)

    def holding(self, identity: str) -> Token | None:
        """The token of that id, if it holds."""
        token = self._tokens.get(identity)
        return None if token is None or token.revoked is not None else token

    @property
    def fresh(self) -> bool:
        """Whether the log was read within the last second."""
        return monotonic() - self._read_at < FRESH_SECONDS

    def read_on(self) -> None:
        """Take in what is new in the log: a query for what comes after the last entry seen."""
        with self._lock:
            self._read_on()

    def _read_on(self) -> None:
        at = monotonic()
        for body in self.store.read(LOG, self._position):
            self._apply(body)
            self._position += 1
        self._read_at = at

    def _append(self, decide: Callable[[], _Event | None]) -> bool:
        """Append what is decided on all that the log says, and take it in; if it is anything."""
        with self._lock:
            while True:
                self._read_on()
                event = decide()
                if event is None:
                    return False
                body = msgspec.json.encode(event).decode()
                try:
                    self.store.append(LOG, self._position, [Entry(body)])
                except Conflict:
                    continue  # another process was faster: its entry is read first
                self._read_on()
                return True

    def _apply(self, body: str) -> None:
        try:
            event = _decoder.decode(body)
        except msgspec.DecodeError:
            # What it says is not shown: it has to do with secrets.
            raise InvalidInput(
                f"entry {self._position + 1} of the log of tokens cannot be read; upgrade dwell, "
                "or restore the store from a copy"
            ) from None
        match event:
            case _Created(id=identity):
                self._digests[identity] = event.digest
                self._tokens[identity] = Token(
                    id=identity,
                    scope=event.scope,
                    programme=event.programme,
                    note=event.note,
                    created=event.at,
                )
            case _Revoked(id=identity):
                self._tokens[identity] = replace(self._tokens[identity], revoked=event.at)
            case _SignedIn(id=identity, until=until):
                if until > self.clock():  # of sessions that are over nothing is kept in memory
                    self._sessions[identity] = _Session(event.token, event.digest, until)
            case _SignedOut(id=identity):
                self._sessions.pop(identity, None)
