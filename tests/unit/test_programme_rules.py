"""How the rule of a programme changed, as its log shows."""

import numpy as np
import pytest

from dwell import Ladder, Lift, Policy, Programme, fixed
from dwell.learners.learner import Learner
from dwell.learners.rule_sentence import rule_sentence
from dwell.programme.events import Begun
from dwell.programme.rule_history import NO_RULE
from dwell.programme.state import fold
from dwell.programme.stores.memory import MemoryStore
from tests.programmes import Clock


def plain(programme: Programme) -> list[str]:
    """The rule in force whenever a task was begun: each time the whole log up to there."""
    events = [event for _, event in programme.events()]
    sentences: list[str] = []
    for place, event in enumerate(events, start=1):
        if isinstance(event, Begun):
            state = fold(None, events[:place])
            assert state is not None
            design = state.tasks[event.task].design
            chosen, policy = state.learner.knowledge().chosen, design.policies[design.decider]
            if isinstance(state.learner, Ladder):
                policy = state.learner.choices[chosen or 0]
            assert isinstance(policy, Policy)
            nothing = isinstance(state.learner, Ladder) and chosen is None
            sentence = NO_RULE if nothing else rule_sentence(policy, state.known.law)
            if sentence not in sentences[-1:]:
                sentences.append(sentence)
    return sentences


@pytest.mark.parametrize("kind", ["empirical-bayes", "ladder"])
def test_rules_are_those_that_tasks_were_begun_by(kind: str) -> None:
    """Asked for now and then, or by somebody who comes late: the same rules, each once."""
    store, clock = MemoryStore(), Clock()
    given: dict[str, object] = {"law": Lift(0.1), "cap": 32}
    if kind == "ladder":
        learner: Learner = Ladder([fixed(1, 1), fixed(4, 1)], delta=0.9, setup_cost=1.0)
        given = {"learner": learner}
    programme = Programme.create(store, "checkout", clock=clock, **given)  # type: ignore[arg-type]  # what fits
    rng = np.random.default_rng(3)
    assert programme.rules() == ()
    for number in range(40):
        values = rng.choice([-1, 0, 1], 200, p=[0.05, 0.35, 0.6])
        programme.begin().tell(values.tolist())
        if number % 7 == 0:
            programme.rules()
    found = programme.rules()
    assert [change.sentence for change in found] == plain(programme)
    assert len(found) > 1
    late = Programme.open(store, "checkout").rules()
    assert [(each.at, each.task, each.sentence) for each in late] == [
        (each.at, each.task, each.sentence) for each in found
    ]
    assert sorted(change.at for change in found) == [change.at for change in found]
