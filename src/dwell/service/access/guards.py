"""All that a request passes on its way to a route, and its answer on the way back.

It is one layer, as each of several would take as long as some answers.
"""

from http import HTTPStatus
from time import perf_counter

from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect
from starlette.responses import RedirectResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from dwell.service.access.bodies import Body
from dwell.service.access.gate import Gate, TokenEnded, sign_in_for
from dwell.service.access.headers import add_strict
from dwell.service.access.hosts import Hosts
from dwell.service.access.refusals import Given, refuse
from dwell.service.access.request_log import header_of, identity_of, log_fault, log_request
from dwell.service.access.tokens import Tokens
from dwell.service.metrics import Metrics
from dwell.service.names import keep_whole
from dwell.service.request_ids import begin_request
from dwell.service.settings import Settings


class Guards:
    """Lets requests in, and has every one of them counted and logged.

    Args:
        app: What it stands before.
        settings: What the service was started with.
        tokens: Whom it knows.
        metrics: What requests are counted by.
    """

    def __init__(
        self, app: ASGIApp, *, settings: Settings, tokens: Tokens, metrics: Metrics
    ) -> None:
        self._app, self._settings, self._metrics = app, settings, metrics
        self._hosts, self._gate = Hosts(settings), Gate(settings, tokens)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        begun, status = perf_counter(), 0
        keep_whole(scope)
        given: Given = dict(reversed(scope["headers"]))
        identity, body = identity_of(given), Body(scope, given, receive, self._settings)
        begin_request(identity)

        async def sent(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = int(message["status"])
                headers = [*message.get("headers", ()), header_of(identity)]
                add_strict(headers, scope)
                message["headers"] = headers
            if body.refused:
                await body.send_refusal(message, send)
            else:
                await send(message)

        try:
            await self._answer(scope, given, body, sent)
        except Exception as fault:
            log_fault(identity)
            if status:
                raise  # half an answer is there: the connection has to break
            await refuse(fault, scope, receive, sent)
        finally:
            seconds, status = perf_counter() - begun, status or HTTPStatus.INTERNAL_SERVER_ERROR
            route = getattr(scope.get("route"), "path", None)
            log_request(scope, route, identity, status, seconds)
            self._metrics.answered(scope["method"], route, status, seconds)

    async def _answer(self, scope: Scope, given: Given, body: Body, send: Send) -> None:
        try:
            self._hosts.require(scope)
            known = await self._gate.let_in(scope, given, send)
            body.expect()
        except HTTPException as error:
            page = sign_in_for(scope, given)
            if error.status_code == HTTPStatus.UNAUTHORIZED and page is not None:
                await RedirectResponse(page, HTTPStatus.SEE_OTHER)(scope, body.receive, send)
            else:
                await refuse(error, scope, body.receive, send)
            return
        try:
            await self._app(scope, body.receive, known)
        except (TokenEnded, ClientDisconnect):
            if known is send:
                raise
