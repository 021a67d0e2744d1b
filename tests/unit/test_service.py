"""The service as it is put together."""

import httpx2

from dwell.programme.stores.memory import MemoryStore
from dwell.service.app import create_app
from tests.serving import served


def test_an_application_is_served_while_a_test_runs() -> None:
    """It answers at its address, and stops afterwards."""
    with served(create_app(store=MemoryStore())) as address:
        assert httpx2.get(f"{address}/api/v1/programmes").json() == {"programmes": []}
