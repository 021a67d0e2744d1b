"""Headers that have browsers be strict with whatever the service answers."""

from fastapi.responses import HTMLResponse
from starlette.types import Scope

# Nothing but the service's own files: no script and no style within a page, no frame around it.
# Pictures within style sheets are data; a frame shows a report.
_PAGES = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; frame-src 'self'; form-action 'self'; frame-ancestors 'none'; "
    "base-uri 'none'"
)
# A report is a file that stands alone, with its scripts in it. It is shown as if it came from
# nowhere: it has no cookies, can call nobody, and no form or link of it leads anywhere.
_REPORTS = (
    "sandbox allow-scripts allow-downloads; default-src 'none'; script-src 'unsafe-inline'; "
    "style-src 'unsafe-inline'; img-src data: blob:; frame-ancestors 'self'; base-uri 'none'; "
    "form-action 'none'"
)
_ALWAYS = (
    (b"x-content-type-options", b"nosniff"),
    # Not "no-referrer": with it browsers say Origin: null of our own forms.
    (b"referrer-policy", b"same-origin"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"content-security-policy", _PAGES.encode()),
)
_NOT_KEPT = (b"cache-control", b"no-store")
_ONLY_BY_HTTPS = (b"strict-transport-security", b"max-age=%d" % (365 * 86_400))
_STATIC = "/static/"


def add_strict(headers: list[tuple[bytes, bytes]], scope: Scope) -> None:
    """Add them to those of an answer, as far as it does not have its own."""
    own = {name for name, _ in headers}
    headers += [each for each in _ALWAYS if each[0] not in own]
    if _NOT_KEPT[0] not in own and not scope["path"].startswith(_STATIC):
        headers.append(_NOT_KEPT)
    if _ONLY_BY_HTTPS[0] not in own and scope["scheme"] == "https":
        headers.append(_ONLY_BY_HTTPS)


def sandboxed(html: str) -> HTMLResponse:
    """A report's page as an answer: its scripts run, and reach nothing of the service.

    Example:
        >>> sandboxed("<p>Hello").headers["content-security-policy"].split(";")[0]
        'sandbox allow-scripts allow-downloads'
    """
    return HTMLResponse(html, headers={"content-security-policy": _REPORTS})
