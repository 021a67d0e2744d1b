"""Which instances learners are compared on, and which learners, as options describe them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from dwell.cli.command import flag
from dwell.cli.options import forget_option, option
from dwell.errors import InvalidInput
from dwell.learners.registry import LEARNERS

if TYPE_CHECKING:
    from dwell.lab.suite import Instance

CHOOSERS = tuple(name for name, entry in LEARNERS.items() if not entry.countable)


def _instance_names() -> Iterable[str]:
    from dwell.lab.drift_suite import DRIFTS
    from dwell.lab.suite import suite

    return (*(instance.name for instance in suite(more=True)), *DRIFTS)


def _case_names() -> Iterable[str]:
    from dwell.lab.suite import CASES

    return CASES


def _names_of(
    kind: str, known: Callable[[], Iterable[str]]
) -> Callable[[str, str], tuple[str, ...]]:
    """Reads names between commas, and gives them in the order in which they are known."""

    def read(_: str, text: str) -> tuple[str, ...]:
        asked, there = [part.strip() for part in text.split(",")], dict.fromkeys(known())
        for name in asked:
            if name not in there:
                raise InvalidInput(
                    f"there is no {kind} {name!r}; the {kind}s are {', '.join(there)}"
                )
        return tuple(name for name in there if name in asked)

    return read


@dataclass(frozen=True, slots=True, kw_only=True)
class Contest:
    """Which instances were asked for."""

    instances: tuple[str, ...] | None
    held_out: bool
    drift: bool
    hostile: bool
    cases: tuple[str, ...] | None
    later_day: bool
    grid: bool
    scales: bool

    def __post_init__(self) -> None:
        if self.grid and self.scales:
            raise InvalidInput("give --grid or --scales, not both: each says which policies")
        for option_name, given in (("--cases", self.cases), ("--later-day", self.later_day)):
            if given and not self.hostile:
                raise InvalidInput(f"{option_name} says how to be hostile; give --hostile too")
        if self.instances is not None and self.held_out:
            raise InvalidInput("give --instances or --held-out, not both: each says which worlds")
        if self.drift and self.hostile:
            raise InvalidInput("give --drift or --hostile, not both: each says what goes wrong")

    def chosen(self) -> tuple[Instance, ...]:
        """The instances."""
        from dwell.lab.suite import CASES, HELD_OUT, HOSTILE_WORLDS, hostile_suite, suite

        self._require_kind()
        if self.drift:
            return self._drifting()
        names = HELD_OUT if self.held_out else self.instances
        if self.hostile and "headlines" in (self.instances or ()):
            raise InvalidInput("--hostile breaks worlds of signs; leave headlines out")
        if not self.hostile:
            every = suite(grid=self.grid, scales=self.scales, more=names is not None)
            return tuple(each for each in every if names is None or each.name in names)
        return hostile_suite(
            names=HOSTILE_WORLDS if names is None else names,
            cases=self.cases or CASES,
            later_day=self.later_day,
            grid=self.grid,
            scales=self.scales,
        )

    def _drifting(self) -> tuple[Instance, ...]:
        from dwell.lab.drift_suite import DRIFTS, HELD_OUT_DRIFTS, drift_suite

        usual = [name for name in DRIFTS if (name in HELD_OUT_DRIFTS) == self.held_out]
        names = usual if self.instances is None else self.instances
        return drift_suite(names=names, grid=self.grid, scales=self.scales)

    def _require_kind(self) -> None:
        """Refuse worlds that change without --drift, and others with it."""
        from dwell.lab.drift_suite import DRIFTS

        for name in self.instances or ():
            if name in DRIFTS and not self.drift:
                raise InvalidInput(f"the pool of {name} changes; give --drift too")
            if name not in DRIFTS and self.drift:
                raise InvalidInput(
                    f"nothing changes in {name}; with --drift the instances are {', '.join(DRIFTS)}"
                )


COMPARED = (
    option(
        "--instances",
        _names_of("instance", _instance_names),
        metavar="LIST",
        help="Which instances of the suite, by name.  [default: the 15 of the suite; with "
        "--hostile mostly-null and beta-45-55; with --drift the six that are not held out]",
    ),
    flag(
        "--held-out",
        help="Only worlds that are held out, and five more of them; with --drift the six of those.",
    ),
    flag("--drift", help="Let the pool of ideas change while learners run."),
    flag(
        "--hostile",
        help="Let observations break the law that learners are told, in each of nine ways.",
    ),
    option(
        "--cases",
        _names_of("case", _case_names),
        metavar="LIST",
        help="With --hostile: in which ways, by name.  [default: all]",
    ),
    flag(
        "--later-day",
        help="With --hostile: let samples after a stop, by which learners verify what they "
        "accepted, come from a later day; else they follow on the last that was seen.",
    ),
    option(
        "--learners",
        _names_of("learner", lambda: CHOOSERS),
        metavar="LIST",
        help="Which learners, by name.  [default: all]",
    ),
    flag(
        "--guard/--no-guard",
        help="Whether empirical-bayes verifies what it accepts.  [default: if set-up costs at "
        "least a 25th of the cap]",
        default=None,
    ),
    forget_option,
    flag(
        "--grid",
        help="Let policies differ in the width of their band too: c = 0.2, 0.35, 0.5 and 0.7.",
    ),
    flag(
        "--scales",
        help="Let policies be rules of two limits at five scales, ladder's usual class, instead of "
        "the paper's.",
    ),
)
