"""Pages of the docs: their blocks, and the commands in these with what they are said to print."""

import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType

from tests.acceptance.commands import run

DOCS = Path(__file__).parents[1] / "docs"


@dataclass(slots=True)
class Shown:
    """A command on a page, and the lines below it: what it prints, with … for what is left out."""

    line: str
    lines: list[str] = field(default_factory=list)


def text_of(page: str) -> str:
    """A page of the docs, by its path there."""
    return (DOCS / page).read_text(encoding="utf-8")


def blocks(page: str, kind: str) -> list[str]:
    """The blocks of a kind, such as `sql`, on a page."""
    return re.findall(rf"(?ms)^```{kind}\n(.*?)^```", text_of(page))


def commands(page: str) -> list[Shown]:
    """What follows `$` on a page, in order."""
    found: list[Shown] = []
    for block in blocks(page, "text"):
        for line in block.splitlines():
            if line.startswith("$ "):
                found.append(Shown(line.removeprefix("$ ")))
            elif line.strip() and found:
                found[-1].lines.append(line.rstrip())
    return found


def run_page(page: str, instead: Mapping[str, str] = MappingProxyType({})) -> None:
    """Run the commands of a page in this folder, in this process, and compare what they print.

    Args:
        page: The page, by its path.
        instead: What stands in a command, and what to put there, such as another address.
    """
    shown = commands(page)
    assert shown, f"{page} has no commands"
    run_shown(shown, instead)


def run_shown(
    shown: Sequence[Shown],
    instead: Mapping[str, str] = MappingProxyType({}),
    may_leave: Sequence[int] = (0,),
) -> int:
    """Run commands one after another; gives how the last one left.

    Each line that is shown comes next in what is printed, or after what … stands for. `$ echo $?`
    shows how the command before it left. What is no command of dwell's is left out: installing,
    say, is tested where the package is.

    Args:
        shown: The commands.
        instead: What stands in a command, and what to put there.
        may_leave: How a command may leave, where none asks about it.
    """
    left = 0
    for each, after in zip(shown, [*shown[1:], Shown("")], strict=True):
        if each.line == "echo $?":
            assert each.lines == [str(left)], (each, left)
        if each.line.startswith("dwell "):
            line = each.line
            for old, new in instead.items():
                line = line.replace(old, new)
            result = run(*words_of(line)[1:])
            left = result.exit_code
            assert left in may_leave or after.line == "echo $?", (line, result.output)
            compare(each.lines, result.stdout, line)
    return left


def words_of(line: str) -> list[str]:
    """A command as a shell would cut it, `$(cat FILE)` included."""
    words = shlex.split(line, comments=True)
    return [_filled(word) for word in words]


def _filled(word: str) -> str:
    inserted = re.fullmatch(r"\$\(cat (\S+)\)", word)
    return word if inserted is None else Path(inserted[1]).read_text(encoding="utf-8")


def compare(lines: list[str], printed: str, command: str) -> None:
    """See that lines come in this order in what was printed, with nothing between but for …."""
    rest = _filled_lines(printed)
    gap = False
    for line in lines:
        if line == "…":
            gap = True
            continue
        found = next(rest, None)
        while gap and found is not None and found != line:
            found = next(rest, None)
        assert found == line, (command, line, found)
        gap = False
    if lines and not gap:
        assert next(rest, None) is None, f"{command} prints more than the page shows"


def _filled_lines(printed: str) -> Iterator[str]:
    return (line.rstrip() for line in printed.splitlines() if line.strip())
