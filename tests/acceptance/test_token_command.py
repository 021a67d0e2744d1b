"""`dwell token`: made once, listed without its secret, revoked."""

from pathlib import Path

import pytest

import dwell
from tests.acceptance.commands import assert_refused, figures, run


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder of its own, with a programme."""
    monkeypatch.chdir(tmp_path)
    dwell.Programme.create("sqlite:///dwell.db", "checkout", policies=dwell.fixed(3))


def test_a_token_is_printed_alone_and_only_once() -> None:
    """It can be piped; what else there is to say goes to the standard error."""
    made = run("token", "create", "--scope", "tell", "--note", "nightly job")
    assert made.exit_code == 0
    [text] = made.stdout.split()
    assert text.startswith("dwell_")
    assert "not shown again" in made.stderr
    identity, secret = text.removeprefix("dwell_").split("_", 1)
    listed = run("token", "list")
    assert identity in listed.stdout
    assert "nightly job" in listed.stdout
    assert secret not in listed.stdout + run("token", "list", "--json").stdout


def test_the_secret_is_in_no_file_of_the_store() -> None:
    """Whoever has a copy of the store cannot come in by it."""
    secret = figures("token", "create")["token"].split("_", 2)[2].encode()
    files = list(Path().glob("dwell.db*"))
    assert files
    assert not any(secret in file.read_bytes() for file in files)


def test_a_revoked_token_is_listed_as_such_and_revoking_twice_changes_nothing() -> None:
    """When it was revoked stays what it was."""
    identity = figures("token", "create", "--programme", "checkout")["id"]
    once = figures("token", "revoke", identity)
    assert once["revoked"] is not None
    assert figures("token", "revoke", identity) == once
    [row] = figures("token", "list")["rows"]
    assert (row["id"], row["programme"], row["revoked"]) == (identity, "checkout", once["revoked"])
    assert "is revoked" in run("token", "revoke", identity).stdout


def test_where_there_is_none_the_list_says_how_to_make_one() -> None:
    """And a group alone shows its help."""
    assert "dwell token create makes one" in run("token", "list").stdout
    assert run("token").stdout == run("token", "--help").stdout


def test_tokens_are_no_programme() -> None:
    """They are kept beside programmes and listed nowhere among them."""
    run("token", "create")
    assert [row["programme"] for row in figures("programme", "list")["rows"]] == ["checkout"]


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (("create", "--scope", "root"), "--scope must be read, tell or admin, got 'root'"),
        (("create", "--programme", "chekout"), "one of those there are: 'checkout'"),
        (("create", "--note", "two\nlines"), "note must be a line of at most 200 characters"),
        (("revoke", "k3v8m2qa"), "there is no token 'k3v8m2qa'"),
        (("list", "--store", "tests.db"), "store must be sqlite:///FILE"),
    ],
    ids=["scope", "programme", "note", "id", "store"],
)
def test_what_cannot_be_done_is_refused_in_a_sentence(
    arguments: tuple[str, ...], reason: str
) -> None:
    """With the value and what to do."""
    assert_refused(("token", *arguments), reason)
