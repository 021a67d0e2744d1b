"""Headers that have browsers be strict with whatever the service answers."""

from fastapi.responses import HTMLResponse
from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

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
_ALWAYS = {
    "x-content-type-options": "nosniff",
    # Not "no-referrer": with it browsers say Origin: null of our own forms.
    "referrer-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "content-security-policy": _PAGES,
}
_YEAR = 365 * 86_400
_STATIC = "/static/"


class StrictHeaders:
    """Adds them to every answer that does not have its own."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def sent(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, text in _ALWAYS.items():
                    headers.setdefault(name, text)
                if not scope["path"].startswith(_STATIC):
                    headers.setdefault("cache-control", "no-store")
                if scope["scheme"] == "https":
                    headers.setdefault("strict-transport-security", f"max-age={_YEAR}")
            await send(message)

        await self._app(scope, receive, sent)


def sandboxed(html: str) -> HTMLResponse:
    """A report's page as an answer: its scripts run, and reach nothing of the service.

    Example:
        >>> sandboxed("<p>Hello").headers["content-security-policy"].split(";")[0]
        'sandbox allow-scripts allow-downloads'
    """
    return HTMLResponse(html, headers={"content-security-policy": _REPORTS})
