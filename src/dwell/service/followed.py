"""A test as its story is told: its steps, and what happened to it."""

from collections import deque
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from dwell.programme.events import Decided, Recorded
from dwell.programme.observations import (
    ArmBatches,
    Batch,
    Observations,
    Outcomes,
    Values,
    period_of,
)
from dwell.programme.path import Limits

_MOST_STEPS, _MOST_NOTES = 256, 12

Kind = Literal[
    "began", "ship", "drop", "capped", "taught", "held", "cleared", "abandoned", "shipped",
    "dropped", "restated", "finished",
]  # fmt: skip


class Note(NamedTuple):
    """Something that happened.

    Attributes:
        at: When.
        kind: What.
        test: To which test.
        text: What else there is to say.
    """

    at: float
    kind: Kind
    test: str
    text: str = ""


@dataclass(slots=True)
class Followed:
    """A test that is open, or was until lately.

    Attributes:
        number: Its number.
        name: Its name.
        begun_at: When it began.
        limits: Its limits; None where the learner has them.
        column: Which of the learner's policies decides …
        decider: … and which of those that are recorded that is.
        steps: Samples and their sum, by key.
        notes: What happened to it, the latest last.
        tellings: How often it was told something.
        decided: What was decided, once it is.
        closed_at: When nothing more was wanted, or it was given up.
        abandoned: Whether it was given up.
        recorded: What people did about it.
        rough: Whether a correction could not be followed in its steps.
        users: How many users it was told of, by batches of arms.
        unpaired: Outcomes of one arm that have none of the other yet.
    """

    number: int
    name: str
    begun_at: float
    limits: Limits | None
    column: int
    steps: dict[str, tuple[int, float]] = field(default_factory=dict)
    notes: deque[Note] = field(default_factory=lambda: deque(maxlen=_MOST_NOTES))
    tellings: int = 0
    decided: Decided | None = None
    closed_at: float | None = None
    abandoned: bool = False
    recorded: Recorded | None = None
    rough: bool = False
    users: int = 0
    unpaired: tuple[list[float], list[float]] = ([], [])
    decider: int = 0

    def tell(self, key: str | None, observations: Observations) -> None:
        """Go a step on."""
        self.tellings += 1
        self.steps[f"#{self.tellings}" if key is None else key] = self._next(observations)
        if len(self.steps) > _MOST_STEPS:
            pairs = list(self.steps.items())
            self.steps = {
                f"{first} {then}": (one[0] + other[0], one[1] + other[1])
                for (first, one), (then, other) in zip(pairs[::2], pairs[1::2], strict=False)
            } | dict(pairs[len(pairs) - len(pairs) % 2 :])

    def _next(self, observations: Observations) -> tuple[int, float]:
        """What a step comes to: what was left over by steps before it is in it."""
        match observations:
            case Outcomes(control, treatment):
                arms = [*self.unpaired[0], *control], [*self.unpaired[1], *treatment]
                pairs = min(map(len, arms))
                self.unpaired = arms[0][pairs:], arms[1][pairs:]
                return amount(Outcomes(*arms))
            case ArmBatches():
                samples, total, self.users = period_of(observations, self.users)
                return samples, total
        return amount(observations)

    def correct(self, key: str, observations: Observations) -> tuple[int, int] | None:
        """Put something else in the place of a step; how many samples there were and are."""
        before = self.steps.get(key)
        # Where arms are of unequal length, later steps have other pairs.
        uneven = isinstance(observations, Outcomes) and len(observations.control) != len(
            observations.treatment
        )
        self.rough |= before is None or uneven
        if before is None:
            return None
        self.steps[key] = after = amount(observations)
        return before[0], after[0]

    @property
    def so_far(self) -> tuple[int, float]:
        """How many samples it has, and their sum."""
        return sum(n for n, _ in self.steps.values()), sum(plus for _, plus in self.steps.values())

    def path(self) -> tuple[tuple[float, float], ...]:
        """Samples and running totals so far, from 0 on."""
        samples, total, points = 0, 0.0, [(0.0, 0.0)]
        decided = self.decided
        for more, plus in self.steps.values():
            if decided is not None and samples < decided.samples < samples + more:
                points.append((float(decided.samples), decided.total))
            samples, total = samples + more, total + plus
            points.append((float(samples), total))
        return tuple(points)


def amount(observations: Observations) -> tuple[int, float]:
    """How many samples were told, and their sum.

    Example:
        >>> amount(ArmBatches(Batch(8, 2.0), Batch(8, 4.0))), amount(Values([1, -1, 1]))
        ((8, 2.0), (3, 1))
    """
    match observations:
        case Values(values):
            return len(values), sum(values)
        case Batch(n, total):
            return n, total
        case Outcomes(control, treatment):
            pairs = min(len(control), len(treatment))
            return pairs, float(sum(treatment[:pairs]) - sum(control[:pairs]))
        case ArmBatches():
            return period_of(observations, 0)[:2]
