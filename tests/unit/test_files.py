"""Files that are written whole or not at all."""

from pathlib import Path

import pytest

from dwell.errors import CannotWrite, InvalidInput
from dwell.files import whole_file, write_whole


def test_a_file_has_its_name_once_it_is_whole(tmp_path: Path) -> None:
    """Until then what was there before stays, and nothing is left beside it."""
    path = tmp_path / "figures.csv"
    write_whole(path, "before", "--out")
    with whole_file(path, "--out") as stream:
        stream.write("ä".encode())
        assert path.read_text(encoding="utf-8") == "before"
    assert path.read_bytes() == "ä".encode()
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("error", [InvalidInput("no such column"), KeyboardInterrupt()])
def test_an_error_leaves_no_file_and_stays_what_it_is(tmp_path: Path, error: BaseException) -> None:
    """Only what the file system says is told as a file that cannot be written."""

    def write() -> None:
        with whole_file(tmp_path / "log.csv", "file") as stream:
            stream.write(b"half")
            raise error

    with pytest.raises(type(error)):
        write()
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["", "missing/f.csv", "a\0b.csv", "c\0d/b.csv", "x" * 300])
def test_what_cannot_be_written_is_said_before_anything_is(tmp_path: Path, name: str) -> None:
    """A folder, one that is missing, and names that no file can have."""

    def write() -> None:
        with whole_file(tmp_path / name, "--out"):
            pytest.fail("nothing may be made for a file that cannot be written")

    with pytest.raises(CannotWrite, match=r"(?s)^cannot write .*; choose another --out$"):
        write()
    assert list(tmp_path.iterdir()) == []


def test_text_that_utf8_has_no_place_for_is_written_escaped(tmp_path: Path) -> None:
    """A policy's name may hold half a character."""
    write_whole(tmp_path / "f.csv", "a\ud800b", "--out")
    assert (tmp_path / "f.csv").read_text(encoding="utf-8") == r"a\ud800b"
