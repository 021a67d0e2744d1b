"""A task that is over: what its log has of it, found by keys."""

from typing import NamedTuple, Self

from dwell import checks
from dwell.errors import InvalidInput, NotThere
from dwell.learners.learner import Learner
from dwell.policies import Policies
from dwell.policy import Policy
from dwell.programme.events import (
    Abandoned,
    Begun,
    Corrected,
    Decided,
    Finished,
    Told,
    begun_key,
    closed_key,
    decided_key,
    told_key,
)
from dwell.programme.journal import Journal
from dwell.programme.observations import Observations
from dwell.programme.path import policy_from
from dwell.rule import Rule
from dwell.sparse_policy import SparsePolicy


class Closed(NamedTuple):
    """A task that is over, and gone from the state.

    Attributes:
        number: Its number.
        end: How it ended.
        begun: How it began.
    """

    number: int
    end: Finished | Abandoned
    begun: Begun

    @classmethod
    def of(cls, journal: Journal, name: str) -> Self | None:
        """The task of that name; None if there is none, or it is open or waits."""
        with journal.known() as state:
            if name in state.numbers:
                return None
        begun = journal.find(begun_key(name))
        if not isinstance(begun, Begun):
            return None
        end = journal.find(closed_key(begun.task))
        return cls(begun.task, end, begun) if isinstance(end, Finished | Abandoned) else None

    @classmethod
    def require(cls, journal: Journal, name: str) -> Self:
        """The task of that name, which is nowhere if it is not over."""
        found = cls.of(journal, name)
        if found is None:
            raise NotThere(f"there is no task {checks.shown(name)} in {journal.name!r}")
        return found

    def told(self, journal: Journal, key: str) -> Observations | None:
        """What it was told under a key."""
        told = journal.find(told_key(self.number, key))
        return told.observations if isinstance(told, Told) else None

    def parts(self, journal: Journal) -> dict[str, Observations]:
        """All that it was told, corrected: the whole log is read for it."""
        found: dict[str, Observations] = {}
        for _, event in journal.events_of(self.number):
            match event:
                case Told(key=key, observations=observations):
                    found[f"#{len(found) + 1}" if key is None else key] = observations
                case Corrected(key=key, observations=observations):
                    found[key] = observations
        return found

    def policy(self, learner: Learner) -> SparsePolicy:
        """The policy that decided it, by its looks; of very many, some.

        Args:
            learner: The learner, which has the policy if it chose it from others.
        """
        if self.begun.limits is not None:
            return policy_from(self.begun.limits)
        if not isinstance(learner.choices, Policies):
            raise InvalidInput(
                f"the limits of task {self.begun.name!r} were not kept: an earlier version of "
                "dwell began it"
            )
        design = self.begun.design
        [policy] = learner.subset((design["columns"][design["decider"]],))
        assert not isinstance(policy, Rule)  # it has no form in JSON
        return SparsePolicy.of(policy) if isinstance(policy, Policy) else policy

    def decided(self, journal: Journal) -> Decided | None:
        """What was decided."""
        decided = journal.find(decided_key(self.number))
        return decided if isinstance(decided, Decided) else None
