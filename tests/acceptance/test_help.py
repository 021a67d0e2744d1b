"""Help, the version, and what starting costs."""

import subprocess
import sys

import pytest

from dwell import __version__
from tests.acceptance.commands import run, started

COMMANDS = (
    "demo",
    "plan",
    "evaluate",
    "exact",
    "simulate",
    "reproduce",
    "bench",
    "history",
    "programme",
    "serve",
    "token",
)
HEAVY = {"duckdb", "numba", "numpy", "plotly", "pyarrow", "rich", "scipy"}
PROGRAMME = (
    "create",
    "begin",
    "tell",
    "sync",
    "show",
    "list",
    "abandon",
    "clear",
    "record",
    "export",
    "audit",
    "verify",
)
EVERY = (
    *(*COMMANDS, "bench learners", "history generate"),
    *(f"programme {command}" for command in PROGRAMME),
    *(f"token {command}" for command in ("create", "list", "revoke")),
)


@pytest.mark.parametrize("command", EVERY)
def test_help_of_every_command_shows_an_example(command: str) -> None:
    """Each command's help says what to type."""
    result = run(*command.split(), "--help")
    assert result.exit_code == 0
    assert f"Examples:\n    dwell {command}" in result.stdout


@pytest.mark.parametrize("command", EVERY)
def test_help_fits_in_80_columns_and_is_grouped(command: str) -> None:
    """Options stand under headings, those for output and --help last."""
    lines = run(*command.split(), "--help").stdout.splitlines()
    assert max(map(len, lines)) <= 80
    if command in ("bench", "history", "programme", "token"):  # they have no options of their own
        return
    headings = [line for line in lines if line.endswith(":") and not line.startswith(" ")]
    assert headings[-2:] == ["Output:", "Other:"]
    assert len(headings) >= 3
    for line in lines[lines.index("Other:") + 1 :]:
        assert line.split()[0] == "--help"


def test_dwell_alone_shows_its_help() -> None:
    """With no command, the commands there are come up."""
    result = run()
    assert result.exit_code == 0
    assert all(command in result.stdout for command in COMMANDS)
    assert result.stdout == run("--help").stdout


def test_a_group_alone_shows_its_help() -> None:
    """Of the commands under `dwell bench`, too."""
    result = run("bench")
    assert result.exit_code == 0
    assert "learners" in result.stdout
    assert result.stdout == run("bench", "--help").stdout


def test_version_is_the_packages_own() -> None:
    """The version is that of the package."""
    assert run("--version").stdout.split()[-1] == __version__


def test_help_and_version_load_nothing_heavy() -> None:
    """No numerical library, no plotting and no rich is imported to show help, of any command."""
    asked = [["--help"], ["--version"], *([*command.split(), "--help"] for command in EVERY)]
    code = (
        "import sys\n"
        "from dwell.cli import main\n"
        f"for arguments in {asked!r}:\n"
        "    try:\n"
        "        main(arguments)\n"
        "    except SystemExit as left:\n"
        "        assert left.code == 0, arguments\n"
        f"    heavy = {HEAVY} & set(sys.modules)\n"
        "    assert not heavy, (arguments, heavy)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("Usage: ") == len(asked) - 1


def test_a_true_process_prints_and_leaves_with_its_code() -> None:
    """The command works from outside as it does in tests."""
    with started("exact", "--caps", "1:4") as process:
        table, said = process.communicate()
    assert process.returncode == 0
    assert "best" in table
    assert said == "computing the figures…\n"
