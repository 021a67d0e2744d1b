"""How the policies of a programme stand: what is chosen, what may still be the best."""

from dataclasses import dataclass
from typing import Literal

from dwell.learners.learner import Learner
from dwell.policies import Policies

Status = Literal["chosen", "candidate", "eliminated"]


@dataclass(frozen=True, slots=True, kw_only=True)
class PolicyStanding:
    """How a policy stands.

    Attributes:
        cap: The most samples that it may draw.
        status: Whether it is what is run, may be the best, or was eliminated.
        roi: The estimate of its ROI; None if there is none.
        roi_low: The lower end of its interval.
        roi_high: The upper end.
    """

    cap: int
    status: Status
    roi: float | None = None
    roi_low: float | None = None
    roi_high: float | None = None


def standings(learner: Learner) -> list[PolicyStanding]:
    """How the policies of a learner stand.

    A learner that computes its boundaries has one policy: what is in force.

    Example:
        >>> from dwell import Ladder, fixed
        >>> [standing.status for standing in standings(Ladder([fixed(1), fixed(3)]))]
        ['candidate', 'candidate']
    """
    choices, known = learner.choices, learner.knowledge()
    if not isinstance(choices, Policies):
        design = learner.peek()
        caps = () if design is None else design.policies.caps
        return [PolicyStanding(cap=cap, status="chosen") for cap in caps]
    found = []
    for index, cap in enumerate(choices.caps):
        status: Status = "candidate" if index in known.candidates else "eliminated"
        if index == known.chosen:
            status = "chosen"
        columns = (known.roi, known.roi_low, known.roi_high)
        roi, low, high = (None if each is None else float(each[index]) for each in columns)
        found.append(
            PolicyStanding(
                cap=cap,
                status=status,
                roi=roi,
                roi_low=low,
                roi_high=high,
            )
        )
    return found
