"""How the rule of a programme changed, from what its log says of the tests that were begun.

With a law of samples, the log has each test's limits, unless they are very many: then nothing need
be learned anew. Elsewhere the whole log is replayed (`Programme.rules`), once.
"""

from dataclasses import dataclass, field
from threading import Lock
from typing import NamedTuple

from dwell.learners.rule_sentence import rule_sentence
from dwell.programme.events import Begun
from dwell.programme.path import Limits, policy_from
from dwell.programme.programme import Programme

_ALL_LOOKS = 63  # a log that has more of a test may have left some out


class RuleChange(NamedTuple):
    """A rule that came into force.

    Attributes:
        at: When the first test was begun by it, in seconds since 1970.
        task: That test's name.
        sentence: The rule.
    """

    at: float
    task: str
    sentence: str


@dataclass(slots=True)
class RuleChanges:
    """How the rule of a programme changed, for many threads; the log is read on from call to call.

    Attributes:
        programme: The programme.
    """

    programme: Programme
    _position: int = 0
    _limits: Limits | None = None
    _found: list[RuleChange] = field(default_factory=list)
    _replayed: bool = False
    _lock: Lock = field(default_factory=Lock)

    def all(self) -> list[RuleChange]:
        """All rules that were in force, the present one last; none before a test was begun."""
        with self._lock:
            if not self._replayed:
                self._read_on()
            if not self._replayed:
                return list(self._found)
        changes = self.programme.rules()
        return [RuleChange(each.at, each.task, each.sentence) for each in changes]

    def _read_on(self) -> None:
        with self.programme.state() as state:
            law = state.known.law
        for position, event in self.programme.events(self._position):
            self._position = position
            if not isinstance(event, Begun) or (self._found and event.limits == self._limits):
                continue
            if event.limits is None or len(event.limits.looks) > _ALL_LOOKS:
                self._replayed = True
                return
            self._limits = event.limits
            sentence = rule_sentence(policy_from(event.limits), law)
            # Limits that were computed anew may come to the same.
            if not self._found or self._found[-1].sentence != sentence:
                self._found.append(RuleChange(event.at, event.name, sentence))
