"""Findings: what is wrong with a log, row by row."""

from dataclasses import dataclass, field, replace

import numpy as np

from dwell.arrays import IntArray
from dwell.errors import InvalidInput

_SHOWN = 5


@dataclass(frozen=True, slots=True)
class Problem:
    """Something that is wrong in some rows.

    Attributes:
        kind: What it is, in a word or two.
        count: How often it was found.
        rows: The first rows that it was found in, counted from 1; none if it concerns no row.
        sentence: What is wrong in the first of them.
        fatal: Whether the log cannot be used as it is.
    """

    kind: str
    count: int
    rows: tuple[int, ...]
    sentence: str
    fatal: bool


@dataclass(slots=True)
class Findings:
    """Problems as they are found.

    Attributes:
        strict: Whether the first fatal one is raised at once.
        problems: Those found so far, by kind.

    Example:
        >>> import numpy as np
        >>> findings = Findings(strict=False)
        >>> findings.add("number", np.array([4, 9]), "value in row 4 must be …")
        >>> findings.problems["number"].rows
        (4, 9)
    """

    strict: bool
    problems: dict[str, Problem] = field(default_factory=dict)

    def add(self, kind: str, rows: IntArray, sentence: str, *, fatal: bool = True) -> None:
        """Note a problem of some rows."""
        if fatal and self.strict:
            raise InvalidInput(sentence)
        shown = tuple(np.sort(rows)[:_SHOWN].tolist())
        known = self.problems.get(kind, Problem(kind, 0, (), sentence, fatal))
        self.problems[kind] = replace(
            known, count=known.count + len(rows), rows=(known.rows + shown)[:_SHOWN]
        )
