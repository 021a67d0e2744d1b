"""`evaluate` against window functions in DuckDB, on the same Parquet file.

Both use two threads. The rival keeps the running sum of each test up to the cap, takes the first
sample at which it is outside each band, and scores acceptances on the samples that follow. Ours
also checks the rows, scores the current rule, and gives intervals.
"""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from time import perf_counter

import duckdb
import numpy as np

from benchmarks.duel import Asked, Duel
from benchmarks.history_setting import (
    CAP,
    SD,
    THREADS,
    WIDTHS,
    check_alike,
    generated,
    rows_of,
    seven,
)
from dwell import evaluate
from dwell.arrays import FloatArray

_ROWS = 20_000_000
_FIGURES = ("duration", "accepted", "reward")

# Each test's last fifth is for scoring: a sum that is outside there for the first time is not seen,
# and the test is rejected as one that ended too early.
_PLAYED = """
with running as (
    select test, "order" as n,
        sum(value) over (partition by test order by "order" rows unbounded preceding) as total
    from read_parquet('{path}') where "order" <= {cap}
),
stops as (
    select test, max(total) filter (n = {cap}) as sum_at_cap, {stops} from running group by test
),
whole as (
    select test, count(*) as length, length - (length + 4) // 5 as seen, sum(value) as total
    from read_parquet('{path}') group by test
),
decided as (select *, {decided} from stops join whole using (test)),
played as (select *, {rewards} from decided)
"""
_STOP = """
    min(n) filter (abs(total) >= {limit} * sqrt(n)) as stop_{k},
    arg_min(total, n) filter (abs(total) >= {limit} * sqrt(n)) as sum_{k}"""
_DECIDED = """
    case when stop_{k} <= seen then stop_{k} else least(seen, {cap}) end as duration_{k},
    coalesce(stop_{k} <= seen and sum_{k} > 0, false) as accepted_{k}"""
_REWARD = """
    case when accepted_{k} then (total - {sum}) / (length - duration_{k}) else 0 end as reward_{k}
"""


def query_of(path: Path) -> str:
    """What each policy does in each test, as the table `played`."""
    bands, size = range(len(WIDTHS)), len(WIDTHS)
    stops = [_STOP.format(k=k, limit=SD * width) for k, width in enumerate(WIDTHS)]
    decided = [_DECIDED.format(k=k, cap=CAP) for k in bands]
    decided.append(f"least(seen, {CAP}) as duration_{size}")
    decided.append(f"coalesce({CAP} <= seen and sum_at_cap > 0, false) as accepted_{size}")
    rewards = [_REWARD.format(k=k, sum=f"sum_{k}") for k in bands]
    rewards.append(_REWARD.format(k=size, sum="sum_at_cap"))
    return _PLAYED.format(
        path=path,
        cap=CAP,
        stops=",".join(stops),
        decided=",".join(decided),
        rewards=",".join(rewards),
    )


def duels() -> Iterator[Duel]:
    policies = seven()
    numbers = range(len(policies))
    with (
        generated(_ROWS) as path,
        ThreadPoolExecutor(THREADS) as threads,
        duckdb.connect(config={"threads": THREADS}) as connection,
    ):
        played = query_of(path)
        means = ", ".join(f"avg({name}_{k}::double)" for name in _FIGURES for k in numbers)
        by_test = connection.execute(f"{played} select * from played order by test").fetchnumpy()
        found = [np.stack([by_test[f"{name}_{k}"] for k in numbers], axis=1) for name in _FIGURES]
        report = check_alike(path, policies, *found)

        def rival() -> FloatArray:
            return np.array(connection.execute(f"{played} select {means} from played").fetchone())

        theirs = rival().reshape(len(_FIGURES), -1)
        for row, figures in zip(
            theirs, (report.found.cost, report.found.accept_rate, report.found.reward), strict=True
        ):
            np.testing.assert_allclose(row, figures, rtol=0.0, atol=1e-9)
        yield Duel(
            name="history/duckdb",
            ours=lambda: evaluate(path, policies, executor=threads),
            rival=rival,
            work=rows_of(path),
            unit="row",
            asked=Asked(5.0),
            clock=perf_counter,
        )
