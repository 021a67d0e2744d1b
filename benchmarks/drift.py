"""What forgetting gains and costs: `python -m benchmarks.drift ramp,rare-win [--replications 100]`.

All of it, in hours: `python -m benchmarks.drift --tests 300,1000,3000 --setup-cost 0,20`.

Worlds are those of `dwell bench learners`, whose pool stays, and of `--drift`, whose pool changes.
EmpiricalBayes with drift and without sees the same tests. What the rule in force earns and costs is
not counted but computed, under the pool of the moment, so that few replications tell much. Printed
are, for each world and with standard errors:

- what both earn in same money (docs/drift.md), and the difference: above 0, forgetting pays;
- in how many runs a change was told and, if the pool changes at once, in how many before it did,
  which are false alarms; of the others, how many tests later in the median, and how often the
  stated range of dates and each of the four figures about the change, unless it was taken back,
  hold the truth (what the rule in force ships and earns, before and after);
- with --guard, the most that acceptances had lost at any time in any run, as a share of the budget.

With --told, only how often a change is told: where the pool stays, each is a false alarm. Samples
may then break the law that learners are told, as in `dwell bench learners --hostile`:
`python -m benchmarks.drift mostly-null/twice,mostly-null/days --told`.
"""

import argparse
import os
import sys
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from functools import cache
from multiprocessing import get_context
from typing import Any, NamedTuple

import numpy as np

from dwell import Atoms, EmpiricalBayes, World
from dwell.arrays import FloatArray, IntArray, Samples
from dwell.fitting.pool_change import PoolChange
from dwell.lab.breaches import Breach
from dwell.lab.drift_scores import own_best
from dwell.lab.drift_suite import drift_suite
from dwell.lab.suite import Instance, hostile_suite, suite
from dwell.learners.learned import Round

ATOMS = 400  # that a continuous pool is taken for
_ROUNDING = 1e-9


@dataclass(frozen=True, slots=True)
class Ran:
    """One run.

    Attributes:
        earned: What the rules in force earn in all, on average …
        money: … and what the best policies of the pools would have earned for the same money.
        told: The changes that were told.
        covered: Whether the dates of the first and each figure about the last hold the truth;
            nothing where the pool does not change at once, and if the last is taken back.
        lost: The most that acceptances had lost, as a share of the budget.
    """

    earned: float
    money: float
    told: list[PoolChange]
    covered: list[bool]
    lost: float


@dataclass(slots=True)
class Pools:
    """The pools of an instance, and what rules do to each."""

    instance: Instance
    tests: int
    pools: Sequence[World] = field(init=False)
    of_test: IntArray = field(init=False)

    def __post_init__(self) -> None:
        changing = self.instance.changing
        places = np.arange(self.tests)
        self.pools = [self.instance.world] if changing is None else changing.pools
        self.of_test = (
            np.zeros(self.tests, dtype=np.int64)
            if changing is None
            else changing.pool_of(places, self.tests)
        )

    @property
    def change(self) -> int:
        """The test with which the only change comes; 0 if there is none, or several."""
        changes = 1 + np.flatnonzero(np.diff(self.of_test))
        return int(changes[0]) if len(changes) == 1 else 0

    def values(self, rng: np.random.Generator) -> FloatArray:
        """A value for each test."""
        if self.instance.breach is not None:
            places = np.arange(self.tests) / self.tests
            return self.instance.breach.values(self.instance.world, places, rng)
        found = np.empty(self.tests)
        for number, pool in enumerate(self.pools):
            own = self.of_test == number
            found[own] = pool.sample_values(int(own.sum()), rng)
        return found

    def under(self, number: int, grid: FloatArray, ran: Round) -> tuple[float, float, float]:
        """How often a rule ships ideas of a pool, what a test earns, and how long it takes."""
        prior = self.pools[number].prior
        if isinstance(prior, Atoms):
            values, weights = np.array(prior.values), np.array(prior.weights)
        else:
            values = np.clip(prior.quantile((np.arange(ATOMS) + 0.5) / ATOMS), -1.0, 1.0)
            weights = np.full(ATOMS, 1.0 / ATOMS)
        ships = np.interp(values, grid, ran.accept_rates) * ran.accepts
        samples = np.interp(values, grid, ran.mean_samples)
        return float(weights @ ships), float(weights @ (ships * values)), float(weights @ samples)


def one_run(pools: Pools, *, drift: bool, guard: bool, seed: int) -> Ran:
    """Run the learner once, on tests that are the same with drift and without."""
    instance, tests = pools.instance, pools.tests
    cap, setup_cost, law = max(instance.policies.caps), instance.setup_cost, instance.world.law
    rng = np.random.default_rng([seed, tests])
    values = pools.values(rng)
    drawn = (instance.breach or Breach()).tests(law, values, rng)(np.arange(tests), 2 * cap)
    learner = EmpiricalBayes(law, cap, setup_cost=setup_cost, guard=guard, drift=drift)
    grid, inner = learner._chooser.pool.values, learner._chooser.guard
    earned = money = done = 0.0
    told: list[PoolChange] = []
    gains = np.zeros(tests)
    while (first := int(done)) < tests:
        design = learner.begin(tests - first)
        at = np.zeros(design.tasks, dtype=np.int64)

        def draw(tasks: IntArray, samples: int, first: int = first, at: IntArray = at) -> Samples:
            found: Samples = drawn[
                first + tasks[:, np.newaxis], at[tasks, np.newaxis] + np.arange(samples)
            ]
            at[tasks] += samples
            return found

        ran = learner.state.rounds[-1]
        records = design.run(design.tasks, draw)
        taken = learner.learn(design, records)
        last = first + taken
        gains[first:last] = design.accepted(records)[:taken] * values[first:last]
        numbers, counts = np.unique(pools.of_test[first:last], return_counts=True)
        for number, count in zip(numbers.tolist(), counts.tolist(), strict=True):
            _, reward, samples = pools.under(number, grid, ran)
            best = own_best(pools.pools[number], cap, setup_cost).roi
            earned += count * reward
            money += count * best * (setup_cost + samples)
        told += [each for each in learner.state.changes if each not in told]
        done = last
    lost = max(0.0, -float(np.cumsum(gains).min()))
    return Ran(
        earned=earned,
        money=money,
        told=told,
        covered=_covered(pools, learner, told) if pools.change and told else [],
        lost=lost / inner.budget if inner is not None else 0.0,
    )


def _covered(pools: Pools, learner: EmpiricalBayes, told: list[PoolChange]) -> list[bool]:
    changed = learner.pool_knowledge().changed
    if changed is None:
        return []
    grid, now = learner._chooser.pool.values, learner.state.rounds[-1]
    before, after = (pools.under(number, grid, now) for number in (0, 1))
    said = (
        (changed.shipped_before, before[0]),
        (changed.shipped_now, after[0]),
        (changed.earned_before, before[1]),
        (changed.earned_now, after[1]),
    )
    dated = told[0].earliest <= pools.change <= told[0].latest
    # Where a rule ships everything, both are 1 but for rounding.
    return [dated, *(f.low - _ROUNDING <= truth <= f.high + _ROUNDING for f, truth in said)]


def line(name: str, with_drift: list[Ran], without: list[Ran], change: int) -> str:
    """What the runs in one world come to."""
    (share, own), (before, other) = (_share(runs) for runs in (with_drift, without))
    error, of_difference = (
        100.0 * np.std(each, ddof=1) / np.sqrt(len(own)) for each in (own, own - other)
    )
    told = [run for run in with_drift if run.told]
    found = (
        f"{name:32} {100 * share:6.1f} ± {error:3.1f} {100 * before:6.1f} "
        f"{100 * (share - before):+7.2f} ± {of_difference:4.2f}   told in {len(told)}"
    )
    after = [run for run in told if run.told[0].shown > change]
    if change and after:
        delay = np.median([run.told[0].shown - change for run in after])
        found += f" ({len(told) - len(after)} before it), {delay:.0f} tests later"
        covered = [run.covered for run in after if run.covered]
        if covered:
            covers = " ".join(f"{100 * each:.0f}" for each in np.mean(covered, axis=0))
            found += f"; dates, figures covered: {covers} %"
    most = max(run.lost for run in with_drift)
    return f"{found}; most lost {100 * most:.0f} % of the budget" if most else found


def _share(runs: list[Ran]) -> tuple[float, FloatArray]:
    """What runs earn in same money, and what each adds to the error of that."""
    earned, money = np.array([(run.earned, run.money) for run in runs]).T
    share = float(earned.sum() / money.sum())
    return share, (earned - share * money) / money.mean()


class Task(NamedTuple):
    """A run to be made: the arguments of `one_run`, by names."""

    world: str
    setup_cost: float
    tests: int
    drift: bool
    guard: bool
    seed: int


def made(task: Task) -> Ran:
    """A run, in whichever process."""
    pools = _pools(task.world, task.setup_cost, task.tests)
    return one_run(pools, drift=task.drift, guard=task.guard, seed=task.seed)


@cache
def _pools(world: str, setup_cost: float, tests: int) -> Pools:
    known = _instances()
    [found] = (each for each in known if (_named(each), each.setup_cost) == (world, setup_cost))
    return Pools(found, tests)


@cache
def _instances() -> tuple[Instance, ...]:
    return (*suite(more=True), *drift_suite(), *hostile_suite())


def _named(instance: Instance) -> str:
    return instance.name if instance.case is None else f"{instance.name}/{instance.case}"


def _numbers(kind: type[int] | type[float]) -> Callable[[str], list[Any]]:
    return lambda text: [kind(each) for each in text.split(",")]


def main(arguments: Sequence[str]) -> None:
    """Print a line for each world."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.drift")
    parser.add_argument("worlds", nargs="?", help="names between commas; by default all as told")
    parser.add_argument("--tests", type=_numbers(int), default=[1000], help="with commas between")
    parser.add_argument(
        "--setup-cost", type=_numbers(float), default=[20.0], help="with commas between"
    )
    parser.add_argument("--replications", type=int, default=100)
    parser.add_argument("--guard", action="store_true")
    parser.add_argument("--told", action="store_true")
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args(arguments)
    wanted = None if given.worlds is None else given.worlds.split(",")
    for unknown in set(wanted or ()) - {_named(each) for each in _instances()}:
        parser.error(f"there is no world {unknown!r}")
    if any("/" in each for each in wanted or ()) and not given.told:
        parser.error("where samples break the law there are no scores; give --told too")
    seeds = range(given.seed, given.seed + given.replications)
    # Processes share the work; within one, threads would only stand in one another's way.
    os.environ["OPENBLAS_NUM_THREADS"] = "1"
    with ProcessPoolExecutor(mp_context=get_context("spawn")) as processes:
        for tests in given.tests:
            print(f"{given.replications} runs of {tests:,} tests; same money in %:")
            print(f"{'':32} {'with drift':>12} {'without':>6} {'difference':>14}")
            for instance in _instances():
                named = instance.case is None if wanted is None else _named(instance) in wanted
                if not named or instance.setup_cost not in (*given.setup_cost, 1000.0):
                    continue
                where = _named(instance), instance.setup_cost, tests

                def runs(*, drift: bool, where: tuple[str, float, int] = where) -> list[Ran]:
                    tasks = [Task(*where, drift, given.guard, seed) for seed in seeds]
                    return list(processes.map(made, tasks, chunksize=2))

                with_drift = runs(drift=True)
                if given.told:
                    told = sum(bool(run.told) for run in with_drift)
                    print(f"{instance!s:32} told in {told}", flush=True)
                    continue
                change = _pools(*where).change
                print(line(str(instance), with_drift, runs(drift=False), change), flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
