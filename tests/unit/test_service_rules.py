"""How a rule changed, as the service finds it without learning anew."""

import numpy as np
import pytest

from dwell import Ladder, Lift, Programme, Signs, fixed
from dwell.service.rule_changes import RuleChanges

_LADDER = {"learner": Ladder([fixed(1, 1), fixed(4, 1)], delta=0.9, setup_cost=1.0)}


@pytest.mark.parametrize(
    ("given", "replays"),
    [
        pytest.param({"law": Lift(0.1), "cap": 200}, False, id="limits are in the log"),
        pytest.param({"law": Signs(), "cap": 200}, True, id="there are too many limits"),
        pytest.param(_LADDER, True, id="the learner chooses"),
    ],
)
def test_rules_are_those_of_the_log_replayed(
    given: dict[str, object], replays: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same rules, tests and times, also now and then; the log is replayed if it must be."""
    programme = Programme.create("memory:", "checkout", **given)  # type: ignore[arg-type]  # what fits
    now_and_then = RuleChanges(programme)
    rng = np.random.default_rng(3)
    assert now_and_then.all() == []
    for number in range(20):
        values = rng.choice([-1, 1], 200, p=[0.4, 0.6])
        programme.begin().tell(values.tolist())
        if number % 7 == 0:
            now_and_then.all()
    rules = [(each.at, each.task, each.sentence) for each in programme.rules()]
    assert len(rules) > 1
    replayed = 0
    replay = Programme.rules

    def counted(of: Programme) -> object:
        nonlocal replayed
        replayed += 1
        return replay(of)

    monkeypatch.setattr(Programme, "rules", counted)
    assert now_and_then.all() == RuleChanges(programme).all() == rules
    assert bool(replayed) is replays
