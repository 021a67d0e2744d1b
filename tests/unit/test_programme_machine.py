"""Whatever is done to a programme, in whatever order, it is what a plain model says."""

from dataclasses import dataclass, field

import pytest
from hypothesis import Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from dwell import Design, InvalidInput, Ladder, Policies, Policy, Programme
from dwell.programme import journal
from dwell.programme.stores.memory import MemoryStore
from tests.programmes import Clock, replayed, snapshot

POLICIES = Policies([Policy([-1], [1]), Policy([-2, -2, 1], [2, 2, 1]), Policy([-3] * 6, [3] * 6)])
SIGNS = st.lists(st.sampled_from([-1, 1]), min_size=1, max_size=4)


@dataclass
class Plain:
    """A task as the model has it."""

    design: Design
    told: dict[str, list[int]] = field(default_factory=dict)
    decision: str | None = None
    finished: bool = False

    @property
    def samples(self) -> list[int]:
        return [sample for part in self.told.values() for sample in part]


class Programmes(RuleBasedStateMachine):
    """Begin, tell, tell again, correct, abandon, open again: beside a model of plain lists."""

    def __init__(self) -> None:
        super().__init__()
        self.store = MemoryStore()
        self.patch = pytest.MonkeyPatch()
        self.patch.setattr(journal, "EVERY", 7)
        self.programme = Programme.create(
            self.store, "checkout", learner=Ladder(POLICIES), clock=Clock()
        )
        self.other = Programme.open(self.store, "checkout", clock=Clock())
        self.learner = Ladder(POLICIES)
        self.tasks: dict[str, Plain] = {}
        self.over: set[str] = set()
        self.keys = 0

    def teardown(self) -> None:
        self.patch.undo()
        self.programme.verify()

    @property
    def running(self) -> list[str]:
        return [name for name, task in self.tasks.items() if not task.finished]

    @rule()
    def begin(self) -> None:
        design = self.learner.begin()
        assert design is not None
        name = self.programme.begin().name
        self.tasks[name] = Plain(design)

    @precondition(lambda self: self.running)
    @rule(data=st.data(), signs=SIGNS, other=st.booleans())
    def tell(self, data: st.DataObject, signs: list[int], other: bool) -> None:
        name = data.draw(st.sampled_from(self.running))
        self.keys += 1
        programme = self.other if other else self.programme
        advice = programme.task(name).tell(signs, key=f"key {self.keys}")
        self.tasks[name].told[f"key {self.keys}"] = signs
        self.follow(name)
        task = self.tasks[name]
        assert (advice.decision, advice.done) == (task.decision, task.finished)

    @precondition(lambda self: any(task.told for task in self.tasks.values()))
    @rule(data=st.data())
    def tell_again(self, data: st.DataObject) -> None:
        told = [name for name, task in self.tasks.items() if task.told]
        name = data.draw(st.sampled_from(told))
        key, before = (
            data.draw(st.sampled_from(list(self.tasks[name].told))),
            snapshot(self.programme),
        )
        if name not in self.over:  # of what is over the log has the first telling
            self.programme.task(name).tell(self.tasks[name].told[key], key=key)
            with pytest.raises(InvalidInput, match="something else"):
                self.programme.task(name).tell([*self.tasks[name].told[key], 1], key=key)
        assert snapshot(self.programme) == before

    @precondition(lambda self: any(task.told for task in self.tasks.values()))
    @rule(data=st.data(), signs=SIGNS)
    def correct(self, data: st.DataObject, signs: list[int]) -> None:
        told = [name for name, task in self.tasks.items() if task.told]
        name = data.draw(st.sampled_from(told))
        key = data.draw(st.sampled_from(list(self.tasks[name].told)))
        task = self.tasks[name]
        advice = self.programme.task(name).correct(key, signs)
        task.told[key] = signs
        if name not in self.over:
            self.follow(name)
        assert advice.decision == task.decision

    @precondition(lambda self: self.running)
    @rule(data=st.data())
    def abandon(self, data: st.DataObject) -> None:
        name = data.draw(st.sampled_from(self.running))
        self.programme.task(name).abandon()
        self.learner.forget(self.tasks.pop(name).design)
        self.close()

    @rule()
    def open_again(self) -> None:
        self.programme = Programme.open(self.store, "checkout", clock=Clock())

    def follow(self, name: str) -> None:
        """What the model makes of a task's samples."""
        task = self.tasks[name]
        total, policy = 0, task.design.policies[task.design.decider]
        for drawn, sample in enumerate(task.samples, start=1):
            total += sample
            upper, lower = policy.upper[drawn - 1], policy.lower[drawn - 1]  # type: ignore[union-attr]  # all are a Policy
            if task.decision is None and (total >= upper or total <= lower):
                accepts = task.design.accepts and total >= upper
                task.decision = "accept" if accepts else "reject"
            if total >= upper or total <= lower or drawn == policy.cap:
                break
        try:
            record = task.design.record([task.samples])
        except InvalidInput:
            return  # it goes on
        if task.finished:
            self.learner.queue.amend(task.design, record)
        else:
            task.finished = True
            self.learner.learn(task.design, record)
        self.close()

    def close(self) -> None:
        waiting = {design.number for design in self.learner.queue.open}
        self.over |= {
            name for name, task in self.tasks.items() if task.design.number not in waiting
        }

    @invariant()
    def it_has_learned_what_the_model_has(self) -> None:
        assert self.programme.learner().to_json() == self.learner.to_json()
        assert [task.name for task in self.programme.tasks()] == self.running

    @invariant()
    def the_log_comes_to_the_state(self) -> None:
        assert replayed(self.store) == snapshot(self.programme) == snapshot(self.other)

    @invariant()
    def decisions_stay(self) -> None:
        for name, task in self.tasks.items():
            advice = self.programme.task(name).advice
            assert (advice.decision, advice.done) == (task.decision, task.finished)


def test_a_programme_does_what_a_plain_model_does() -> None:
    """25 runs of up to 25 steps each."""
    run_state_machine_as_test(
        Programmes,
        settings=settings(
            max_examples=25,
            stateful_step_count=25,
            deadline=None,
            phases=(Phase.explicit, Phase.reuse, Phase.generate),  # to shrink takes minutes
        ),
    )
