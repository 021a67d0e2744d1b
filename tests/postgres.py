"""A PostgreSQL server for tests: Debian's, on a socket of its own, thrown away at the end."""

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from signal import SIGINT
from time import monotonic, sleep
from typing import Any
from urllib.parse import quote

import psycopg
import pytest

# Whoever comes as this user needs a password; all others are let in.
GUARDED, PASSWORD = "guarded", "open/sesame@home"
_SECONDS = 60.0


@pytest.fixture(scope="session")
def postgres() -> Iterator[str]:
    """A server's address; without one tests are skipped, or fail where CI=true says it is there."""
    with throwaway() as server:
        with psycopg.connect(server.address) as connection:
            connection.execute(f"create role {GUARDED} login password '{PASSWORD}'".encode())
        yield server.address


@contextmanager
def throwaway(**settings: object) -> "Iterator[PostgresServer]":
    """A server that runs.

    Args:
        settings: What it is told besides; it does not wait for the disk unless it is told to.
    """
    programs = _programs()
    if programs is None:
        reason = "there is no PostgreSQL server; on Debian, apt-get install postgresql"
        if os.environ.get("CI") == "true":
            pytest.fail(reason)
        pytest.skip(reason)
    # Its path must be short, for the socket, and open to the user whom the server runs as.
    with tempfile.TemporaryDirectory(prefix="dwell-", dir="/tmp") as name:
        server = PostgresServer(programs, Path(name), settings)
        server.start()
        try:
            yield server
        finally:
            server.stop()


def guarded(address: str, password: str) -> str:
    """The address for the user who needs a password."""
    return address.replace("postgres@", f"{GUARDED}:{quote(password, safe='')}@")


def _programs() -> Path | None:
    """The folder of the newest server's programs."""
    found = sorted(
        Path("/usr/lib/postgresql").glob("*/bin/initdb"),
        key=lambda program: float(program.parents[1].name),
    )
    other = shutil.which("initdb")
    if not found and other is not None:
        found = [Path(other).resolve()]
    return found[-1].parent if found else None


class PostgresServer:
    """A server with a folder of its own.

    Args:
        programs: The folder of its programs.
        folder: Its own folder.
        settings: What it is told.
    """

    def __init__(self, programs: Path, folder: Path, settings: Mapping[str, object]) -> None:
        self._programs, self._folder = programs, folder
        self.address = f"postgresql://postgres@/postgres?host={folder}"
        self._settings = {
            "listen_addresses": "",
            "unix_socket_directories": folder,
            "fsync": "off",
            "max_connections": 100,
            **settings,
        }
        # The server refuses to run as root.
        self._user: dict[str, Any] = {}
        if os.getuid() == 0:
            self._user = {"user": "postgres", "group": "postgres", "extra_groups": []}
            shutil.chown(folder, "postgres", "postgres")
        making: list[str | Path] = [
            *(programs / "initdb", "-D", folder / "data", "-U", "postgres", "-A", "trust"),
            *("-E", "UTF8", "--no-locale", "--no-sync"),
        ]
        subprocess.run(making, cwd=folder, check=True, capture_output=True, **self._user)
        rules = folder / "data" / "pg_hba.conf"
        rules.write_text(f"local all {GUARDED} scram-sha-256\n{rules.read_text()}")

    def start(self) -> None:
        """Start it, and wait until it lets somebody in."""
        options = [f"--{name}={value}" for name, value in self._settings.items()]
        end = monotonic() + _SECONDS
        while True:
            with (self._folder / "log").open("wb") as log:
                self._server = subprocess.Popen(
                    [self._programs / "postgres", "-D", self._folder / "data", *options],
                    cwd=self._folder,
                    stdout=log,
                    stderr=subprocess.STDOUT,
                    **self._user,
                )
            while self._server.poll() is None and monotonic() < end:
                with suppress(psycopg.OperationalError):
                    psycopg.connect(self.address).close()
                    return
                sleep(0.05)
            if monotonic() > end:
                said = (self._folder / "log").read_text()[-1000:]
                pytest.fail(f"the PostgreSQL server did not start: {said}")
            sleep(0.1)  # processes of one that was killed may still be about

    @property
    def pid(self) -> int:
        """The id of its process."""
        return self._server.pid

    def kill(self) -> None:
        """Kill it, as if the power had gone."""
        self._server.kill()
        self._server.wait(_SECONDS)

    def stop(self) -> None:
        """Stop it."""
        self._server.send_signal(SIGINT)
        self._server.wait(_SECONDS)
