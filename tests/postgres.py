"""A PostgreSQL server for tests: Debian's, on a socket of its own, thrown away at the end."""

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
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
    programs = _programs()
    if programs is None:
        reason = "there is no PostgreSQL server; on Debian, apt-get install postgresql"
        if os.environ.get("CI") == "true":
            pytest.fail(reason)
        pytest.skip(reason)
    # Its path must be short, for the socket, and open to the user whom the server runs as.
    with tempfile.TemporaryDirectory(prefix="dwell-", dir="/tmp") as name:
        folder = Path(name)
        server = _started(programs, folder)
        try:
            address = f"postgresql://postgres@/postgres?host={name}"
            _wait(server, address, folder / "log")
            with psycopg.connect(address) as connection:
                connection.execute(f"create role {GUARDED} login password '{PASSWORD}'".encode())
            yield address
        finally:
            server.send_signal(SIGINT)
            server.wait(_SECONDS)


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


def _started(programs: Path, folder: Path) -> subprocess.Popen[bytes]:
    # The server refuses to run as root.
    user: dict[str, Any] = {}
    if os.getuid() == 0:
        user = {"user": "postgres", "group": "postgres", "extra_groups": []}
        shutil.chown(folder, "postgres", "postgres")
    data = folder / "data"
    making: list[str | Path] = [
        *(programs / "initdb", "-D", data, "-U", "postgres", "-A", "trust"),
        *("-E", "UTF8", "--no-locale", "--no-sync"),
    ]
    subprocess.run(making, cwd=folder, check=True, capture_output=True, **user)
    rules = data / "pg_hba.conf"
    rules.write_text(f"local all {GUARDED} scram-sha-256\n{rules.read_text()}")
    settings = {
        "listen_addresses": "",
        "unix_socket_directories": folder,
        "fsync": "off",
        "max_connections": 20,
    }
    options = [word for name, value in settings.items() for word in ("-c", f"{name}={value}")]
    with (folder / "log").open("wb") as log:
        return subprocess.Popen(
            [programs / "postgres", "-D", data, *options],
            cwd=folder,
            stdout=log,
            stderr=subprocess.STDOUT,
            **user,
        )


def _wait(server: subprocess.Popen[bytes], address: str, log: Path) -> None:
    """Until the server lets somebody in."""
    end = monotonic() + _SECONDS
    while True:
        try:
            psycopg.connect(address).close()
            return
        except psycopg.OperationalError:
            if server.poll() is not None or monotonic() > end:
                pytest.fail(f"the PostgreSQL server did not start: {log.read_text()[-1000:]}")
            sleep(0.05)
