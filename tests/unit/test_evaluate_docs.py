"""The query of docs/how-to/warehouse.md, run as it stands there."""

from datetime import datetime, timedelta

import duckdb
import pytest

from dwell import Log, check
from dwell.history.reading.blocks import PeriodBlock
from tests.blocks import period_blocks
from tests.pages import blocks

MONDAY = datetime(2024, 1, 1, 9)
# Who was assigned to what when, and what they spent how many days later.
ASSIGNED: list[tuple[str, str, int, int, list[tuple[float, float]]]] = [
    # test, arm, user, day, orders
    ("blue", "control", 1, 0, [(1, 10.0), (2, 20.0)]),  # bought twice
    ("blue", "control", 2, 0, []),  # bought nothing
    ("blue", "control", 3, 0, [(8, 99.0), (-1, 50.0)]),  # too late, and too early
    ("blue", "treatment", 4, 0, [(0.5, 12.0)]),
    ("blue", "treatment", 5, 0, []),
    ("blue", "control", 6, 1, [(0, 4.0)]),  # alone on that day
    ("blue", "treatment", 7, 1, []),
    ("blue", "treatment", 8, 1, [(3, 7.0), (3, 7.0), (6.9, 1.0)]),
]
# By hand: of each day and arm, what each user spent within seven days.
SPENT = {
    ("control", 0): [30.0, 0.0, 0.0],
    ("treatment", 0): [12.0, 0.0],
    ("control", 1): [4.0],
    ("treatment", 1): [0.0, 15.0],
}


@pytest.fixture
def shop() -> duckdb.DuckDBPyConnection:
    """A warehouse with assignments and orders."""
    connection = duckdb.connect()
    connection.execute(
        "create table assignments (experiment_id text, variant text, user_id int, "
        "assigned_at timestamp)"
    )
    connection.execute("create table orders (user_id int, ordered_at timestamp, revenue double)")
    for test, arm, user, day, orders in ASSIGNED:
        came = MONDAY + timedelta(days=day)
        connection.execute("insert into assignments values (?, ?, ?, ?)", [test, arm, user, came])
        for later, revenue in orders:
            bought = came + timedelta(days=later)
            connection.execute("insert into orders values (?, ?, ?)", [user, bought, revenue])
    return connection


def query() -> str:
    """The one SQL block of the page."""
    [sql] = blocks("how-to/warehouse.md", "sql")
    return sql


def test_the_documented_query_counts_everybody_once(shop: duckdb.DuckDBPyConnection) -> None:
    """Non-buyers and repeat buyers; figures computed by hand, and no NULL among them."""
    found = {}
    for _, arm, period, n, mean, variance in shop.execute(query()).fetchall():
        found[arm, (period - MONDAY.date()).days] = (n, mean, variance)
    assert found.keys() == SPENT.keys()
    for key, spent in SPENT.items():
        n, mean, variance = found[key]
        average = sum(spent) / len(spent)
        squares = sum((x - average) ** 2 for x in spent)
        assert n == len(spent)
        assert mean == pytest.approx(average)
        assert variance == pytest.approx(squares / max(len(spent) - 1, 1))


def test_the_documented_query_is_a_log(shop: duckdb.DuckDBPyConnection) -> None:
    """It is read as batches of two arms, without a fault, in its order."""
    relation = shop.sql(query())
    inspection = check(relation)
    assert (inspection.form, inspection.ordered, inspection.usable) == ("batches", True, True)
    [block] = period_blocks(Log(relation))
    assert isinstance(block, PeriodBlock)
    assert block.counts.tolist() == [2, 2]  # half of 5 users, and of 8 so far
    assert block.sums.tolist() == pytest.approx([2 * (6.0 - 10.0), 2 * (7.5 - 4.0)])
    assert block.quality.unpaired == 0
