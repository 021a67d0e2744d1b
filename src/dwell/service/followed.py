"""A test as its story is told: its steps, and what happened to it."""

from collections import deque
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from dwell.programme.events import Decided, Recorded
from dwell.programme.observations import ArmBatches, Batch, Observations, Outcomes, Values
from dwell.programme.path import Limits

_MOST_STEPS, _MOST_NOTES = 256, 12

Kind = Literal[
    "began", "ship", "drop", "held", "cleared", "abandoned", "shipped", "dropped", "restated",
    "finished",
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
        column: Which of the learner's policies decides.
        steps: Samples and their sum, by key.
        notes: What happened to it, the latest last.
        tellings: How often it was told something.
        decided: What was decided, once it is.
        closed_at: When nothing more was wanted, or it was given up.
        abandoned: Whether it was given up.
        recorded: What people did about it.
        rough: Whether a correction could not be followed in its steps.
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

    def tell(self, key: str | None, observations: Observations) -> None:
        """Go a step on."""
        self.tellings += 1
        self.steps[f"#{self.tellings}" if key is None else key] = amount(observations)
        if len(self.steps) > _MOST_STEPS:
            pairs = list(self.steps.items())
            self.steps = {
                f"{first} {then}": (one[0] + other[0], one[1] + other[1])
                for (first, one), (then, other) in zip(pairs[::2], pairs[1::2], strict=False)
            } | dict(pairs[len(pairs) - len(pairs) % 2 :])

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
        case ArmBatches(control, treatment):
            if not (control.n and treatment.n):
                return 0, 0.0
            samples = (control.n + treatment.n) // 2
            return samples, samples * (treatment.sum / treatment.n - control.sum / control.n)
