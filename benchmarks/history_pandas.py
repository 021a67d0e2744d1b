"""`evaluate` against pandas: a function that is applied to each test.

The rivals read only what they need and rely on the order of the rows, which ours checks. The first
function is written in the terms of pandas; that of `/numpy` takes each test's values out and works
in NumPy alone. `/numpy/many` tries ninety policies.
"""

from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from time import perf_counter

import numpy as np
import pandas as pd

from benchmarks.duel import Asked, Duel
from benchmarks.history_setting import THREADS, check_alike, generated, many, rows_of, seven
from dwell import Policy, evaluate
from dwell.arrays import FloatArray

_ROWS = 10_000_000
Boundaries = list[tuple[FloatArray, FloatArray]]
Play = Callable[[pd.Series, Boundaries], FloatArray]


def played(values: FloatArray, policies: Boundaries) -> FloatArray:
    """Duration, acceptance and reward of each policy, given its boundaries, in one test."""
    sums = np.cumsum(values)
    found = np.empty((3, len(policies)))
    for k, (lower, upper) in enumerate(policies):
        seen = sums[: len(sums) - -(-len(sums) // 5)][: len(upper)]
        above = seen >= upper[: len(seen)]
        outside = above | (seen <= lower[: len(seen)])
        first = outside.argmax()
        stop = first + 1 if outside[first] else len(seen)
        reward = (sums[-1] - sums[stop - 1]) / (len(sums) - stop) if above[first] else 0.0
        found[:, k] = stop, above[first], reward
    return found


def played_by_pandas(values: pd.Series, policies: Boundaries) -> FloatArray:
    """The same in the terms of pandas."""
    sums = values.cumsum().reset_index(drop=True)
    found = np.empty((3, len(policies)))
    for k, (lower, upper) in enumerate(policies):
        seen = sums.iloc[: len(sums) - -(-len(sums) // 5)].head(len(upper))
        above = seen >= upper[: len(seen)]
        outside = above | (seen <= lower[: len(seen)])
        stop = outside.idxmax() + 1 if outside.any() else len(seen)
        accepted = above.iloc[stop - 1]
        rest = values.iloc[stop:]
        found[:, k] = stop, accepted, rest.mean() if accepted else 0.0
    return found


def each_test(path: Path, policies: Boundaries, play: Play) -> FloatArray:
    """The same of every test: a row each."""
    tests = pd.read_parquet(path, columns=["test", "value"]).groupby("test", sort=False)
    return np.stack(tests["value"].apply(play, policies).to_list())


def by_numpy(values: pd.Series, policies: Boundaries) -> FloatArray:
    return played(values.to_numpy(), policies)


def duels() -> Iterator[Duel]:
    with generated(_ROWS) as path, ThreadPoolExecutor(THREADS) as threads:

        def duel(
            name: str, policies: Mapping[str, Policy], play: Play, asked: Asked | None = None
        ) -> Duel:
            boundaries = [(each.lower, each.upper) for each in policies.values()]
            check_alike(path, policies, *each_test(path, boundaries, play).swapaxes(0, 1))
            return Duel(
                name=name,
                ours=lambda: evaluate(path, policies, executor=threads),
                rival=lambda: each_test(path, boundaries, play).mean(axis=0),
                work=rows_of(path),
                unit="row",
                asked=asked,
                clock=perf_counter,
            )

        yield duel("history/pandas", seven(), played_by_pandas, Asked(20.0))
        yield duel("history/pandas/numpy", seven(), by_numpy)
        yield duel("history/pandas/numpy/many", many(path), by_numpy)
