"""A server on this machine that is posted to, and answers as a test says."""

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Thread
from typing import Any


class Receiver(ThreadingHTTPServer):
    """Keeps what it is posted; the last answer is given for ever.

    A number is a status; "stall" keeps silent, "hang up" closes the connection, and a text with a
    slash is where it points to.
    """

    daemon_threads = True

    def __init__(self, answers: Sequence[int | str]) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.answers = list(answers)
        self.bodies: list[dict[str, Any]] = []
        self.keys: list[str | None] = []
        self.over = Event()

    @property
    def url(self) -> str:
        """Where it listens; the path is a secret."""
        return f"http://127.0.0.1:{self.server_address[1]}/secret-token"

    @property
    def taken(self) -> list[str]:
        """The ids of what it was posted, in order."""
        return [body["id"] for body in self.bodies]


class _Handler(BaseHTTPRequestHandler):
    server: Receiver

    def do_POST(self) -> None:
        """Keep what is posted, and answer."""
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.server.bodies.append(json.loads(body))
        self.server.keys.append(self.headers["Idempotency-Key"])
        answers = self.server.answers
        answer = answers.pop(0) if len(answers) > 1 else answers[0]
        if answer == "stall":
            self.server.over.wait(30.0)
        elif isinstance(answer, int):
            self.send_response(answer)
            self.end_headers()
        elif "/" in answer:
            self.send_response(302)
            self.send_header("Location", answer)
            self.end_headers()

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@contextmanager
def receiving(*answers: int | str) -> Iterator[Receiver]:
    """A server that answers so, one after another, until the test is over."""
    with Receiver(answers or [200]) as server:
        thread = Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield server
        finally:
            server.over.set()
            server.shutdown()
            thread.join()
