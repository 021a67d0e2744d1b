"""Records are taken in the order of beginning: what that is for.

50 tests are open at once, and short ones come back first. After 30 of them have been learned from,
estimates of what the longest policy costs and of how often it accepts are compared with the exact
figures, over 150 runs. In the order of beginning they are unbiased: the test allows four standard
errors, which a right implementation exceeds once in 8,000 times for the two figures. In the order
of coming back they are off by dozens.
"""

from dataclasses import dataclass

import numpy as np

from dwell import Atoms, CapeSharp, Design, Records, Signs, World, exact, hoeffding
from dwell.learners.queue import Queue

WORLD = World(Atoms([-0.3, 0.0, 0.5], [0.4, 0.4, 0.2]), Signs())
POLICIES = hoeffding([4, 16, 64], c=0.35, tasks=10_000, delta=0.05)
RUNS, OPEN, LEARNED = 150, 50, 30


class AsTheyCome(Queue):
    """Hands over records as they come back, whatever was begun before them."""

    def next(self) -> tuple[Design, Records] | None:
        for number, records in self._waiting.items():
            return self._leave(number), records
        return None


@dataclass(frozen=True)
class Seen:
    """What a learner thinks of the longest policy."""

    cost: float
    accept_rate: float


class Watched(CapeSharp):
    """Keeps what it thinks after so many tasks; eliminates nothing before."""

    seen: Seen | None = None

    def take(self, design: Design, records: Records) -> int:
        taken = super().take(design, records)
        if self.state.explored == LEARNED:
            durations, accepted = self.state.sums[2].sum(), self.state.sums[1].sum()
            self.seen = Seen(float(durations) / LEARNED, float(accepted) / LEARNED)
        return taken


def thoughts(queue: type[Queue]) -> tuple[np.ndarray, np.ndarray]:
    """Costs and accept rates of the longest policy as runs see them."""
    seen = []
    for seed in np.random.SeedSequence(7).spawn(RUNS):
        rng = np.random.default_rng(seed)
        learner = Watched(POLICIES, tasks=10**6, delta=1e-9)
        learner.queue = queue()
        lot = []
        for row in WORLD.sample(OPEN, 2 * POLICIES.caps[-1], rng)[1]:
            design = learner.begin()
            assert design is not None
            lot.append((design, design.record(row)))
        for design, records in sorted(lot, key=lambda each: int(each[1].drawn[0])):
            learner.learn(design, records)
        assert learner.seen is not None
        seen.append(learner.seen)
    return np.array([each.cost for each in seen]), np.array([each.accept_rate for each in seen])


def off_by(figures: np.ndarray, truth: float) -> float:
    """How many standard errors a mean over runs is off."""
    return float((figures.mean() - truth) / (figures.std(ddof=1) / np.sqrt(len(figures))))


def test_in_the_order_of_beginning_estimates_are_unbiased() -> None:
    """Although short tests come back first."""
    costs, rates = thoughts(Queue)
    table = exact(POLICIES, WORLD)
    assert abs(off_by(costs, float(table.cost[-1]))) < 4.0
    assert abs(off_by(rates, float(table.accept_rate[-1]))) < 4.0


def test_in_the_order_of_coming_back_they_lean_towards_short_tests() -> None:
    """With the order switched off, the longest policy seems to cost a third of what it does."""
    costs, rates = thoughts(AsTheyCome)
    table = exact(POLICIES, WORLD)
    assert off_by(costs, float(table.cost[-1])) < -50.0
    assert costs.mean() < 0.35 * table.cost[-1]
    assert off_by(rates, float(table.accept_rate[-1])) > 8.0
