"""The published checks can fail: each finds a learner out that breaks its promise."""

from dataclasses import replace
from typing import Any, Self

import numpy as np
import pytest

from dwell import (
    Atoms,
    Design,
    ExploreThenCommit,
    Knowledge,
    Policies,
    Records,
    Signs,
    World,
    fixed,
)
from dwell.learners.queue import Queue
from dwell.testing import CHECKS, Subject, check_learner

WORLD = World(Atoms([-1, 0, 1], [0.3, 0.3, 0.4]), Signs())
POLICIES = Policies([fixed(1, 1), fixed(2, 1), fixed(3, 1)])


class Sound(ExploreThenCommit):
    """Keeps all promises."""

    def __init__(self) -> None:
        super().__init__(POLICIES, tasks=200, exploration_cap=100)


class ChangedByQuestions(Sound):
    def knowledge(self) -> Knowledge:
        self.state.samples += 1
        return super().knowledge()


class KeepsThingsElsewhere(Sound):
    def take(self, design: Design, records: Records) -> int:
        self.aside = getattr(self, "aside", 0.0) + float(records.drawn.sum())
        self.state.reward_sums[0] = self.aside
        return super().take(design, records)


class AddsBlocksOtherwise(Sound):
    def take(self, design: Design, records: Records) -> int:
        self.state.reward_sums[0] += len(records) ** 2
        return super().take(design, records)


class AsTheyCome(Sound):
    class Hasty(Queue):
        def next(self) -> tuple[Design, Records] | None:
            for number, records in self._waiting.items():
                return self._leave(number), records
            return None

    def __init__(self) -> None:
        super().__init__()
        self.queue = self.Hasty()

    def take(self, design: Design, records: Records) -> int:
        self.state.reward_sums[0] *= 0.9  # what comes last counts most
        return super().take(design, records)


class LosesWhatWaits(Sound):
    def to_dict(self) -> dict[str, Any]:
        written = super().to_dict()
        for entry in written["queue"]["open"]:
            entry["records"] = None
        return written


class LearnsFromTheForgotten(Sound):
    def skip(self, design: Design) -> None:
        self.state.explored += design.tasks


class HoldsUp(Sound):
    def forget(self, design: Design) -> None:
        del design


class CountsTwice(Sound):
    def take(self, design: Design, records: Records) -> int:
        self.state.samples += 1
        return super().take(design, records)


class TakesAnything(Sound):
    class Lax(Queue):
        def put(self, design: Design, records: Records) -> None:
            self._open.setdefault(design.number, design)
            self._waiting[design.number] = records

    def __init__(self) -> None:
        super().__init__()
        self.queue = self.Lax()


class ChangesItsMind(Sound):
    def propose(self, tasks: int) -> Design:
        design = super().propose(tasks)
        return replace(design, accepts=False) if design.final else design


class EliminatesItsChoice(Sound):
    def knowledge(self) -> Knowledge:
        return replace(super().knowledge(), eliminated_at=(10**6, 0, 0))


class Presumptuous(Sound):
    def knowledge(self) -> Knowledge:
        known = super().knowledge()
        assert known.bounds is not None
        return replace(known, bounds=replace(known.bounds, cost_low=known.bounds.cost_low - 1.0))


class Random(Sound):
    def take(self, design: Design, records: Records) -> int:
        self.state.reward_sums[0] += np.random.default_rng().random()
        return super().take(design, records)


class Gullible(Sound):
    @classmethod
    def from_json(cls, text: str) -> Self:
        try:
            return super().from_json(text)
        except ValueError:
            return cls()


BROKEN: dict[str, list[type[Sound]]] = {
    "asking_changes_nothing": [ChangedByQuestions],
    "restored_it_goes_on_identically": [KeepsThingsElsewhere],
    "blocks_are_tasks_one_by_one": [AddsBlocksOtherwise],
    "the_order_of_coming_back_is_of_no_matter": [AsTheyCome],
    "open_tasks_and_waiting_records_are_restored": [LosesWhatWaits],
    "forgotten_tasks_teach_nothing_and_hold_up_nothing": [LearnsFromTheForgotten, HoldsUp],
    "tasks_and_samples_are_counted": [CountsTwice],
    "records_of_another_design_are_refused": [TakesAnything],
    "a_final_design_stays": [ChangesItsMind],
    "eliminated_policies_are_no_candidates": [EliminatesItsChoice],
    "intervals_hold_all_ratios_within_their_bounds": [Presumptuous],
    "a_run_follows_from_its_seed": [Random],
    "what_is_no_learner_is_refused": [Gullible],
}


def test_a_sound_learner_passes() -> None:
    """And there is a broken learner for each of the checks."""
    check_learner(Sound, WORLD, tasks=200, width=16)
    assert set(BROKEN) == set(CHECKS)


@pytest.mark.parametrize(
    ("check", "broken"), [(check, kind) for check, kinds in BROKEN.items() for kind in kinds]
)
def test_a_broken_promise_is_found_out(check: str, broken: type[Sound]) -> None:
    """By the check that is for it."""
    with pytest.raises((AssertionError, LookupError, ValueError)):
        CHECKS[check](Subject(broken, WORLD, tasks=200, width=16))


def test_a_width_that_is_too_small_is_said() -> None:
    """Whoever checks a learner is told what to do."""
    with pytest.raises(AssertionError, match="check with a larger width"):
        check_learner(Sound, WORLD, tasks=10, width=4)
