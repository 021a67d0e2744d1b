"""Learners by name: one table for commands, for comparisons and for files.

The table itself loads nothing: a learner's module is imported when it is asked for.
"""

from __future__ import annotations

import json
from importlib import import_module
from inspect import signature
from typing import TYPE_CHECKING, Any, NamedTuple

from dwell import checks
from dwell.errors import InvalidInput

if TYPE_CHECKING:
    from dwell.learners.learner import Learner


class Entry(NamedTuple):
    """A learner that goes by a name.

    Attributes:
        module: Where it is.
        kind: The name of its class.
        about: What it does, in a few words.
        countable: Whether it searches a countable family; others choose among given policies.
        computes: Whether it computes its boundaries instead, from the law and a cap.
    """

    module: str
    kind: str
    about: str
    countable: bool = False
    computes: bool = False


LEARNERS = {
    "empirical-bayes": Entry(
        "empirical_bayes",
        "EmpiricalBayes",
        "fits the pool of ideas, runs the best boundaries for it",
        computes=True,
    ),
    "ladder": Entry(
        "ladder",
        "Ladder",
        "explores ever less; needs no law and no number of tasks",
    ),
    "cape": Entry("cape", "Cape", "capped policy elimination, the paper's"),
    "cape-sharp": Entry(
        "cape_sharp", "CapeSharp", "cape's schedule with ladder's estimates and bounds"
    ),
    "esc": Entry("esc", "Esc", "the paper's search without a largest cap; accepts nothing", True),
    "esc-cape": Entry("esc_cape", "EscCape", "esc, then cape on what it has left", True),
    "etc": Entry("baselines", "ExploreThenCommit", "explores as long as cape, then commits"),
    "fixed": Entry("baselines", "Fixed", "always runs the last policy, with the largest cap"),
}


def kind_of(name: str) -> type[Learner]:
    """The class of the learner of that name."""
    if name not in LEARNERS:
        raise InvalidInput(
            f"there is no learner {checks.shown(name)}; the learners are {', '.join(LEARNERS)}"
        )
    entry = LEARNERS[name]
    kind: type[Learner] = getattr(import_module(f"dwell.learners.{entry.module}"), entry.kind)
    return kind


def arguments_of(name: str) -> frozenset[str]:
    """The names of the arguments that a learner is made with.

    Example:
        >>> sorted(arguments_of("ladder"))
        ['bound', 'delta', 'policies', 'setup_cost']
    """
    return frozenset(signature(kind_of(name)).parameters)


def make(name: str, **offered: Any) -> Learner:
    """The learner of that name, made with those of the offered arguments that it knows.

    Example:
        >>> from dwell import fixed
        >>> make("ladder", policies=fixed(3), tasks=100, setup_cost=5).setup_cost
        5.0
    """
    known = arguments_of(name)
    return kind_of(name)(**{each: value for each, value in offered.items() if each in known})


def from_json(text: str) -> Learner:
    """The learner, of whatever kind, that `to_json` wrote.

    Example:
        >>> from dwell import Ladder, fixed
        >>> type(from_json(Ladder(fixed(3)).to_json())).__name__
        'Ladder'
    """
    try:
        written = json.loads(text)["learner"]
    except (ValueError, TypeError, LookupError):
        written = None
    for name, entry in LEARNERS.items():
        if entry.kind == written:
            return kind_of(name).from_json(text)
    kinds = ", ".join(entry.kind for entry in LEARNERS.values())
    raise InvalidInput(
        f"a learner in JSON is what to_json of one of {kinds} wrote, got {text[:60]!r}"
    )
