"""The rule in force, and how it changed: a log replayed, a rule for each task that was begun."""

from dataclasses import dataclass
from threading import Lock

from dwell.learners.rule_sentence import rule_sentence
from dwell.policies import AnyPolicy, Policies
from dwell.policy import Policy
from dwell.programme.events import Begun
from dwell.programme.journal import Journal
from dwell.programme.running import Running
from dwell.programme.state import State, apply
from dwell.sparse_policy import SparsePolicy

NO_RULE = "ship nothing yet: no rule has shown that it earns, and tests run to learn"


@dataclass(frozen=True, slots=True)
class RuleChange:
    """A rule that came into force.

    Attributes:
        at: When the first task was begun by it, in seconds since 1970.
        task: That task's name.
        sentence: The rule.
        policy: The same as boundaries; None while no rule has shown that it earns.
    """

    at: float
    task: str
    sentence: str
    policy: AnyPolicy | None


class RuleHistory:
    """How the rule of a programme changed, for many threads.

    The first look replays the whole log; each later one goes on from there.

    Args:
        journal: The programme's log.
    """

    def __init__(self, journal: Journal) -> None:
        self._journal = journal
        self._lock = Lock()
        self._state: State | None = None
        self._changes: list[RuleChange] = []
        self._last: object = object()  # which rule it was: like none at first

    def changes(self) -> tuple[RuleChange, ...]:
        """All rules that were in force, the first one first; none before a task was begun."""
        with self._lock:
            after = 0 if self._state is None else self._state.position
            for _, event in self._journal.events(after):
                self._state = apply(self._state, event)
                if isinstance(event, Begun):
                    self._see(self._state, event)
            return tuple(self._changes)

    def _see(self, state: State, event: Begun) -> None:
        which, policy = _in_force(state, state.tasks[event.task])
        if which == self._last:
            return
        self._last = which
        sentence = NO_RULE if policy is None else _sentence(state, policy)
        # Boundaries that were computed anew may come to the same.
        if not self._changes or self._changes[-1].sentence != sentence:
            self._changes.append(RuleChange(event.at, event.name, sentence, policy))


def _in_force(state: State, task: Running) -> tuple[object, AnyPolicy | None]:
    """The rule when a task was begun: which of the learner's it is, and its boundaries.

    Of a learner that chooses it is what is chosen: tasks that are explored run others as well.
    """
    choices = state.learner.choices
    if isinstance(choices, Policies):
        chosen = state.learner.knowledge().chosen
        return chosen, None if chosen is None else choices[chosen]
    design = task.design
    return design.columns[design.decider], design.policies[design.decider]


def _sentence(state: State, policy: AnyPolicy) -> str:
    assert isinstance(policy, Policy | SparsePolicy)  # no other has a form in JSON
    return rule_sentence(policy, state.known.law)
