"""A browser: Debian's Chromium, driven by Playwright."""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from playwright.sync_api import Browser, sync_playwright

ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


# For a module, not for a session: while it is open no other test can run an event loop.
@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Chromium; without it tests are skipped, or fail where CI=true says that it is there."""
    with launched() as running:
        yield running


@contextmanager
def launched(*arguments: str) -> Iterator[Browser]:
    """Chromium, with arguments besides those of all tests."""
    chromium = shutil.which("chromium")
    if chromium is None:
        reason = "there is no chromium; on Debian, apt-get install chromium"
        if os.environ.get("CI") == "true":
            pytest.fail(reason)
        pytest.skip(reason)
    with sync_playwright() as playwright:
        running = playwright.chromium.launch(
            executable_path=chromium, args=[*ARGUMENTS, *arguments]
        )
        yield running
        running.close()
