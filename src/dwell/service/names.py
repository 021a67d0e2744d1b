"""Names in paths: any text that is printable, a slash as %2F.

A server unquotes a whole path before it is taken apart, and a slash in a name would part it in the
wrong place. Where names stand in paths, these are taken apart first and unquoted then.
"""

from urllib.parse import quote, unquote

from starlette.convertors import Convertor, register_url_convertor
from starlette.types import Scope

from dwell.errors import InvalidInput
from dwell.programme.commands import checked_name

# Where names stand: routes are made of these, so that a path is read as this module says.
API = "/api/v1"
PROGRAMME, TASK = "/programmes/{programme:name}", "/tasks/{task:name}"
_ROOTS = (b"/programmes/", b"/api/v1/programmes/")


class _NameConvertor(Convertor[str]):
    """A name in a path: `{programme:name}`."""

    regex = "[^/]+"

    def convert(self, value: str) -> str:
        """The name that stands in a path."""
        return unquote(value)

    def to_string(self, value: str) -> str:
        """A name as it stands in a path."""
        return in_path(value)


register_url_convertor("name", _NameConvertor())


def in_path(name: str) -> str:
    """A name as it stands in a path.

    Example:
        >>> in_path("a/b c")
        'a%2Fb%20c'
    """
    return quote(name, safe="")


def usable_name(what: str, name: str) -> str:
    """A name that can stand in a path.

    Example:
        >>> usable_name("the name of a task", "..")
        Traceback (most recent call last):
        dwell.errors.InvalidInput: the name of a task must not be '..', which means another thing \
in an address; choose another name
    """
    if checked_name(what, name) in (".", ".."):
        raise InvalidInput(
            f"{what} must not be {name!r}, which means another thing in an address; choose another "
            "name"
        )
    return name


def keep_whole(scope: Scope) -> None:
    """Leave names in the path of a request quoted, so that they are unquoted one by one."""
    raw: bytes = scope.get("raw_path") or b""
    if raw.startswith(_ROOTS):
        scope["path"] = raw.decode("utf-8", "replace")
