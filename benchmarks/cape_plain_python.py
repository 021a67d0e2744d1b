"""A CAPE run through `simulate` against the same algorithm in plain Python, task by task.

Two twins. The one that the figure is about follows the paper: a policy is a pair (duration,
accept), and every policy is run on the task's samples. The other knows that these policies share
their boundaries, and finds all their stops in one pass. Neither compares a candidate with every
other in the test of line 5: the best of them is enough.
"""

from collections.abc import Callable, Iterator
from math import sqrt
from random import Random

from benchmarks.cape_setting import EXPLORATION_CAP, TASKS, CapeSetting, three_points
from benchmarks.duel import Asked, Duel
from dwell import simulate

# From samples, boundary and caps: the duration and the decision of each policy.
RunAll = Callable[[list[int], list[float], list[int]], list[tuple[int, bool]]]


def one_by_one(samples: list[int], upper: list[float], caps: list[int]) -> list[tuple[int, bool]]:
    return [_run(samples, upper, cap) for cap in caps]


def _run(samples: list[int], upper: list[float], cap: int) -> tuple[int, bool]:
    total = 0
    for d in range(cap):
        total += samples[d]
        if abs(total) >= upper[d]:
            return d + 1, total > 0
    return cap, False


def in_one_pass(samples: list[int], upper: list[float], caps: list[int]) -> list[tuple[int, bool]]:
    stop, accept = _run(samples, upper, caps[-1])
    return [(stop, accept) if stop <= cap else (cap, False) for cap in caps]


def plain_cape(setting: CapeSetting, seed: int, run_all: RunAll) -> int:
    """Algorithm 1, line by line; returns the policy that it chooses."""
    rng = Random(seed)
    caps, upper = setting.caps, setting.upper.tolist()
    duration_sums, reward_sums = [0] * len(caps), [0.0] * len(caps)
    candidates = list(range(len(caps)))
    n = 0
    while n < EXPLORATION_CAP and len(candidates) > 1:
        n += 1
        longest = candidates[-1]
        cap = caps[longest]
        (value,) = rng.choices(setting.atoms, setting.weights)
        plus = (1.0 + value) / 2.0
        samples = [1 if rng.random() < plus else -1 for _ in range(2 * cap)]
        after = sum(samples[cap:]) / cap
        for k, (duration, accept) in enumerate(run_all(samples, upper, caps[: longest + 1])):
            duration_sums[k] += duration
            if accept:
                reward_sums[k] += after
        if n >= setting.first_test:
            bounds = _bounds(n, candidates, duration_sums, reward_sums, setting)
            earning = max(low / cost_high for _, low, _, cost_high in bounds)
            losing = max(low / cost_low for _, low, cost_low, _ in bounds)
            candidates = [
                k
                for k, (high, _, cost_low, cost_high) in zip(candidates, bounds, strict=True)
                if (high / cost_low >= earning if high >= 0.0 else high / cost_high >= losing)
            ]
    bounds = _bounds(n, candidates, duration_sums, reward_sums, setting)
    best_cases = [
        high / cost_low if high >= 0.0 else high / cost_high
        for high, _, cost_low, cost_high in bounds
    ]
    return candidates[best_cases.index(max(best_cases))]


def _bounds(
    n: int,
    candidates: list[int],
    duration_sums: list[int],
    reward_sums: list[float],
    setting: CapeSetting,
) -> list[tuple[float, float, float, float]]:
    """r+, r-, c- and c+ of each candidate."""
    error = sqrt(setting.logarithm / (2.0 * n))
    bounds = []
    for k in candidates:
        reward, cost = reward_sums[k] / n, duration_sums[k] / n
        spread = (setting.caps[k] - 1) * error
        bounds.append(
            (reward + 2.0 * error, reward - 2.0 * error, max(cost - spread, 1.0), cost + spread)
        )
    return bounds


def duels() -> Iterator[Duel]:
    setting = three_points()
    yield against_python("cape/plain-python", one_by_one, setting, Asked(100.0))
    yield against_python("cape/plain-python/one-pass", in_one_pass, setting)


def against_python(
    name: str, run_all: RunAll, setting: CapeSetting, asked: Asked | None = None
) -> Duel:
    learner = setting.learner()
    run = simulate(learner, setting.world, tasks=TASKS, rng=1)
    assert run.chosen == plain_cape(setting, 1, run_all)
    return Duel(
        name=name,
        ours=lambda: simulate(learner, setting.world, tasks=TASKS, rng=1),
        rival=lambda: plain_cape(setting, 1, run_all),
        work=EXPLORATION_CAP,
        unit="task",
        asked=asked,
    )
