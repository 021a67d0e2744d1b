"""Rules of two limits on past tests: against a plain twin, by enumeration, and over all orders."""

import itertools
from math import ceil, inf, sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dwell import Atoms, Log, Policies, Signs, World, evaluate, exact, fixed
from dwell.arrays import FloatArray
from dwell.history.reading.blocks import PeriodBlock, SampleBlock
from dwell.history.reading.counts_block import CountsBlock
from dwell.history.reading.looking import Looking, Noise
from dwell.history.replay.candidates import candidates, looks
from dwell.history.replay.looked_replay import average_over_orders, look_at
from dwell.two_limits import TwoLimits
from tests.refusals import refused
from tests.strategies import PROPERTY

RULES = (
    TwoLimits.fixed(1),
    TwoLimits.fixed(3, above=0.5),
    TwoLimits(first=1, cap=4, ship=1, drop=1),
    TwoLimits(first=2, cap=5, ship=1, drop=0, shape="shrinking"),
    TwoLimits(first=1, cap=5, ship=1.5, drop=0.5, at_cap=inf, at_end=inf),
    TwoLimits(first=2, cap=6, ship=0.7, drop=0.7, shape="root", step=2, at_cap=0.7, at_end=inf),
    TwoLimits.fixed(40),
)
GRID = np.array([1, 2, 3, 4, 5, 6, 40])
NOISE = Noise(1.0, 2.0)


def plain(
    rule: TwoLimits, seen: list[tuple[int, float, float]]
) -> tuple[float, float, float, float]:
    """Shipped, drawn, earned and ended, seeing (samples, standard errors, mean of the rest)."""
    made = 0
    for place, (samples, ahead, rest) in enumerate(seen):
        last = place == len(seen) - 1
        if samples < rule.first and not last:
            continue
        if samples >= rule.cap or last:
            ended = samples < rule.cap
            ships = ahead > (rule.at_end if ended else rule.at_cap)
            return float(ships), samples, rest * ships, float(ended)
        if rule.step and samples // rule.step == made:
            continue
        made = samples // rule.step if rule.step else 0
        width = {"constant": 1.0, "shrinking": 1 - samples / rule.cap}.get(
            rule.shape, sqrt(rule.cap / samples)
        )
        if ahead >= rule.ship * width:
            return 1, samples, rest, 0
        if ahead <= -rule.drop * width:
            return 0, samples, 0.0, 0
    raise AssertionError("a test has a look at least")


def looks_of(row: list[int]) -> list[tuple[int, float, float]]:
    """A test's looks, sample by sample; the last fifth is not seen."""
    seen = len(row) - ceil(len(row) / 5)
    found = []
    for d in range(1, seen + 1):
        if d in GRID or d == seen:
            part, after = np.array(row[:d]), row[d:]
            squares = float(((part - part.mean()) ** 2).sum())
            noise = (squares + NOISE.weight * NOISE.variance) / (d - 1 + NOISE.weight)
            found.append((d, float(part.sum()) / sqrt(noise * d), sum(after) / len(after)))
    return found


@PROPERTY
@given(st.lists(st.lists(st.integers(-3, 3), min_size=2, max_size=12), min_size=1, max_size=5))
def test_rules_on_samples_are_their_plain_twin(rows: list[list[int]]) -> None:
    """Test by test and rule by rule, from whole numbers and from others."""
    names, lengths = tuple(map(str, range(len(rows)))), np.array([len(row) for row in rows])
    flat = [sample for row in rows for sample in row]
    for kind in (np.int8, np.float64):
        block = SampleBlock(names, lengths, np.array(flat, dtype=kind))
        found = block.looked(Looking(RULES, GRID, NOISE))
        for k, rule in enumerate(RULES):
            wanted = np.array([plain(rule, looks_of(row)) for row in rows])
            for column, figure in enumerate(("accepts", "drawn", "rewards", "ended")):
                assert getattr(found, figure)[:, k] == pytest.approx(wanted[:, column])
        assert found.effects == pytest.approx([np.mean(row) for row in rows])


@PROPERTY
@given(
    st.lists(
        st.lists(
            st.tuples(st.integers(1, 4), st.integers(-4, 4), st.integers(1, 3)),
            min_size=2,
            max_size=8,
        ),
        min_size=1,
        max_size=5,
    )
)
def test_rules_on_periods_are_their_plain_twin(tests: list[list[tuple[int, int, int]]]) -> None:
    """A look that is due within a period is made at its end."""
    columns = [np.array([day[i] for days in tests for day in days]) for i in range(3)]
    block = PeriodBlock(
        tuple(map(str, range(len(tests)))),
        np.array([len(days) for days in tests]),
        columns[0],
        columns[1].astype(float),
        columns[2].astype(float),
    )
    found = block.looked(Looking(RULES, GRID, NOISE))
    for place, days in enumerate(tests):
        seen, visible = [], len(days) - ceil(len(days) / 5)
        for number in range(1, visible + 1):
            part, after = days[:number], days[number:]
            samples = sum(n for n, _, _ in part)
            due = [d for d in GRID if samples - part[-1][0] < d <= samples]
            if due or number == visible:
                noise = sum(n * v for n, _, v in part) + NOISE.weight * NOISE.variance
                noise /= samples + NOISE.weight
                ahead = sum(s for _, s, _ in part) / sqrt(noise * samples)
                seen.append(
                    (samples, ahead, sum(s for _, s, _ in after) / sum(n for n, _, _ in after))
                )
        for k, rule in enumerate(RULES):
            got = [
                getattr(found, each)[place, k] for each in ("accepts", "drawn", "rewards", "ended")
            ]
            assert got == pytest.approx(plain(rule, seen))


def test_scores_of_rules_are_unbiased() -> None:
    """Over all sequences, what a rule is estimated to earn is what its policy earns, to 1e-12.

    With a weight without end the noise is that of all tests, and a rule is a policy on sums.
    """
    rules = tuple(rule for rule in RULES if rule.cap <= 6 and rule.first < 6)
    looking = Looking(rules, GRID[:-1], Noise(1.0, 1e15))
    rows = np.array(list(itertools.product([-1, 1], repeat=8)), dtype=np.int8)
    block = SampleBlock(tuple(map(str, range(len(rows)))), np.full(len(rows), 8), rows.ravel())
    found = block.looked(looking)
    for value in (-0.7, 0.0, 0.2, 0.9):
        ups = (rows == 1).sum(axis=1)
        weights = ((1 + value) / 2) ** ups * ((1 - value) / 2) ** (8 - ups)
        for k, rule in enumerate(rules):
            policy = rule.policy(looking.grid, 1.0).dense()
            if rule.at_cap in (0.0, inf):  # "more than" is "at least" on sums then
                table = exact(policy, World(Atoms([value]), Signs()))
                assert weights @ found.rewards[:, k] == pytest.approx(table.reward[0], abs=1e-9)
                assert weights @ found.drawn[:, k] == pytest.approx(table.cost[0], abs=1e-9)


def over_all_orders(users: tuple[int, int], ones: tuple[int, int]) -> FloatArray:
    """Means of what rules do, over every order of both arms' outcomes."""
    seen = min(users) - ceil(min(users) / 5)
    arms = [
        [
            np.isin(np.arange(n), places).astype(int)
            for places in itertools.combinations(range(n), x)
        ]
        for n, x in zip(users, ones, strict=True)
    ]
    figures = []
    for control, treated in itertools.product(*arms):
        at = []
        for d in [d for d in GRID.tolist() if d < seen] + [seen]:
            a, b = int(control[:d].sum()), int(treated[:d].sum())
            rate = (a + b) / (2 * d)
            noise = (2 * d * rate * (1 - rate) + NOISE.weight * NOISE.variance) / (
                2 * d + 2 * NOISE.weight
            )
            rest = float(treated[d:].mean() - control[d:].mean())
            at.append((d, (b - a) / d / sqrt(noise * 2 / d), rest))
        figures.append([plain(rule, at) for rule in RULES])
    means: FloatArray = np.mean(np.array(figures, dtype=float), axis=0)
    return means


@pytest.mark.parametrize(
    ("users", "ones"), [((6, 6), (2, 3)), ((7, 6), (1, 4)), ((6, 7), (6, 3)), ((5, 5), (0, 0))]
)
def test_counts_are_means_over_all_orders(users: tuple[int, int], ones: tuple[int, int]) -> None:
    """Rules that look once to the last digits, others within the error that is told of them."""
    block = CountsBlock(("a",), np.array([users]), np.array([ones]), seed=1)
    found = block.looked(Looking(RULES, GRID, NOISE, orders=20_000))
    wanted = over_all_orders(users, ones)
    for k, rule in enumerate(RULES):
        got = np.array([found.accepts[0, k], found.drawn[0, k], found.rewards[0, k]])
        if rule.looks_once:
            assert got == pytest.approx(wanted[k, :3], abs=1e-12)
            assert found.moves[k].tolist() == [0.0] * 3
        else:
            # 5 standard errors of 24 comparisons: fails for nothing once in 10^5 seeds.
            errors = np.sqrt(np.array([0.25 / 20_000, found.moves[k, 1], found.moves[k, 0]]))
            assert (np.abs(got - wanted[k, :3]) <= 5.0 * errors + 1e-12).all()


def test_large_counts_are_drawn_between_looks() -> None:
    """Ones by the thousand are not placed one by one; fixed sizes agree with their normal limit."""
    users, ones = np.array([[40_000, 40_000]]), np.array([[12_000, 12_400]])
    rules = (TwoLimits.fixed(10_000), TwoLimits(first=9_999, cap=10_000, ship=9, drop=9))
    block = CountsBlock(("a",), users, ones)
    found = block.looked(Looking(rules, np.array([9_999, 10_000]), Noise(0.42, 10.0), orders=4_000))
    assert found.accepts[0, 0] == pytest.approx(found.accepts[0, 1], abs=0.04)
    assert found.rewards[0, 0] == pytest.approx(
        found.rewards[0, 1], abs=5.0 * sqrt(found.moves[1, 0])
    )


def test_given_policies_on_counts_are_averaged_too() -> None:
    """A policy that looks once is what the rule is, exactly, within the error that is told."""
    block = CountsBlock(("a", "b"), np.array([[60, 60], [50, 55]]), np.array([[6, 9], [5, 3]]))
    found = average_over_orders(block, Policies([fixed(20, 1)]), 2000)
    looking = Looking((TwoLimits.fixed(20),), np.array([20]), NOISE)
    wanted = look_at(block, looking, Policies([fixed(20, 1)]))
    error = sqrt(found.moves[0, 0])
    assert error > 0.0
    # Pairs are scored there, and all users here: a difference of nothing on average.
    assert found.rewards(0).sum() == pytest.approx(wanted.rewards(0).sum(), abs=5.0 * error)
    assert found.durations(0).tolist() == [20.0, 20.0]


def test_a_rule_checks_itself() -> None:
    """One sentence each."""
    with refused("first", "4", "5"):
        TwoLimits(first=5, cap=4)
    with refused("above the one to drop", "1", "-1"):
        TwoLimits(first=1, cap=4, ship=1, drop=-1)
    with refused("cap", "0"):
        TwoLimits(first=1, cap=0)


def test_the_seed_moves_nothing_that_looks_once_and_little_else() -> None:
    """Fixed sizes are exact; the rest moves by what is said of it."""
    rng = np.random.default_rng(3)
    users = np.full((40, 2), 300)
    block = CountsBlock(tuple(map(str, range(40))), users, rng.binomial(300, 0.1, (40, 2)))
    rules = tuple(each.rule for each in candidates(240, sd=0.4, least=20) if each.rule is not None)
    looking = Looking(rules, looks(240), Noise(0.16, 50.0), orders=16)
    other = CountsBlock(block.names, block.users, block.ones, seed=1)
    one, two = block.looked(looking), other.looked(looking)
    once = np.array([rule.looks_once for rule in rules])
    assert (one.rewards[:, once] == two.rewards[:, once]).all()
    apart = (one.rewards - two.rewards).sum(axis=0)[~once]
    spread = np.sqrt(one.moves[~once, 0] + two.moves[~once, 0])
    # Over some 300 rules that go together: their mean square is 1, and far from 0 and 10.
    assert 0.1 < np.mean((apart / spread) ** 2) < 10.0


def test_logs_in_any_form_run_the_same_rules() -> None:
    """Samples one by one, and as periods of one sample whose variances are known, agree in sums."""
    import pyarrow as pa

    rng = np.random.default_rng(0)
    rows = {"test": np.repeat(np.arange(30), 40), "order": np.tile(np.arange(40), 30)}
    report = evaluate(Log(pa.table(rows | {"value": rng.normal(0.1, 1.0, 1200)})), setup_cost=5)
    assert report.found.tests == 30
    assert report.found.roi[0] == pytest.approx(report.found.reward[0] / report.found.cost[0])
