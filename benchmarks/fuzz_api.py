"""The API under fire: schemathesis makes requests from its description, good ones and bad.

`python -m benchmarks.fuzz_api 300` fuzzes for 300 seconds. No answer may be a 5xx, of a status that
is not declared, of another type, or of another form than declared.
"""

import re
import subprocess
import sys
from collections import Counter
from pathlib import Path
from shutil import which
from tempfile import TemporaryDirectory
from typing import NamedTuple

import httpx2
from tests.serving import served

from dwell import Batch, Lift, Programme, fixed
from dwell.programme.stores.memory import MemoryStore
from dwell.programme.stores.protocol import EventStore
from dwell.service.app import create_app
from dwell.service.settings import Settings

CHECKS = (
    *("not_a_server_error", "status_code_conformance", "content_type_conformance"),
    *("response_headers_conformance", "response_schema_conformance", "negative_data_rejection"),
    *("unsupported_method", "allow_header_conformance"),
)


def seeded() -> EventStore:
    """A store with the programme and the tasks that the description's examples name."""
    store = MemoryStore()
    checkout = Programme.create(store, "checkout", law=Lift(0.1), cap=2000, setup_cost=20)
    for name in ("blue-button", "red-button"):
        checkout.begin(name).tell(control=Batch(50, 5), treatment=Batch(50, 5), key="2026-03-01")
    search = Programme.create(store, "search", policies=[fixed(1, 1), fixed(3, 1)])
    search.begin("done").tell([1, 1, 1, 1, 1, 1, 1, 1])
    return store


class Fuzzed(NamedTuple):
    """What came of it.

    Attributes:
        code: 0 if all answers were right.
        text: What schemathesis says.
        statuses: How many answers had each status.
    """

    code: int
    text: str
    statuses: dict[str, int]


def fuzzed(*options: str) -> Fuzzed:
    """Fuzz the API of a fresh application, as long as schemathesis is told by its options."""
    schemathesis = which("schemathesis", path=str(Path(sys.executable).parent)) or "schemathesis"
    # Nobody is to be slowed down here, and nothing posted to addresses that were drawn at random.
    settings = Settings(requests_per_second=1e6, hooks=False)
    # What schemathesis and Hypothesis keep in the present folder would change the next run: in a
    # folder of its own, the same options make the same requests.
    with served(create_app(settings, seeded())) as address, TemporaryDirectory() as folder:
        done = subprocess.run(
            [
                *(schemathesis, "run", f"{address}/api/v1/openapi.json"),
                *("--checks", ",".join(CHECKS), "--seed", "1"),
                *("--no-shrink", "--suppress-health-check", "all", "--request-timeout", "60"),
                *("--warnings", "off", "--generation-database", "none", *options),
            ],
            cwd=folder,
            check=False,
            capture_output=True,
            text=True,
        )
        figures = httpx2.get(f"{address}/metrics").text
    return Fuzzed(done.returncode, f"{done.stdout}\n{done.stderr}", statuses(figures))


def statuses(figures: str) -> dict[str, int]:
    """How many answers had each status, by the service's own figures."""
    found: Counter[str] = Counter()
    for status, count in re.findall(
        r'^dwell_requests_total{.*status="(\d+)"} (.*)$', figures, re.M
    ):
        found[status] += int(float(count))
    return dict(sorted(found.items()))


def main() -> None:
    """Fuzz, and print what was found."""
    seconds = sys.argv[1] if len(sys.argv) > 1 else "300"
    done = fuzzed("--max-time", seconds, "--continue-on-failure")
    print(done.text)
    print("answers by status:", done.statuses)
    sys.exit(done.code)


if __name__ == "__main__":
    main()
