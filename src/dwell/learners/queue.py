"""Queue: the designs that were begun, until their records have been taken in that order.

Short tests come back first. A learner that took records as they come would at any moment have seen
more short tests than there are, and lean towards what is true of those: so a record that comes
early waits for those that were begun before it.
"""

from collections.abc import Callable, Mapping
from typing import Any

from dwell import checks, wire
from dwell.errors import InvalidInput
from dwell.learners.design import Design
from dwell.policies import Policies
from dwell.records import Records


class Queue:
    """Open designs in the order in which they were begun, and the records that wait.

    Attributes:
        begun: How many tasks were begun.
        taken: From how many of them was learned.
        reserved: How many tasks are open that teach something.
        accepting: How many open tasks may be accepted: all whose records do not say already that
            not.
    """

    def __init__(self) -> None:
        self.begun = self.taken = 0
        # Both are kept up, as hundreds of tasks may be open where many are begun.
        self.reserved = self.accepting = 0
        self._open: dict[int, Design] = {}
        self._waiting: dict[int, Records] = {}

    @property
    def open(self) -> tuple[Design, ...]:
        """The designs that are neither taken nor given up, in the order of their beginning."""
        return tuple(self._open.values())

    def __contains__(self, number: object) -> bool:
        """Whether the design of that number is neither taken nor given up."""
        return number in self._open

    def add(self, design: Design) -> Design:
        """Begin a task: the design with its number."""
        numbered = self.numbered(design)
        self._enter(numbered)
        self.begun += numbered.tasks
        return numbered

    def numbered(self, design: Design) -> Design:
        """The design with the number that it would be begun under."""
        return design.begun(self.begun + 1, self.taken)

    def take_back(self, design: Design) -> None:
        """Undo the beginning of the design that was begun last."""
        self._require_open(design)
        self._leave(design.number)
        self.begun -= design.tasks

    def put(self, design: Design, records: Records) -> None:
        """Keep the records of a design until their turn comes."""
        self._require_open(design)
        if design.number in self._waiting:
            raise InvalidInput(f"design {design.number} has its records; they wait for their turn")
        design.require(records)
        self._wait(design, records)

    def amend(self, design: Design, records: Records) -> None:
        """Put other records in the place of those that wait, where what they say was corrected."""
        if design.number not in self._waiting:
            raise InvalidInput(f"design {design.number} has no records that wait for their turn")
        design.require(records)
        self._wait(design, records)

    def copied(self) -> "Queue":
        """A queue that goes on by itself from here."""
        other = Queue()
        other.begun, other.taken = self.begun, self.taken
        other.reserved, other.accepting = self.reserved, self.accepting
        other._open, other._waiting = dict(self._open), dict(self._waiting)
        return other

    def next(self) -> tuple[Design, Records] | None:
        """The design that was begun first, with its records; None while it has none."""
        number = next(iter(self._open), None)
        if number is None or number not in self._waiting:
            return None
        records = self._waiting[number]
        return self._leave(number), records

    def remove(self, design: Design) -> None:
        """Give up a design, and the records that it may have."""
        self._require_open(design)
        self._leave(design.number)

    def _enter(self, design: Design) -> None:
        self._open[design.number] = design
        self.reserved += design.tasks * design.teaches
        self.accepting += self._may_accept(design)

    def _wait(self, design: Design, records: Records) -> None:
        self.accepting -= self._may_accept(design)
        self._waiting[design.number] = records
        self.accepting += self._may_accept(design)

    def _leave(self, number: int) -> Design:
        design = self._open.pop(number)
        self.reserved -= design.tasks * design.teaches
        self.accepting -= self._may_accept(design)
        self._waiting.pop(number, None)
        return design

    def _may_accept(self, design: Design) -> int:
        """How many tasks of an open design may be accepted."""
        records = self._waiting.get(design.number)
        return int(design.accepts if records is None else design.accepted(records).sum())

    def _require_open(self, design: Design) -> None:
        if not isinstance(design, Design):
            raise InvalidInput(
                f"records belong to a Design, as begin gives it, got {checks.shown(design)}"
            )
        if self._open.get(design.number) != design:
            raise InvalidInput(
                f"design {design.number} is not open here: it was learned from, or forgotten, or "
                "another learner began it"
            )

    def to_dict(self) -> dict[str, Any]:
        """The queue in types that JSON knows, waiting records included."""
        return {
            "begun": self.begun,
            "taken": self.taken,
            "open": [
                {
                    "design": design.to_dict(),
                    "records": wire.plain(self._waiting.get(number)),
                }
                for number, design in self._open.items()
            ],
        }

    def restore(
        self, fields: Mapping[str, Any], policies: Callable[[tuple[int, ...]], Policies]
    ) -> None:
        """Become the queue that `to_dict` gave.

        Args:
            fields: What it gave.
            policies: Gives the learner's policies by their indices.
        """
        self.begun, self.taken = (wire.typed(fields[name], int) for name in ("begun", "taken"))
        for entry in fields["open"]:
            design = Design.from_dict(entry["design"], policies)
            if not max(self._open, default=0) < design.number <= self.begun:
                raise ValueError("designs are numbered in the order of their beginning")
            self._enter(design)
            if entry["records"] is not None:
                self.put(design, wire.typed(entry["records"], Records))
