"""Credentials: an id that may be known, and a secret that is shown once and kept as its digest.

A secret has 256 random bits. Nobody can try that many, so one round of SHA-256 keeps it: the slow
hashes that passwords need would buy nothing here, and be paid at every request.
"""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import sha256
from hmac import compare_digest
from secrets import choice, token_urlsafe

_LETTERS = "abcdefghjkmnpqrstuvwxyz23456789"  # none looks like another
_ID_LENGTH = 8
_SECRET_BYTES = 32


@dataclass(frozen=True, slots=True, repr=False)
class Credential:
    """What somebody shows.

    Attributes:
        id: What it is found by.
        secret: What proves it; it stands in no `repr`, so that no log has it by accident.

    Example:
        >>> shown = Credential.new()
        >>> read = Credential.read(shown.text("dwell_"), "dwell_")
        >>> read == shown, read.matches(shown.digest), read.matches(Credential.new().digest)
        (True, True, False)
        >>> Credential.read("anything else", "dwell_") is None
        True
    """

    id: str
    secret: str

    def __repr__(self) -> str:
        return f"Credential(id={self.id!r})"

    @classmethod
    def new(cls) -> Credential:
        """One that nobody can guess."""
        identity = "".join(choice(_LETTERS) for _ in range(_ID_LENGTH))
        return cls(identity, token_urlsafe(_SECRET_BYTES))

    @classmethod
    def read(cls, text: str, prefix: str = "") -> Credential | None:
        """The one that a text is, if it looks like one."""
        identity, _, secret = text.removeprefix(prefix).partition("_")
        if not (text.startswith(prefix) and text.isascii() and identity and secret):
            return None
        return cls(identity, secret)

    def text(self, prefix: str = "") -> str:
        """What is shown once."""
        return f"{prefix}{self.id}_{self.secret}"

    @property
    def digest(self) -> str:
        """What is kept of the secret."""
        return sha256(self.secret.encode()).hexdigest()

    def matches(self, digest: str) -> bool:
        """Whether the secret is the one that was kept; it takes as long if it is not."""
        return compare_digest(self.digest, digest)
