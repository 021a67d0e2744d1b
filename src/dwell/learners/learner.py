"""What every learner is: designs that it begins, records that it takes, and what it then knows."""

import json
from abc import ABC, abstractmethod
from collections.abc import Mapping
from copy import copy
from dataclasses import dataclass, fields
from inspect import signature
from typing import Any, ClassVar, Self

import numpy as np

from dwell import checks, wire
from dwell.arrays import FloatArray
from dwell.errors import InvalidInput
from dwell.estimate.bounds import Bounds
from dwell.families import Countable, Every
from dwell.laws import Gaussian, Lift, Signs
from dwell.learners.copies import copied
from dwell.learners.design import Design, alone
from dwell.learners.past_sums import PastSums
from dwell.learners.queue import Queue
from dwell.policies import Policies
from dwell.records import Records
from dwell.shown import Shown
from dwell.wire import AsJson


@dataclass(repr=False, frozen=True, slots=True)
class Knowledge(Shown):
    """What a learner knows, for people to read; nothing in it is needed to go on.

    Attributes:
        candidates: The indices of the policies that may still be the best.
        eliminated_at: Per policy, the task after which it was eliminated; 0 for a candidate.
        bounds: Confidence bounds, valid for all policies at once; None if the learner has none.
        chosen: The policy that is run except to explore; None while there is none.
        explored: From how many tasks was learned.
        samples: How many samples these took.
        roi: Estimates of the policies' ROI; None if the learner has none.
        note: What a person should know besides; empty if nothing.
    """

    candidates: tuple[int, ...]
    eliminated_at: tuple[int, ...]
    bounds: Bounds | None
    chosen: int | None
    explored: int
    samples: int
    roi: FloatArray | None = None
    note: str = ""

    @property
    def roi_low(self) -> FloatArray | None:
        """Lower ends of the policies' ROI intervals."""
        return None if self.bounds is None else self.bounds.roi_low

    @property
    def roi_high(self) -> FloatArray | None:
        """Upper ends of the policies' ROI intervals."""
        return None if self.bounds is None else self.bounds.roi_high


class Learner(AsJson, ABC):
    """A pure state machine over tasks: no I/O, no clock, no randomness.

    `begin` says how the next task is to be run, and reserves its place; `learn` takes its record,
    in the order of beginning, however late and in whatever order records come; `forget` closes a
    task that was given up. Whoever writes a learner gives it `propose`, `take` and `knowledge`, a
    `state` (a dataclass of numbers and arrays, all that changes as it learns), and keeps each
    argument that it is made with as an attribute of the same name: JSON follows from these.
    docs/own-learner.md has one of 30 lines.

    Attributes:
        setup_cost: What each task costs besides its samples.
        state: All that changes as it learns.
        queue: The tasks that were begun, and the records that wait.
    """

    # What to give for a bound where observations have none, and how many deviations that is.
    BOUND: ClassVar[str] = "the scale with which they are sub-Gaussian, values included"
    BOUND_DEVIATIONS: ClassVar[float] = 1.0

    setup_cost: float
    state: Any

    def __init__(self) -> None:
        self.queue = Queue()
        self._subsets: dict[tuple[int, ...], Policies] = {}

    @property
    @abstractmethod
    def choices(self) -> Policies | Countable | Every:
        """The policies among which it looks for the best."""

    @abstractmethod
    def propose(self, tasks: int) -> Design | None:
        """How the next tasks are to be run; None when there is nothing left to run.

        Args:
            tasks: How many tasks in a row it may stand for at most. `queue.reserved` says how many
                tasks are open already that will teach something.
        """

    @abstractmethod
    def take(self, design: Design, records: Records) -> int:
        """Take in records in order, and return how many.

        Of tasks in a row, those that come after another design would have been made are not taken.
        """

    @abstractmethod
    def knowledge(self) -> Knowledge:
        """What is known so far."""

    def begin(self, tasks: int = 1) -> Design | None:
        """Begin a task; None when there is nothing left to run.

        Args:
            tasks: How many tasks in a row the design may stand for at most, each begun when the one
                before was learned from; for one as long as other designs are open.
        """
        proposed = self.propose(self._at_once(tasks))
        return None if proposed is None else self.queue.add(proposed)

    def _at_once(self, tasks: int) -> int:
        """For how many tasks in a row a design may be made now."""
        tasks = checks.count("tasks", tasks)
        for design in self.queue.open:
            if design.tasks > 1:
                raise InvalidInput(
                    f"design {design.number} stands for {design.tasks} tasks in a row: learn from "
                    "them before the next is begun, or begin tasks one by one"
                )
        return 1 if self.queue.open else tasks

    def begin_as(self, fields: Mapping[str, Any]) -> Design:
        """Begin a task as it was begun before, whatever would be begun now.

        Another version of a learner may make other designs; those that were run by are facts.

        Args:
            fields: What `to_dict` of its design gave.
        """
        proposed = self.propose(self._at_once(1))
        if proposed is not None:
            design = self.queue.add(proposed)
            if design.is_as(fields):  # as nearly always
                return design
            self.queue.take_back(design)
        return self.queue.add(Design.from_dict(fields, self.subset))

    def peek(self) -> Design | None:
        """The design that `begin` would give, with nothing begun."""
        ahead = copy(self)
        ahead.state, ahead.queue = copied(self.state), self.queue.copied()
        return ahead.begin()

    def learn(self, design: Design, records: Records) -> int:
        """Take in what a design's tasks have taught, once all begun before have been taken in.

        Args:
            design: The design that the records were made under.
            records: The records; of tasks in a row perhaps only of the first.

        Returns:
            How many tasks were taken. All, and waiting ones count, except where tasks in a row led
            to another design: those after it count as not begun, and can be recorded anew.
        """
        self.queue.put(design, records)
        return self._take_what_is_due().get(design.number, len(records))

    def forget(self, design: Design) -> None:
        """Close a task that was given up: nothing is learned from it, and none waits for it."""
        self.queue.remove(design)
        if design.teaches:
            self.skip(design)
        self._take_what_is_due()

    def skip(self, design: Design) -> None:
        """Go on without the records of a design; for learners that count on them."""
        del design

    def _take_what_is_due(self) -> dict[int, int]:
        """Take in records until one is missing; how many tasks of each design that was."""
        taken: dict[int, int] = {}
        while (due := self.queue.next()) is not None:
            design, records = due
            count = len(records)
            if design.teaches:
                count = self.take(design, records)
                self.queue.taken += count
            if design.tasks > 1:  # nothing was begun after these
                self.queue.begun -= design.tasks - count
            taken[design.number] = count
        return taken

    def subset(self, columns: tuple[int, ...]) -> Policies:
        """Some of the choices, by their indices."""
        if columns not in self._subsets:
            choices = self.choices
            if isinstance(choices, Policies):
                whole = columns == tuple(range(len(choices)))
                chosen = choices if whole else Policies(choices[index] for index in columns)
            else:
                assert isinstance(choices, Countable)  # who searches all gives its own
                chosen = Policies(choices.policy(index + 1) for index in columns)
            self._subsets[columns] = chosen
        return self._subsets[columns]

    def for_good(self, chosen: int | None, tasks: int) -> Design:
        """The design to run one policy from now on; or, if none, to reject everything.

        The cheapest way to reject is to run the shortest policy and not to heed its decision.
        """
        index = 0 if chosen is None else chosen
        accepts = chosen is not None
        return alone(self.subset((index,)), index, accepts=accepts, tasks=tasks, final=True)

    def up_to(self, last: int, *, tasks: int, oversamples: bool = False, extras: int = 0) -> Design:
        """The design in which all choices up to one are recorded, and that one decides."""
        columns = tuple(range(last + 1))
        return Design(
            policies=self.subset(columns),
            columns=columns,
            decider=last,
            oversamples=oversamples,
            extras=extras,
            tasks=tasks,
        )

    def meanwhile(self, index: int, *, accepts: bool = True) -> Design:
        """The design of a task that begins while all that are to be explored are open already."""
        return alone(self.subset((index,)), index, accepts=accepts, tasks=1)

    def __init_subclass__(cls) -> None:
        cls.LOOKS_LIKE = f"a {cls.__name__} in JSON is what its to_json wrote"

    def to_dict(self) -> dict[str, Any]:
        """Settings, state and open tasks, in types that JSON knows."""
        arguments = signature(type(self)).parameters
        return {
            "learner": type(self).__name__,
            "settings": {name: _setting(getattr(self, name)) for name in arguments},
            "state": wire.plain(self.state),
            "queue": self.queue.to_dict(),
        }

    @classmethod
    def from_dict(cls, fields: Mapping[str, Any]) -> Self:
        """The learner that `to_dict` described."""
        if fields["learner"] != cls.__name__:
            raise InvalidInput(
                f"this is the state of a {fields['learner']}, not of a {cls.__name__}"
            )
        learner = cls(**{name: _argument(value) for name, value in fields["settings"].items()})
        state = wire.typed(fields["state"], type(learner.blank()))
        if json.loads(json.dumps(wire.plain(state))) != fields["state"]:
            raise ValueError("a state has all that was written, and nothing else")
        learner.restore(state)
        learner.queue.restore(fields["queue"], learner.subset)
        return learner

    def restore(self, state: Any) -> None:
        """Go on from another state, if a learner like this one can get into it."""
        if not alike(self.blank(), state):
            raise ValueError("arrays of a state are as large as those of a new learner's")
        self.state = state

    def blank(self) -> Any:
        """A state as a new learner has it, or one of its shape if it takes long to make."""
        return self.state


def alike(fresh: Any, restored: Any) -> bool:
    """Whether arrays of a state have the shapes that those of a new learner have.

    Args:
        fresh: The state of a new learner, or a part of it.
        restored: The state that another learner left.
    """
    return all(
        now.shape == then.shape
        for now, then in (
            (getattr(fresh, each.name), getattr(restored, each.name)) for each in fields(fresh)
        )
        if isinstance(now, np.ndarray)
    )


def _setting(value: Any) -> Any:
    match value:
        case Policies():
            return {"policies": value.to_dict()}
        case Countable():
            return {"countable": wire.plain(value)}
        case PastSums():
            return {"past": value.to_dict()}
        case Signs() | Lift() | Gaussian():
            return {"law": type(value).__name__, "fields": wire.plain(value)}
        case _:
            return value


def _argument(value: Any) -> Any:
    match value:
        case {"policies": content}:
            return Policies.from_dict(content)
        case {"countable": content}:
            return wire.typed(content, Countable)
        case {"past": content}:
            return PastSums.from_dict(content)
        case {"law": name, "fields": content}:
            [kind] = (each for each in (Signs, Lift, Gaussian) if each.__name__ == name)
            return wire.typed(content, kind)
        case _:
            return value
