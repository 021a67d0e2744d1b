"""What past tests show of changes: `python -m benchmarks.past_change [LOG] [--histories 40]`.

Tests of 20 to 256 samples whose noise is 1 are made up, of pools that nothing was chosen on.
Printed are for each pool in how many histories a change is shown though there is none; and, over
histories whose pool changes from one to another at some test of the middle half, in how many it is
shown, in how many of these the dates that are told hold it, and in how many each of the four
figures about it holds the truth. With a log that `dwell plan --from` reads, its tests are put in
random orders instead: then each change that is shown is a false alarm.
"""

import argparse
import os
import sys
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from typing import NamedTuple

import numpy as np
from scipy import special

from dwell.arrays import FloatArray
from dwell.fitting.past_change import PastChange, past_change
from dwell.history.reading.summaries import summaries

POOLS: dict[str, Callable[[int, np.random.Generator], FloatArray]] = {
    "Laplace": lambda count, rng: rng.laplace(-0.02, 0.1, count),
    "uniform": lambda count, rng: rng.uniform(-0.4, 0.3, count),
    "skewed": lambda count, rng: rng.exponential(0.15, count) - 0.2,
    "wins and losses": lambda count, rng: rng.choice([-0.5, 0.0, 0.5], count, p=[0.05, 0.9, 0.05]),
    "all good": lambda count, rng: rng.normal(0.3, 0.05, count),
    "all 0": lambda count, _: np.zeros(count),
    "Student t, 1.5": lambda count, rng: 0.05 * rng.standard_t(1.5, count),
}
CHANGING = [name for name in POOLS if name != "Student t, 1.5"]  # whose values hardly have a mean
STAYS, CHANGES = 600, 300  # tests in a history


class Seen(NamedTuple):
    """Whether the dates about a change that was shown, and each of four figures, hold the truth."""

    dates: bool
    figures: list[bool]


def measured(values: FloatArray, rng: np.random.Generator) -> tuple[FloatArray, FloatArray]:
    """Effects and standard errors of tests."""
    errors = 1.0 / np.sqrt(rng.integers(20, 257, len(values)))
    return rng.normal(values, errors), errors


def shown(effects: FloatArray, errors: FloatArray) -> PastChange | None:
    """The change that tests show, if they came one a day."""
    return past_change(effects, errors, np.datetime64("2026-01-01") + np.arange(len(effects)))


def alarmed(pool: str, seed: int) -> bool:
    """Whether a change is shown in a history without any."""
    rng = np.random.default_rng([seed, STAYS])
    return shown(*measured(POOLS[pool](STAYS, rng), rng)) is not None


def reordered(effects: FloatArray, errors: FloatArray, seed: int) -> bool:
    """Whether a change is shown by tests in a random order."""
    order = np.random.default_rng(seed).permutation(len(effects))
    return shown(effects[order], errors[order]) is not None


def changed(seed: int) -> Seen | None:
    """What is told of a change from one pool to another; None if it is not shown."""
    rng = np.random.default_rng([seed, CHANGES])
    pools = [POOLS[name] for name in rng.choice(CHANGING, 2, replace=False)]
    first = int(rng.integers(CHANGES // 4, 3 * CHANGES // 4))
    values = [pool(count, rng) for pool, count in zip(pools, (first, CHANGES - first), strict=True)]
    effects, errors = measured(np.concatenate(values), rng)
    found = shown(effects, errors)
    if found is None:
        return None
    usual = float(np.median(np.maximum(errors, np.quantile(errors, 0.1))))
    sides = (found.clear_before, found.earned_before), (found.clear_now, found.earned_now)
    held = []
    for pool, figures in zip(pools, sides, strict=True):
        ideas = pool(10**6, rng)
        clear = special.ndtr(ideas / usual - 1.96)
        truths = float(clear.mean()), float((clear * ideas).mean())
        held += [
            bool(figure.low <= truth <= figure.high)
            for figure, truth in zip(figures, truths, strict=True)
        ]
    return Seen(found.earliest <= first <= found.latest, held)


def main(arguments: Sequence[str]) -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.past_change")
    parser.add_argument("log", nargs="?", help="a log of real tests; by default tests are made up")
    parser.add_argument("--histories", type=int, default=40, help="of each pool, or orders")
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args(arguments)
    seeds = range(given.seed, given.seed + given.histories)
    os.environ["OPENBLAS_NUM_THREADS"] = "1"  # processes share the work already
    with ProcessPoolExecutor(mp_context=get_context("spawn")) as processes:
        if given.log is not None:
            told = summaries(given.log)
            tests = [[each] * len(seeds) for each in (told.effects, told.standard_errors)]
            alarms = sum(processes.map(reordered, *tests, seeds))
            print(f"{alarms} of {len(seeds)} random orders of {len(told.effects):,} tests")
            return
        for pool in POOLS:
            alarms = sum(processes.map(alarmed, [pool] * len(seeds), seeds, chunksize=2))
            print(f"{pool:18} shown in {alarms} of {len(seeds)} where it stays", flush=True)
        histories = range(given.seed, given.seed + 4 * given.histories)
        found = [each for each in processes.map(changed, histories, chunksize=2) if each]
        figures = np.sum([each.figures for each in found], axis=0).tolist()
        print(
            f"changes: shown in {len(found)} of {len(histories)}; dates held in "
            f"{sum(each.dates for each in found)}, figures in {figures} of these"
        )


if __name__ == "__main__":
    main(sys.argv[1:])
