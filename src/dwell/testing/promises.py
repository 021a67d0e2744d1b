"""Promises: what every learner keeps, a check each; where one is broken, AssertionError says so."""

import copy
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import numpy as np

from dwell.errors import InvalidInput
from dwell.lab.run import simulate
from dwell.learners.learner import Learner
from dwell.testing.driving import Subject, in_a_row, recorded, side_by_side
from dwell.world import World

_OVERLAPS = (2, 5, 20)


def check_learner(
    make: Callable[[], Learner], world: World, *, tasks: int = 300, width: int = 1024
) -> None:
    """Check all that a learner promises.

    Args:
        make: Makes a new learner, the same each time.
        world: A world in which it goes through all its phases.
        tasks: Within how many tasks.
        width: How many samples a task takes at most.

    Example:
        >>> from dwell import Atoms, Ladder, Signs, World, fixed
        >>> check_learner(lambda: Ladder([fixed(1), fixed(3)]), World(Atoms([-1, 1]), Signs()))
    """
    subject = Subject(make, world, tasks, width)
    for check in CHECKS.values():
        check(subject)


def _asking_changes_nothing(subject: Subject) -> None:
    for tasks in subject.moments:
        learner = subject.after(tasks)
        before = learner.to_json()
        learner.knowledge()
        ahead = learner.peek()
        assert learner.to_json() == before, "knowledge, peek and to_json leave the state alone"
        assert ahead == learner.begin(), "peek gives the design that begin gives"


def _restored_it_goes_on_identically(subject: Subject) -> None:
    end = subject.after(subject.tasks).to_json()
    for tasks in subject.moments:
        learner = subject.after(tasks)
        before = learner.to_json()
        for restored in (type(learner).from_json(before), copy.deepcopy(learner)):
            assert type(restored) is type(learner)
            assert restored.to_json() == before, "what is restored is what was written"
            in_a_row(restored, subject.rows[tasks:])
            assert restored.to_json() == end, "a restored learner goes on as the first one does"
        assert learner.to_json() == before, "a learner does not change with its copies"


def _blocks_are_tasks_one_by_one(subject: Subject) -> None:
    together = subject.after(subject.tasks).to_json()
    for sizes in ([1], [2, 1, 7], [64, 3]):
        learner = subject.make()
        in_a_row(learner, subject.rows, sizes)
        assert learner.to_json() == together, f"blocks of {sizes} give the state that one gives"


def _the_order_of_coming_back_is_of_no_matter(subject: Subject) -> None:
    for overlap in _OVERLAPS:
        ends = set()
        for order in (None, np.random.default_rng(1)):
            learner = subject.make()
            side_by_side(learner, subject.rows, overlap, order)
            assert not learner.queue.open, "what has come back is taken"
            ends.add(learner.to_json())
        assert len(ends) == 1, f"{overlap} tasks open at once may come back in any order"


def _open_tasks_and_waiting_records_are_restored(subject: Subject) -> None:
    for tasks in subject.moments[:-1]:
        learner = subject.after(tasks)
        lot = []
        for row in subject.rows[tasks : tasks + 6]:
            design = learner.begin()
            if design is not None:
                lot.append((design, recorded(design, row[np.newaxis])))
        for design, records in lot[1::2]:
            learner.learn(design, records)
        restored = type(learner).from_json(learner.to_json())
        assert restored.queue.open == learner.queue.open, "open designs are restored"
        assert restored.to_json() == learner.to_json(), "and so are records that wait"
        for each in (learner, restored):
            for design, records in lot[::2][::-1]:
                each.learn(design, records)
            assert not each.queue.open, "what has come back is taken"
        assert restored.to_json() == learner.to_json(), "what is restored goes on identically"


def _forgotten_tasks_teach_nothing_and_hold_up_nothing(subject: Subject) -> None:
    learner = subject.make()
    for start in range(0, subject.tasks - 3, 4):
        lot = [design for design in (learner.begin() for _ in range(4)) if design is not None]
        if len(lot) < 4:
            break
        first, forgotten, *later = lot
        for place, design in ((0, first), (2, later[0]), (3, later[1])):
            learner.learn(design, recorded(design, subject.rows[start + place][np.newaxis]))
        assert learner.queue.open == (forgotten, *later), "records wait for those begun before"
        before = learner.knowledge().explored
        learner.forget(forgotten)
        assert not learner.queue.open, "none waits for a task that was given up"
        taught = sum(design.teaches for design in later)
        assert learner.knowledge().explored <= before + taught, "it teaches nothing"
        with _refused("a forgotten task cannot be learned from"):
            learner.learn(forgotten, recorded(forgotten, subject.rows[:1]))


def _tasks_and_samples_are_counted(subject: Subject) -> None:
    learner = subject.make()
    done = taught = samples = 0
    while done < subject.tasks:
        design = learner.begin(min(100, subject.tasks - done))
        if design is None:
            break
        records = recorded(design, subject.rows[done : done + design.tasks])
        taken = learner.learn(design, records)
        done += taken
        if design.teaches:
            taught += taken
            samples += int(records.drawn[:taken].sum())
        known = learner.knowledge()
        assert (known.explored, known.samples) == (taught, samples), (
            "knowledge counts the tasks that were learned from, and their samples"
        )
    assert learner.queue.begun == done, "all that was begun was taken"


def _records_of_another_design_are_refused(subject: Subject) -> None:
    for tasks in subject.moments:
        learner = subject.after(tasks)
        design = learner.begin()
        if design is None:
            continue
        records = recorded(design, subject.rows[:1])
        before = learner.to_json()
        width = len(design.columns) + 1
        wider = replace(
            records,
            durations=np.repeat(records.durations[:, :1], width, axis=1),
            decisions=np.repeat(records.decisions[:, :1], width, axis=1),
            estimates=None if records.estimates is None else records.estimates[:, :1],
        )
        other = None if design.estimates else np.zeros((1, 1))
        for wrong, why in (
            (wider, "records of other policies are refused"),
            (replace(records, estimates=other), "estimates are there where they were asked for"),
            (recorded(design, subject.rows[:2]), "a design of one task has one record"),
        ):
            with _refused(why):
                learner.learn(design, wrong)
            assert learner.to_json() == before, "a refusal leaves the learner as it was"
        with _refused("a design that was never begun is refused"):
            learner.learn(replace(design, number=design.number + 1), records)
        learner.learn(design, records)
        with _refused("a task is learned from once"):
            learner.learn(design, records)


def _a_final_design_stays(subject: Subject) -> None:
    for tasks in subject.moments:
        learner = subject.after(tasks)
        design, known = learner.begin(), learner.knowledge()
        assert known.chosen is None or known.chosen in known.candidates
        if design is None or not design.final:
            continue
        assert not design.teaches, "nothing is learned from a policy that is run for good"
        assert design.accepts == (known.chosen is not None), "without a choice all is rejected"
        assert design.columns == (known.chosen or 0,), "the choice is run alone"
        assert list(design.policies) == list(learner.subset(design.columns))
        learner.learn(design, recorded(design, subject.rows[:1]))
        again = learner.begin()
        assert again is not None
        assert again == replace(design, number=again.number), "what is final stays"


def _eliminated_policies_are_no_candidates(subject: Subject) -> None:
    for tasks in subject.moments:
        known = subject.after(tasks).knowledge()
        assert all(0 <= at <= known.explored for at in known.eliminated_at)
        assert all(known.eliminated_at[k] == 0 for k in known.candidates)
        assert list(known.candidates) == sorted(set(known.candidates))


def _intervals_hold_all_ratios_within_their_bounds(subject: Subject) -> None:
    for tasks in subject.moments:
        learner = subject.after(tasks)
        known = learner.knowledge()
        if (bounds := known.bounds) is None:
            continue
        low, high = bounds.roi_low, bounds.roi_high
        assert (bounds.reward_low <= bounds.reward_high).all()
        assert (bounds.cost_low <= bounds.cost_high).all()
        assert (bounds.cost_low >= 1.0 + learner.setup_cost).all(), "a task takes a sample at least"
        for reward in (bounds.reward_low, bounds.reward_high):
            for cost in (bounds.cost_low, bounds.cost_high):
                finite = np.isfinite(reward) & np.isfinite(cost)
                ratio = reward[finite] / cost[finite]
                assert (low[finite] <= ratio).all()
                assert (ratio <= high[finite]).all()


def _a_run_follows_from_its_seed(subject: Subject) -> None:
    learner = subject.make()
    before = learner.to_json()
    budgets: tuple[dict[str, Any], ...] = (
        {"tasks": subject.tasks},
        {"samples": 20 * subject.tasks},
    )
    for options in budgets:
        for overlap in (1, 7) if "tasks" in options else (1,):
            first, second = (
                simulate(each, subject.world, rng=5, sampled=True, overlap=overlap, **options)
                for each in (learner, type(learner).from_json(before))
            )
            assert (first.reward, first.cost) == (second.reward, second.cost)
            assert first.learner.to_json() == second.learner.to_json()
    assert learner.to_json() == before, "the learner that is given is left alone"


def _what_is_no_learner_is_refused(subject: Subject) -> None:
    learner = subject.make()
    for text in ("", "{", "null", "[]", "7", "{}", '{"learner": null}', '{"learner": "Nobody"}'):
        with _refused("what to_json did not write is refused"):
            type(learner).from_json(text)


@contextmanager
def _refused(why: str) -> Iterator[None]:
    try:
        yield
    except InvalidInput:
        return
    raise AssertionError(why)


# By name: a sentence each.
CHECKS: dict[str, Callable[[Subject], None]] = {
    check.__name__.strip("_"): check
    for check in (
        _asking_changes_nothing,
        _restored_it_goes_on_identically,
        _blocks_are_tasks_one_by_one,
        _the_order_of_coming_back_is_of_no_matter,
        _open_tasks_and_waiting_records_are_restored,
        _forgotten_tasks_teach_nothing_and_hold_up_nothing,
        _tasks_and_samples_are_counted,
        _records_of_another_design_are_refused,
        _a_final_design_stays,
        _eliminated_policies_are_no_candidates,
        _intervals_hold_all_ratios_within_their_bounds,
        _a_run_follows_from_its_seed,
        _what_is_no_learner_is_refused,
    )
}
