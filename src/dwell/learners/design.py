"""Design: how a task is to be run, and the record that it then gives.

A design is fixed when its task begins. Whatever the learner learns meanwhile, the record is read by
the design that it was made under: so many tests can be open at once.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, replace
from operator import attrgetter
from typing import Any, TypedDict

import numpy as np
from numpy.typing import ArrayLike

from dwell import checks, wire
from dwell.arrays import BoolArray, FloatArray, IntArray, Samples
from dwell.errors import InvalidInput
from dwell.learners.drawing import FIRST_SAMPLES, Draw, in_pieces
from dwell.learners.noise_evidence import COLUMNS, by_periods, by_samples, by_signs
from dwell.outcomes import scan_row
from dwell.periods import Periods
from dwell.policies import Policies
from dwell.policy import Policy
from dwell.records import (
    Records,
    at_period_ends,
    oversampled,
    row_until_stopped,
    unfinished,
    until_stopped,
)


class _Fields(TypedDict):
    """All of a design but the policies themselves."""

    number: int
    learned_from: int
    columns: tuple[int, ...]
    decider: int
    accepts: bool
    oversamples: bool
    extras: int
    verified: tuple[bool, ...]
    least: int
    deepened: tuple[bool, ...]
    sums: bool
    noise: float
    chunk: int
    tasks: int
    teaches: bool
    final: bool


# What is counted in a design, from which number on.
_COUNTS = (("number", 0), ("learned_from", 0), ("extras", 0), ("least", 0), ("tasks", 1))


@dataclass(frozen=True, slots=True, kw_only=True)
class Design:
    """How a task, or several in a row, are to be run.

    Attributes:
        policies: The policies that a record covers.
        columns: Which of the learner's policies each of them is.
        number: The number of the first task, counted from 1; 0 until it is begun.
        learned_from: From how many tasks the learner had learned when it was begun.
        decider: The column of the policy that decides.
        accepts: Whether its decision counts; if not, every task is rejected.
        oversamples: Whether to draw exactly twice the largest cap; if not, draw until all the
            policies have stopped.
        extras: How many samples to draw after each acceptance, to estimate the value from …
        verified: … and in which of the tasks; in all if it is empty.
        least: How many samples to draw at least, whenever the policies stop …
        deepened: … and in which of the tasks; in all if it is empty.
        sums: Whether a record keeps the sum of all samples that were drawn.
        noise: The standard deviation of a sample by its law, if a record is to keep what shows
            whether it is larger; 0 if not.
        chunk: How many samples have a sum that is about normal, to see that by; 0 for signs, whose
            order shows it.
        tasks: How many tasks it stands for: each begins when the one before was learned from.
        teaches: Whether the learner learns from the record.
        final: Whether the learner will make no other design from now on.

    Example:
        >>> from dwell import Ladder, fixed
        >>> learner = Ladder([fixed(1, 1), fixed(3, 1)])
        >>> design = learner.begin()
        >>> record = design.record([1, -1, 1, 1, -1])
        >>> record.durations.tolist(), design.accepted(record).tolist()
        ([[1]], [False])
        >>> learner.learn(design, record)
        1
    """

    policies: Policies = field(compare=False, repr=False)
    columns: tuple[int, ...]
    number: int = 0
    learned_from: int = 0
    decider: int = 0
    accepts: bool = True
    oversamples: bool = False
    extras: int = 0
    verified: tuple[bool, ...] = ()
    least: int = 0
    deepened: tuple[bool, ...] = ()
    sums: bool = False
    noise: float = 0.0
    chunk: int = 0
    tasks: int = 1
    teaches: bool = True
    final: bool = False

    def __post_init__(self) -> None:
        for name, least in _COUNTS:
            given = getattr(self, name)
            if (checked := checks.count(name, given, least)) is not given:
                object.__setattr__(self, name, checked)
        for name in ("verified", "deepened"):
            if len(which := getattr(self, name)) not in (0, self.tasks):
                raise InvalidInput(
                    f"{name} must say yes or no for each of {self.tasks} tasks, got {len(which)}"
                )
        if len(self.columns) != len(self.policies) or min(self.columns) < 0:
            raise InvalidInput(
                f"columns must name a policy of the learner for each of {len(self.policies)}, got "
                f"{checks.shown(self.columns)}"
            )
        decider = checks.count("decider", self.decider, least=0)
        if decider >= len(self.columns):
            raise InvalidInput(
                f"decider must be a column of {len(self.columns)}, counted from 0, got {decider}"
            )
        if decider is not self.decider:
            object.__setattr__(self, "decider", decider)

    def begun(self, number: int, learned_from: int) -> "Design":
        """The design of a task that begins: what was checked is not checked again."""
        other = object.__new__(Design)
        for put, value in zip(_PUT.values(), _all_of(self), strict=True):
            put(other, value)
        _PUT["number"](other, number)
        _PUT["learned_from"](other, learned_from)
        return other

    @property
    def samples(self) -> int:
        """The most samples that one task can take."""
        needed = self.policies.caps[-1] * (2 if self.oversamples else 1) + self.extras
        return max(needed, self.least)

    @property
    def estimates(self) -> bool:
        """Whether a record estimates the value, by samples that no decision has seen."""
        return self.oversamples or self.extras > 0

    def record(self, samples: ArrayLike | Periods) -> Records:
        """What tasks teach that were run as the design says.

        Args:
            samples: A row per task, or the samples of one task; or sums over periods, at whose
                ends the policies then look. There may be more than needed.
        """
        if isinstance(samples, Periods):
            return self._record_periods(samples)
        rows = np.atleast_2d(np.asarray(samples))
        given = rows.shape[-1]
        if given >= self.samples or not self.oversamples:
            records = self._recorded(rows, np.arange(len(rows)))
            if given >= self.samples or not unfinished(records, given).any():
                return records
        raise self._unfinished(given)

    def so_far(self, samples: Samples) -> Records:
        """What the samples of one task show so far; see `unfinished` of records.

        Args:
            samples: They may be fewer than are needed: then there is no estimate of the value.
        """
        if self.oversamples:
            outcomes = scan_row(samples, self.policies)
            return Records(outcomes.durations, outcomes.decisions, None, np.array([self.samples]))
        if self.verified or self.deepened:
            return self._recorded(samples[np.newaxis], np.arange(1))
        policies, extras, least = self.policies, self.extras, self.least
        records = row_until_stopped(samples, policies, extras, least=least, sums=self.sums)
        if not self.noise:
            return records
        return replace(records, traits=self._traits(samples[np.newaxis], records))

    def _record_periods(self, periods: Periods) -> Records:
        everyone = np.arange(len(periods))
        records = at_period_ends(
            periods,
            self.policies,
            extras=self.extras and self.extras_in(everyone),
            oversamples=self.oversamples,
            least=self.least_in(everyone),
            sums=self.sums,
        )
        going = unfinished(records, periods.samples)
        if going.any():
            raise self._unfinished(int(periods.samples[going][0]))
        if not self.noise:
            return records
        shown = by_periods(periods, records.drawn, self._deciding, self.noise)
        return replace(records, traits=shown)

    def _unfinished(self, given: int) -> InvalidInput:
        return InvalidInput(
            f"a task of design {self.number} goes on: it may draw {self.samples} samples and has "
            f"{given}; draw more, then record it"
        )

    def run(self, tasks: int, draw: Draw) -> Records:
        """Draw tasks until all is known that the design asks for.

        Args:
            tasks: How many.
            draw: What draws their samples.
        """
        first = self.samples if self.oversamples else FIRST_SAMPLES
        return in_pieces(tasks, draw, self._recorded, first=first, most=self.samples)

    def _recorded(self, samples: Samples, tasks: IntArray) -> Records:
        if self.oversamples:
            return oversampled(samples, self.policies)
        extras = self.extras and self.extras_in(tasks)
        records = until_stopped(
            samples, self.policies, extras, least=self.least_in(tasks), sums=self.sums
        )
        return replace(records, traits=self._traits(samples, records)) if self.noise else records

    def _traits(self, samples: Samples, records: Records) -> FloatArray:
        """What samples show of their noise, by the policy that decides; 0 where tasks go on."""
        found = np.zeros((len(records), COLUMNS))
        over = np.flatnonzero(~unfinished(records, samples.shape[1]))
        stops = records.durations[over, self.decider].astype(np.int64)
        drawn, policy = records.drawn[over], self._deciding
        if len(over):
            found[over] = (
                by_samples(samples[over], stops, drawn, policy, self.noise, self.chunk)
                if self.chunk
                else by_signs(samples[over], stops, drawn, policy)
            )
        return found

    def extras_in(self, tasks: IntArray) -> IntArray:
        """How many samples to draw after an acceptance, in tasks by their places from 0 on."""
        return _each(self.extras, self.verified, tasks)

    def least_in(self, tasks: IntArray) -> IntArray:
        """How many samples to draw at least, in tasks by their places from 0 on."""
        return _each(self.least, self.deepened, tasks)

    @property
    def _deciding(self) -> Policy:
        policy = self.policies[self.decider]
        assert isinstance(policy, Policy)  # only its paths can be counted
        return policy

    def accepted(self, records: Records) -> BoolArray:
        """Which of the recorded tasks are accepted."""
        if not self.accepts:
            return np.zeros(len(records), dtype=np.bool_)
        accepted: BoolArray = records.decisions[:, self.decider] == 1
        return accepted

    def require(self, records: Records) -> None:
        """Refuse records that were not made under this design."""
        width, wanted = records.durations.shape[1], len(self.columns)
        if width != wanted:
            raise InvalidInput(
                f"each record of design {self.number} must cover its {wanted} policies, got {width}"
            )
        if (records.estimates is not None) != self.estimates:
            raise InvalidInput(
                f"design {self.number} asks for {self._asked}; the records "
                f"{'lack' if self.estimates else 'have'} estimates of the value"
            )
        for name, asked in (("sums", self.sums), ("traits", self.noise > 0.0)):
            if (getattr(records, name) is not None) != asked:
                raise InvalidInput(
                    f"the records {'lack' if asked else 'have'} {name} of samples, which design "
                    f"{self.number} {'asks' if asked else 'does not ask'} for"
                )
        if len(records) > self.tasks:
            raise InvalidInput(
                f"design {self.number} stands for {self.tasks} tasks, got records of {len(records)}"
            )
        if len(records) and records.decisions.min() < 0:
            raise InvalidInput(
                f"a task of design {self.number} goes on: draw until its policies have stopped, "
                "then record it"
            )

    @property
    def _asked(self) -> str:
        if self.oversamples:
            return f"{self.samples} samples of each task"
        return f"{self.extras} samples after each acceptance"

    def to_dict(self) -> dict[str, Any]:
        """The design in types that JSON knows; of its policies, the columns."""
        return dict(zip(_WRITTEN, _written_of(self), strict=True))

    def is_as(self, fields: Mapping[str, Any]) -> bool:
        """Whether it is the design that gave these fields."""
        own = self.to_dict()
        return fields == own or wire.typed(fields, _Fields) == own

    @classmethod
    def from_dict(
        cls, fields: Mapping[str, Any], policies: Callable[[tuple[int, ...]], Policies]
    ) -> "Design":
        """The design that `to_dict` gave.

        Args:
            fields: What it gave.
            policies: Gives a learner's policies by their indices.
        """
        checked = wire.typed(fields, _Fields)
        return cls(policies=policies(checked["columns"]), **checked)


# What puts a value into each slot of a design, though it is frozen: sooner than by its name.
_PUT = {each.name: Design.__dict__[each.name].__set__ for each in fields(Design)}
_WRITTEN = tuple(_Fields.__annotations__)
_all_of, _written_of = attrgetter(*_PUT), attrgetter(*_WRITTEN)


def _each(number: int, chosen: tuple[bool, ...], tasks: IntArray) -> IntArray:
    """The number in tasks that are chosen, 0 in others."""
    if not chosen:
        return np.full(len(tasks), number)
    if len(tasks) > len(chosen):
        raise InvalidInput(
            f"a design of {len(chosen)} tasks records no more than these, got {len(tasks)}; learn "
            "from them, then begin others"
        )
    return np.where(np.array(chosen)[tasks], number, 0)


def alone(
    policies: Policies, index: int, *, accepts: bool, tasks: int, final: bool = False
) -> Design:
    """One policy, from which nothing is learned.

    Args:
        policies: The policy, as a set of its own.
        index: Which of the learner's policies it is.
        accepts: Whether its decision counts.
        tasks: How many tasks it stands for.
        final: Whether the learner will make no other design from now on.
    """
    return Design(
        policies=policies,
        columns=(index,),
        accepts=accepts,
        tasks=tasks,
        teaches=False,
        final=final,
    )
