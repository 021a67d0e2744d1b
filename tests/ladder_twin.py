"""Ladder in plain Python: one task at a time, a dictionary per rung, a loop per sum."""

from itertools import pairwise
from math import cbrt, exp, floor, inf, log, sqrt
from typing import NamedTuple

from dwell import Policies, Policy
from tests.plain import run_policy

Numbers = list[float]


class TooClose(Exception):
    """Two numbers that a decision compares are nearer than their rounding errors."""


def below(left: float, right: float) -> bool:
    """Whether left < right; refuses to say where that depends on rounding."""
    if left != right and abs(left - right) <= 1e-9 * max(1e-3, abs(left), abs(right)):
        raise TooClose
    return left < right


def whole(number: float) -> int:
    nearest = round(number)
    if number != nearest and abs(number - nearest) <= 1e-9 * max(1.0, number):
        raise TooClose
    return floor(number)


def best_of(indices: list[int], figures: Numbers) -> int:
    best = indices[0]
    for index in indices[1:]:
        best = index if below(figures[best], figures[index]) else best
    return best


class Batch(NamedTuple):
    level: int
    decider: int
    extras: int
    tasks: int


class LadderTwin:
    def __init__(self, policies: Policies, delta: float, setup: float, bound: float) -> None:
        self.policies = [policy for policy in policies if isinstance(policy, Policy)]
        self.delta, self.setup, self.bound = delta, setup, bound
        self.all = list(range(len(policies)))
        self.chains: list[list[int]] = [chain.members.tolist() for chain in policies.chains]
        self.shorter = {long: short for chain in self.chains for short, long in pairwise(chain)}
        caps = policies.caps
        self.widths = [
            caps[k] - (caps[self.shorter[k]] if k in self.shorter else 0) for k in self.all
        ]
        self.ends = [k for k in self.all if k + 1 == len(caps) or caps[k + 1] > caps[k]]
        names = "seen accepted durations centre spread estimated rewards squares"
        self.rungs = [dict.fromkeys(names.split(), 0.0) for _ in self.all]
        self.eliminated_at = [0] * len(caps)
        self.credits = [0.0] * (len(self.ends) + 1)
        self.tasks = self.samples = 0
        self.begin_round()

    def total(self, increments: Numbers) -> Numbers:
        """A policy has its own rung and all that the next shorter one has."""
        totals: Numbers = []
        for k in self.all:
            totals.append(increments[k] + (totals[self.shorter[k]] if k in self.shorter else 0.0))
        return totals

    def stopped_by(self, k: int) -> list[int]:
        outer, found = self.policies[k], []
        for j, inner in enumerate(self.policies):
            before = range(inner.cap - 1)
            if inner.cap <= outer.cap and all(
                outer.lower[d] <= inner.lower[d] and inner.upper[d] <= outer.upper[d]
                for d in before
            ):
                found.append(j)
        return found

    def recorded(self) -> list[int]:
        batch = self.batches[0]
        if batch.level < 0:
            return self.stopped_by(batch.decider)
        return list(range(self.ends[batch.level] + 1))

    def learn(self, row: list[int]) -> None:
        """One task; a policy that accepts is followed by a few samples more."""
        batch, needed = self.batches[0], 0
        stops = {k: run_policy(self.policies[k], row) for k in self.recorded()}
        for k, (stop, accept) in stops.items():
            last = stop + accept * batch.extras
            needed = max(needed, last)
            rung, (first, before) = self.rungs[k], stops.get(self.shorter.get(k, -1), (0, 0))
            rung["seen"] += 1
            rung["accepted"] += accept - before
            rung["durations"] += stop - first
            rung["spread"] += (stop - first - rung["centre"]) ** 2
            if batch.extras:
                rung["estimated"] += 1
                reward = (accept - before) * sum(row[stop:last]) / batch.extras
                rung["rewards"] += reward
                rung["squares"] += reward**2
        self.samples += needed
        self.tasks += 1
        self.batches[0] = batch._replace(tasks=batch.tasks - 1)
        if batch.tasks == 1:
            del self.batches[0]
            if not self.batches:
                self.begin_round()

    def radius(self, count: float, squares: float, scale: float) -> float:
        lines = [inf]
        for j in range(40 if count else 0):
            slope = 0.75 / 2**j
            psi = -log(1 - slope) - slope if j < 20 else slope**2 / 2 + slope**3 / 3
            level = log((j + 1) * (j + 2) * 4 * len(self.all) / self.delta)
            lines.append((level + psi * squares / scale**2) / slope * scale / count)
        return min(lines)

    def bound_all(self) -> None:
        ends: dict[str, Numbers] = {"r_low": [], "r_high": [], "c_low": [], "c_high": []}
        for k, rung in enumerate(self.rungs):
            mean = rung["rewards"] / max(rung["estimated"], 1)
            error = self.radius(rung["estimated"], rung["squares"], self.bound)
            ends["r_low"].append(max(mean - error, -self.bound))
            ends["r_high"].append(min(mean + error, self.bound))
            mean = rung["durations"] / max(rung["seen"], 1)
            width = self.widths[k]
            error = self.radius(rung["seen"], rung["spread"], width) if width else 0.0
            ends["c_low"].append(max(mean - error, 0 if k in self.shorter else 1))
            ends["c_high"].append(min(mean + error, width))
        self.r_low, self.r_high, c_low, c_high = map(self.total, ends.values())
        self.c_low, self.c_high = ([self.setup + c for c in cs] for cs in (c_low, c_high))
        lows = [max(low, -self.bound) for low in self.r_low]
        highs = [min(high, self.bound) for high in self.r_high]
        self.roi_low = [
            r / (self.c_high[k] if r >= 0 else self.c_low[k]) for k, r in enumerate(lows)
        ]
        self.roi_high = [
            r / (self.c_low[k] if r >= 0 else self.c_high[k]) for k, r in enumerate(highs)
        ]

    def hopeless(self, k: int, theta_low: float, theta_high: float) -> bool:
        """Surely below 0, below a shorter policy of its chain, or below a longer one."""
        most = [r - theta_low * c for r, c in zip(self.r_high, self.c_low, strict=True)]
        least = [r - theta_high * c for r, c in zip(self.r_low, self.c_high, strict=True)]
        [chain] = [chain for chain in self.chains if k in chain]
        at = chain.index(k)
        return (
            below(most[k], 0)
            or any(below(most[k], most[j]) for j in chain[:at])
            or any(below(least[k], least[j]) for j in chain[at + 1 :])
        )

    def begin_round(self) -> None:
        self.bound_all()
        theta_low = max(0.0, *self.roi_low)
        left = [k for k in self.all if not self.eliminated_at[k]]
        theta_high = max(theta_low, *(self.roi_high[k] for k in left))
        for k in left:
            if self.hopeless(k, theta_low, theta_high):
                self.eliminated_at[k] = self.tasks
        for rung in self.rungs:
            rung["centre"] = rung["durations"] / max(rung["seen"], 1)
        self.left = [k for k in left if not self.eliminated_at[k]]
        self.batches: list[Batch] = []
        self.chosen: int | None = self.left[0] if self.left else None
        if len(self.left) > 1 or (self.left and not below(0, self.roi_low[self.left[0]])):
            self.estimate()
            self.divide(max(1, self.tasks // 10))

    def estimate(self) -> None:
        rungs = self.rungs
        self.reward = self.total([rung["rewards"] / max(rung["estimated"], 1) for rung in rungs])
        self.rate = self.total([rung["accepted"] / max(rung["seen"], 1) for rung in rungs])
        durations = [
            (rung["durations"] + self.imagined(k)) / (rung["seen"] + 1)
            for k, rung in enumerate(rungs)
        ]
        self.cost = [self.setup + duration for duration in self.total(durations)]
        squares = sum(rung["squares"] for rung in rungs)
        accepted = sum(
            rung["accepted"] * rung["estimated"] / max(rung["seen"], 1) for rung in rungs
        )
        ordinary = squares / max(accepted, 1) or self.bound**2
        self.variance = self.total(
            [(rung["squares"] + ordinary) / (rung["estimated"] + 1) ** 2 for rung in rungs]
        )
        error = [sqrt(variance) for variance in self.variance]
        chains = sum(any(k in chain for k in self.left) for chain in self.chains)
        threshold = 1 + 0.2 * log(max(chains, 1))
        earning = [k for k in self.left if below(threshold, self.reward[k] / error[k])]
        roi = [r / c for r, c in zip(self.reward, self.cost, strict=True)]
        self.chosen = best_of(earning, roi) if earning else None
        if self.chosen is None:
            self.doubtful = True
            self.plausible = [float(k in self.left) for k in self.all]
            return
        certain = (threshold + 1.5) * error[self.chosen]
        self.doubtful = below(self.reward[self.chosen], certain)
        self.plausible = [
            self.likelihood(k, self.chosen) if k in self.left else 0.0 for k in self.all
        ]

    def imagined(self, k: int) -> float:
        """As long again as it took to get to the rung; of a first one, as long as all so far."""
        rung, width = self.rungs[k], self.widths[k]
        if k in self.shorter:
            return min(width, self.policies[self.shorter[k]].cap)
        return min(width, rung["durations"]) if rung["seen"] else width

    def likelihood(self, k: int, chosen: int) -> float:
        """Of the lead of the chosen policy, were there none in truth."""
        roi = self.reward[chosen] / self.cost[chosen]
        lead = self.reward[k] - self.reward[chosen] - roi * (self.cost[k] - self.cost[chosen])
        together = any(k in chain and chosen in chain for chain in self.chains)
        own, other = self.variance[k], self.variance[chosen]
        variance = abs(own - other) if together else own + other
        return max(0.05, exp(-0.5 * min(lead, 0) ** 2 / max(variance, 1e-300)))

    def divide(self, tasks: int) -> None:
        """Levels get credits; whole ones are spent, the deepest level's first."""
        cost, rate = ([max(xs[: end + 1]) for end in self.ends] for xs in (self.cost, self.rate))
        chosen, levels = self.chosen, range(len(self.ends))
        longest = self.policies[-1].cap
        share = 1.5 if chosen is None else 0.25
        extras = [min(max(1, whole(share * c)), longest) for c in cost]
        share = 1.0 if self.doubtful else 0.25
        own_extras = min(max(1, whole(share * self.cost[chosen or 0])), longest)
        plausible = self.plausible[:]
        if chosen is not None:
            rival = max([p for k, p in enumerate(plausible) if k != chosen], default=0.0)
            losing = exp(-0.5 * self.reward[chosen] ** 2 / self.variance[chosen])
            rival = max(rival, losing, 0.05)
            for k in self.stopped_by(chosen):
                plausible[k] = 0.0
        of_level = [
            max(plausible[start : end + 1])
            for start, end in zip([0, *(end + 1 for end in self.ends)], self.ends, strict=False)
        ]
        growth = [
            max(1 - cost[max(n - 1, 0)] / cost[n], 1e-3) if of_level[n] else 0.0 for n in levels
        ]
        if chosen is None:
            weights = [growth[n] / (cost[n] + rate[n] * extras[n]) for n in levels]
            share = min(1.0, 10 / cbrt(max(self.tasks, 1)))
            given = [share * tasks * weight / sum(weights) for weight in weights]
            self.credits[-1] = own = 0.0
        else:
            spending = 0.5 / cbrt(self.tasks) * tasks * self.cost[chosen]
            more = [
                max(cost[n] - self.cost[chosen], 0) + max(rate[n], 1e-3) * extras[n] for n in levels
            ]
            weights = [growth[n] * of_level[n] / max(sum(growth), 1e-3) for n in levels]
            given = [spending * weight / m for weight, m in zip(weights, more, strict=True)]
            own = spending * rival / (self.rate[chosen] * own_extras)
            own = tasks if self.doubtful else max(own, 0.25 * tasks / cbrt(self.tasks))
        self.credits = [c + g for c, g in zip(self.credits, [*given, own], strict=True)]
        left = tasks
        for n in reversed(levels):
            left -= self.spend(n, left, Batch(n, self.decider(self.ends[n]), extras[n], 0))
        left -= self.spend(-1, left, Batch(-1, chosen or 0, own_extras, 0))
        self.batches += [Batch(-1, chosen or 0, 0, left)] if left else []

    def spend(self, entry: int, left: int, batch: Batch) -> int:
        count = min(whole(self.credits[entry]), left)
        self.credits[entry] = min(self.credits[entry] - count, 1.0)
        self.batches += [batch._replace(tasks=count)] if count else []
        return count

    def decider(self, last: int) -> int:
        eligible = [k for k in self.left if k <= last]
        return best_of(eligible, self.reward) if eligible and self.chosen is not None else last
