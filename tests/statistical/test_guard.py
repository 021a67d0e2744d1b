"""What the guard guarantees, under streams that are made to break it.

Ideas are accepted as long as there is room. Their values are chosen by somebody who sees the ledger
and wants the budget to be exceeded: small gains until there is much room, then losses; or losses
alone. Only signs that verify acceptances are random.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pytest

from dwell.arrays import FloatArray
from dwell.learners.guard import Guard, Ledger

RUNS = 2000
LENGTH = 120
Adversary = Callable[[Guard, Ledger], float]


def losing(guard: Guard, ledger: Ledger) -> float:
    """Loses a little, always."""
    del guard, ledger
    return -0.3


def treacherous(guard: Guard, ledger: Ledger) -> float:
    """Earns until the guard trusts it, then loses as long as it does."""
    return 0.4 if guard.room(ledger) <= 3 else -1.0


def gambling(guard: Guard, ledger: Ledger) -> float:
    """Loses while verified luck is good: what is booked is more than it was worth."""
    del guard
    return -0.3 if ledger.verified >= -2.0 else 0.0


@dataclass(frozen=True, slots=True)
class Blind(Guard):
    """Takes verified samples for the values."""

    def _spread(self, rates: FloatArray, chance: float, samples: int) -> FloatArray:
        del chance, samples
        return 0.0 * rates

    def _threshold(self, phase: int) -> float:
        del phase
        return 0.0


def lost_in(
    guard: Guard, adversary: Adversary, chance: float, samples: int, rng: np.random.Generator
) -> tuple[float, float]:
    """The lowest that the sum of values came to before the guard closed first, and ever."""
    ledger, total, first, lowest = Ledger(), 0.0, 0.0, 0.0
    checked, drawn = rng.random(LENGTH) < chance, rng.random((LENGTH, samples))
    for verified, row in zip(checked, drawn, strict=True):
        if ledger.closed:  # what it watches earns, so that it opens soon
            guard.watch(ledger, 16, 0.8)
            continue
        value = adversary(guard, ledger)
        estimate = float(np.where(row < (1 + value) / 2, 1.0, -1.0).mean()) if verified else None
        total += value
        lowest = min(lowest, total)
        if ledger.phase == 0:
            first = lowest
        guard.accept(ledger, chance, samples, estimate)
        if not guard.room(ledger):
            guard.close(ledger)
    return first, lowest


@pytest.mark.parametrize("adversary", [losing, treacherous, gambling])
@pytest.mark.parametrize(("chance", "samples"), [(1.0, 1), (0.25, 1), (1.0, 8)])
def test_the_budget_is_exceeded_in_at_most_a_share_of_runs(
    adversary: Adversary, chance: float, samples: int
) -> None:
    """Minus the budget before it first closes by delta / 2, twice the budget ever by delta.

    Even if the shares were just that, a false alarm would have a probability below 1e-4 (four
    standard errors); they are a tenth of it at most.
    """
    runs = RUNS // 4 if (chance, samples) != (0.25, 1) else RUNS
    guard, rng = Guard(budget=8.0, delta=0.1), np.random.default_rng(5)
    worst = np.array([lost_in(guard, adversary, chance, samples, rng) for _ in range(runs)])
    for lost, budget, share in ((worst[:, 0], 8.0, 0.05), (worst[:, 1], 16.0, 0.1)):
        assert (lost < -budget).mean() <= share + 4.0 * np.sqrt(share * (1.0 - share) / runs)
    assert worst.min() < 0.0


def test_a_guard_that_trusts_its_samples_would_lose_more() -> None:
    """The same stream exceeds the budget of one without a bound in over a tenth of the runs.

    It is a third of them: the chance to see less than a tenth of 200 is below 1e-9.
    """
    rng = np.random.default_rng(5)
    worst = [lost_in(Blind(budget=8.0), losing, 0.25, 1, rng)[0] for _ in range(200)]
    assert np.mean(np.array(worst) < -8.0) > 0.1


def exceeded_while_it_grows(guard: Guard, adversary: Adversary, rng: np.random.Generator) -> bool:
    """Whether the sum of values ever came below minus what was there of the budget by then."""
    ledger, total = Ledger(), 0.0
    there = guard.budget * (guard.at_first + (1.0 - guard.at_first) * np.arange(200) / 4000)
    for tests, (drawn, most) in enumerate(zip(rng.random(200), there, strict=True)):
        if tests % 10 == 0:  # a round begins
            ledger.tests = tests
        if not guard.room(ledger):
            continue
        value = adversary(guard, ledger)
        total += value
        if total < -most:
            return True
        guard.accept(ledger, 1.0, 1, 1.0 if drawn < (1.0 + value) / 2.0 else -1.0)
    return False


@pytest.mark.parametrize("adversary", [losing, treacherous, gambling])
def test_a_budget_that_grows_holds_at_every_number_of_tests(adversary: Adversary) -> None:
    """Of 300 runs at most delta / 2 lose more than was there of the budget at some time.

    Even if it were just that share a false alarm would have a probability below 1e-4; it is a tenth
    of it at most. A guard that trusts its samples loses more in over a tenth of the runs.
    """
    rng, runs = np.random.default_rng(6), 300
    guard = Guard(budget=12.0, at_first=0.5)
    exceeded = [exceeded_while_it_grows(guard, adversary, rng) for _ in range(runs)]
    assert np.mean(exceeded) <= 0.05 + 4.0 * np.sqrt(0.05 * 0.95 / runs)
    if adversary is losing:
        blind = Blind(budget=12.0, at_first=0.5)
        trusting = [exceeded_while_it_grows(blind, adversary, rng) for _ in range(100)]
        assert np.mean(trusting) > 0.1
