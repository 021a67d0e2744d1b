"""Plain twins: what the fast code does, in as few and as slow lines as possible."""

from collections.abc import Sequence
from itertools import product
from math import ceil, inf, log, nan, sqrt
from typing import NamedTuple

import numpy as np

from dwell import Policies, Policy
from dwell.arrays import FloatArray


def run_policy(policy: Policy, samples: Sequence[float]) -> tuple[int, int]:
    """Duration and decision of a policy on one task; decision -1 if the samples end too soon."""
    total = 0.0
    for d, (sample, low, high) in enumerate(
        zip(samples, policy.lower, policy.upper, strict=False), start=1
    ):
        total += sample
        if total >= high:
            return d, 1
        if total <= low:
            return d, 0
    return min(len(samples), policy.cap), -1


def run_on_periods(
    policy: Policy, periods: Sequence[tuple[int, float]], held_out: int
) -> tuple[int, int, float]:
    """Samples drawn, decision and mean of what follows, seeing (count, sum) at ends of periods."""
    drawn, total = 0, 0.0
    for seen, (count, period_sum) in enumerate(periods[: len(periods) - held_out], start=1):
        looks = [d for d in range(drawn + 1, drawn + count + 1) if d <= policy.cap]
        looks = [d for d in looks if abs(policy.lower[d - 1]) < inf or policy.upper[d - 1] < inf]
        drawn, total = drawn + count, total + period_sum
        if looks and total >= policy.upper[looks[-1] - 1]:
            left = sum(n for n, _ in periods[seen:])
            return drawn, 1, sum(s for _, s in periods[seen:]) / left if left else nan
        if looks and (total <= policy.lower[looks[-1] - 1] or looks[-1] == policy.cap):
            return drawn, 0, 0.0
    return drawn, -1, 0.0


class Recorded(NamedTuple):
    durations: list[int]
    decisions: list[int]
    means: list[float]
    drawn: int


def record_task(policies: Policies, samples: Sequence[float], extras: int) -> Recorded:
    """What one task teaches: outcomes, means of the samples after acceptances, samples needed."""
    outcomes = [run_policy(p, samples) for p in policies if isinstance(p, Policy)]
    needed, means = [], []
    for stop, decision in outcomes:
        after = samples[stop : stop + extras] if decision == 1 else []
        needed.append(stop + extras if decision == 1 else stop)
        means.append(sum(after) / extras if len(after) else 0.0)
    durations, decisions = zip(*outcomes, strict=True)
    return Recorded(list(durations), list(decisions), means, max(needed))


class Expected(NamedTuple):
    reward: float
    cost: float
    accept_rate: float


def enumerate_sequences(
    policy: Policy, chances: dict[int, tuple[float, float]], prior: list[tuple[float, float]]
) -> Expected:
    """Expectations over all sequences; an observation has chance c0 + c1 * value."""
    reward = cost = accept_rate = 0.0
    for sequence in product(chances, repeat=policy.cap):
        duration, accepted = run_policy(policy, sequence)
        for value, weight in prior:
            likelihood = weight
            for observation in sequence:
                c0, c1 = chances[observation]
                likelihood *= c0 + c1 * value
            reward += likelihood * accepted * value
            cost += likelihood * duration
            accept_rate += likelihood * accepted
    return Expected(reward, cost, accept_rate)


class CapeTwin:
    """Algorithm 1 of the paper, line by line, on given rows of samples."""

    def __init__(
        self, policies: Policies, delta: float, exploration_cap: int, setup: float = 0.0
    ) -> None:
        self.policies = [p for p in policies if isinstance(p, Policy)]
        self.caps, self.setup = policies.caps, setup
        self.log = log(4 * len(policies) * exploration_cap / delta)
        self.exploration_cap = exploration_cap

    def run(self, rows: Sequence[Sequence[int]]) -> None:
        number = len(self.policies)
        self.candidates, self.trace = list(range(number)), [list(range(number))]
        self.tau, self.reward = [0.0] * number, [0.0] * number
        self.accepted = self.drawn = 0
        for n in range(1, min(self.exploration_cap, len(rows)) + 1):
            longest = max(self.candidates)
            cap = self.caps[longest]
            samples = rows[n - 1][: 2 * cap]
            after = sum(samples[cap:]) / cap
            for k in range(longest + 1):
                duration, decision = run_policy(self.policies[k], samples)
                self.tau[k] += duration
                self.reward[k] += decision * after
            self.accepted += decision
            self.drawn += 2 * cap
            self._bound(n)
            if n >= 2 * self.caps[-1] ** 2 * self.log:
                self.candidates = [k for k in self.candidates if not self._hopeless(k)]
            self.trace.append(self.candidates)
            if len(self.candidates) == 1:
                break
        self.explored = n
        some = any(self.r_high[k] >= 0 for k in self.candidates)
        below = self.c_low if some else self.c_high
        self.chosen = max(self.candidates, key=lambda k: self.r_high[k] / below[k])

    def _bound(self, n: int) -> None:
        e, s = sqrt(self.log / (2 * n)), self.setup
        caps = self.caps
        self.r_high = [r / n + 2 * e for r in self.reward]
        self.r_low = [r / n - 2 * e for r in self.reward]
        self.c_high = [s + t / n + (d - 1) * e for t, d in zip(self.tau, caps, strict=True)]
        self.c_low = [
            max(s + t / n - (d - 1) * e, s + 1) for t, d in zip(self.tau, caps, strict=True)
        ]

    def _hopeless(self, k: int) -> bool:
        if self.r_high[k] >= 0:
            best_case = self.r_high[k] / self.c_low[k]
            return any(best_case < self.r_low[j] / self.c_high[j] for j in self.candidates)
        best_case = self.r_high[k] / self.c_high[k]
        return any(best_case < self.r_low[j] / self.c_low[j] for j in self.candidates)


class EscTwin:
    """Algorithm 2 of the paper, line by line, on given rows of samples."""

    def __init__(self, tasks: int, delta: float, setup: float = 0.0) -> None:
        self.tasks, self.delta, self.setup = tasks, delta, setup

    def run(self, policy_of: dict[int, Policy], rows: Sequence[Sequence[int]]) -> int | None:
        eps = self.tasks ** (-1 / 3)
        self.used, self.drawn = 0, 0
        low, level, first = 0.0, 0, 0
        while True:
            level += 1
            k: int = 2**level
            total = 0.0
            for _ in range(ceil(log(level * (level + 1) / self.delta) / (2 * eps**2))):
                if self.used == self.tasks:
                    return None
                row = rows[self.used]
                duration, decision = run_policy(policy_of[k], row)
                total += duration if first else decision * sum(row[k : 2 * k]) / k
                self.drawn += duration if first else 2 * k
                self.used += 1
            mean = total / ceil(log(level * (level + 1) / self.delta) / (2 * eps**2))
            if not first and mean - 2 * eps > 0:
                first, low = k, mean - 2 * eps
            elif first and self.setup + mean > k * eps + (self.setup + first) / low:
                return k


def plug_in_bets(observations: Sequence[float], alpha: float) -> tuple[list[float], list[float]]:
    """What is expected of each observation in [0, 1] and what is bet on it, from those before."""
    total, squares, expected, bets = 0.5, 0.25, [], []
    for n, observation in enumerate(observations, start=1):
        expected.append(total / n)
        bets.append(sqrt(2 * log(2 / alpha) / (squares / n * n * log(n + 1))))
        total += observation
        squares += (observation - total / (n + 1)) ** 2
    return expected, bets


def empirical_bernstein_ends(x: Sequence[float], alpha: float) -> list[tuple[float, float]]:
    """Theorem 2 of Waudby-Smith and Ramdas, written out, with the running intersection."""
    expected, bets = plug_in_bets(x, alpha)
    bets = [min(bet, 0.5) for bet in bets]
    low, high, ends = 0.0, 1.0, []
    for n in range(1, len(x) + 1):
        mean = sum(b * v for b, v in zip(bets[:n], x, strict=False)) / sum(bets[:n])
        spread = sum((x[i] - expected[i]) ** 2 * (-log(1 - bets[i]) - bets[i]) for i in range(n))
        error = (log(2 / alpha) + spread) / sum(bets[:n])
        low, high = max(low, mean - error), min(high, mean + error)
        ends.append((low, high))
    return ends


def betting_ends(x: Sequence[float], alpha: float) -> list[tuple[float, float]]:
    """Theorem 3 of Waudby-Smith and Ramdas, by bisection, with the running intersection."""
    _, bets = plug_in_bets(x, alpha)
    low, high, ends = 0.0, 1.0, []
    for n in range(1, len(x) + 1):
        low = max(low, _ruled_out_to(x[:n], bets, 1, 2 / alpha))
        high = min(high, _ruled_out_to(x[:n], bets, -1, 2 / alpha))
        ends.append((low, high))
    return ends


def _ruled_out_to(x: Sequence[float], bets: list[float], side: int, goal: float) -> float:
    """Up to which mean m the bets that the mean is above (1) or below (-1) m reach the goal."""
    out, left = (0.0, 1.0) if side == 1 else (1.0, 0.0)
    for _ in range(40):
        m, capital = (out + left) / 2, 1.0
        most = 0.5 / m if side == 1 else 0.5 / (1 - m)
        for bet, value in zip(bets, x, strict=False):
            capital *= 1 + side * min(bet, most) * (value - m)
        out, left = (m, left) if capital >= goal else (out, m)
    return out


def agreement(samples: Sequence[float], decay: float, echo: float = 0.0) -> float:
    """The sum of each sample times the echo of those before it."""
    total = 0.0
    for sample in samples:
        total += sample * echo
        echo = decay * echo + sample
    return total


def agreement_moments(paths: Sequence[Sequence[float]], decay: float) -> tuple[float, float]:
    """Its mean and its variance over paths that are equally likely."""
    found = [agreement(path, decay) for path in paths]
    mean = sum(found) / len(found)
    return mean, sum((one - mean) ** 2 for one in found) / len(found)


def best_limits_of_one_class(
    values: FloatArray, weights: FloatArray, looks: Sequence[int], price: float, sums: FloatArray
) -> list[tuple[float, float]]:
    """The best limits on a sum of samples with noise 1, by posteriors on a fine grid of sums."""
    limits: list[tuple[float, float]] = []
    worth = np.zeros(len(sums))
    for n, samples in zip(looks[::-1], [0, *np.diff(looks)[::-1]], strict=True):
        posterior = weights * np.exp(values * (sums[:, None] - 0.5 * n * values))
        posterior /= posterior.sum(axis=1, keepdims=True)
        mean, onward = posterior @ values, np.full(len(sums), -np.inf)
        if samples:
            onward = np.full(len(sums), -price * samples)
            for j, value in enumerate(values):
                z = (sums - sums[:, None] - samples * value) / np.sqrt(samples)
                moves = np.exp(-0.5 * z**2) * (sums[1] - sums[0]) / np.sqrt(2 * np.pi * samples)
                onward += posterior[:, j] * (moves @ worth)
        worth = np.maximum(np.maximum(mean, 0.0), onward)
        limits.insert(0, (sums[worth <= 0.0].max(), sums[worth <= mean].min()))
    return limits
