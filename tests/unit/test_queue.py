"""The queue of open designs: what it keeps count of."""

import numpy as np

from dwell import EmpiricalBayes, Signs
from dwell.learners.design import Design
from dwell.learners.queue import Queue


def counted(queue: Queue) -> tuple[int, int]:
    """How many open tasks teach and may be accepted, counted anew."""
    found = [(each, queue._waiting.get(each.number)) for each in queue.open]
    accepting = [
        int(design.accepts) if records is None else int(design.accepted(records).sum())
        for design, records in found
    ]
    return sum(each.tasks for each, _ in found if each.teaches), sum(accepting)


def test_what_is_kept_up_is_what_is_counted_anew() -> None:
    """Whatever was begun, came back in any order, or was given up; copies and JSON included."""
    rng = np.random.default_rng(2)
    learner = EmpiricalBayes(Signs(), cap=8, setup_cost=4.0, guard=True)
    open_designs: list[Design] = []
    seen: set[tuple[int, int]] = set()
    for _ in range(120):
        if len(open_designs) < 6 or rng.random() < 0.4:
            open_designs.append(learner.begin())
        else:
            design = open_designs.pop(int(rng.integers(len(open_designs))))
            if rng.random() < 0.15:
                learner.forget(design)
            else:
                samples = rng.choice([-1, 1], 64, p=[0.3, 0.7]).astype(np.int8)
                learner.learn(design, design.record(samples))
        for queue in (learner.queue, learner.queue.copied()):
            assert (queue.reserved, queue.accepting) == counted(queue)
        seen.add(counted(learner.queue))
    restored = EmpiricalBayes.from_json(learner.to_json()).queue
    assert (restored.reserved, restored.accepting) == counted(learner.queue)
    assert len(seen) > 10
