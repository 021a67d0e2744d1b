"""Small disks for tests: they are full soon, and can be made read-only even for root."""

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest


@contextmanager
def small_disk(folder: Path, size: str) -> Iterator[Path]:
    """A disk of that size in memory; where nobody may mount one, the test says so and is skipped.

    Under CI=true it fails instead.
    """
    folder.mkdir()
    mounting = ["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(folder)]
    if subprocess.run(mounting, capture_output=True).returncode:
        reason = "a small disk can be mounted by root only"
        if os.environ.get("CI") == "true":
            pytest.fail(reason)
        pytest.skip(reason)
    try:
        yield folder
    finally:
        subprocess.run(["umount", "--lazy", str(folder)], check=True)


def make_read_only(disk: Path) -> None:
    """Let nothing be written to a disk any more."""
    subprocess.run(["mount", "-o", "remount,ro", str(disk)], check=True)
