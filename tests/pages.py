"""Pages of the docs: their blocks, and the commands in these with what they are said to print."""

import re
import shlex
from collections.abc import Mapping, Sequence
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
        for line in re.sub(r"\\\n\s*", "", block).splitlines():
            if line.startswith("$ "):
                found.append(Shown(line.removeprefix("$ ")))
            elif line.strip() and found:
                found[-1].lines.append(line.rstrip())
    return found


def named_in(page: str) -> list[str]:
    """All commands of dwell's that a page names, in blocks and within sentences."""
    text = text_of(page).replace("\\\n", "")
    fenced = r"(?ms)^ *```(?:sh|text)?\n(.*?)^ *```"
    in_blocks = re.findall(r"(?m)^ *(?:\$ )?(dwell [a-z].*)$", "\n".join(re.findall(fenced, text)))
    within = re.findall(r"`(dwell [a-z][^`]*)`", re.sub(r"(?ms)^ *```.*?^ *```", "", text))
    return [" ".join(each.split()) for each in (*in_blocks, *within)]


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

    `compare` says what the lines below each must be; `$ echo $?` shows how the last one left. What
    is no command of dwell's is left out: installing, say, is tested where the package is.

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


def compare(lines: Sequence[str], printed: str, command: str) -> None:
    """See that lines are what was printed, but for how they are broken; … is what is left out.

    Args:
        lines: What a page shows.
        printed: What it should show.
        command: What printed it.
    """
    if not lines:
        return
    first, *others = (" ".join(part.split()) for part in "\n".join(lines).split("…"))
    rest = " ".join(printed.split())
    assert rest.startswith(first), (command, first, rest)
    rest = rest.removeprefix(first)
    for part in others:
        assert part in rest, (command, part, rest)
        rest = rest[rest.index(part) + len(part) :]
    assert not rest or (others and not others[-1]), f"{command} prints more: {rest}"
