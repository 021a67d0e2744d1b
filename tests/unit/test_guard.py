"""The guard: its bound on the spread, what it allows, when it closes and opens, and overlap."""

from copy import deepcopy
from itertools import product
from math import inf, isfinite, log

import numpy as np
import pytest

from dwell import EmpiricalBayes, Gaussian, Lift, Signs
from dwell.learners.guard import Guard, Ledger
from dwell.learners.guard import _spread as spread
from dwell.learners.guard import _spread_of_lifts as spread_of_lifts
from tests.contract.cases import begun
from tests.refusals import refused

RATES = (1e-9, 1e-4, 9.99e-4, 1.001e-3, 0.01, 0.1, 0.5, 2.0, 10.0, 45.0)
VALUES = np.linspace(-1, 1, 2001)


def log_moment(rate: float, chance: float, samples: int, v: float) -> float:
    """The logarithm of E exp(rate (Z - v)) if samples are signs, over all that can happen."""
    plus = (1 + v) / 2
    terms = [] if chance >= 1.0 else [log(1.0 - chance) - rate * v]
    ways = 1.0
    for k in range(samples + 1):
        probability = chance * ways * plus**k * (1 - plus) ** (samples - k)
        if probability > 0.0:
            terms.append(log(probability) + rate * ((2 * k - samples) / samples / chance - v))
        ways = ways * (samples - k) / (k + 1)
    return float(np.logaddexp.reduce(terms))


@pytest.mark.parametrize(("chance", "samples"), [(1, 1), (1, 3), (1, 16), (0.25, 1), (0.8, 1)])
def test_the_spread_is_the_largest_of_all_values(chance: float, samples: int) -> None:
    """No value has a larger moment, and one of them has as large a one, but for a thousandth."""
    for rate, bound in zip(RATES, spread(RATES, chance, samples), strict=True):
        largest = max(log_moment(rate, chance, samples, v) for v in VALUES)
        assert largest <= bound * (1 + 1e-9) + 1e-12
        if rate > 1e-4:
            assert bound <= largest * 1.002 + 1e-9


def test_the_spread_bounds_samples_that_are_no_signs() -> None:
    """Three values each, several of them, verified now and then: all spread less than signs."""
    grid = np.linspace(-1, 1, 9)
    for chance, samples in product((0.25, 0.6, 1.0), (1, 2)):
        bounds = spread(RATES, chance, samples)
        rng = np.random.default_rng(samples)
        for _ in range(50):
            law = rng.dirichlet(np.full(9, 0.3))
            v = float(law @ grid)
            for rate, bound in zip(RATES, bounds, strict=True):
                if rate < 1e-4:  # rounding is larger than that
                    continue
                step = rate / samples / chance
                with np.errstate(divide="ignore"):
                    verified = samples * np.logaddexp.reduce(step * grid + np.log(law))
                moment = np.logaddexp(
                    log(chance) + verified, log(1 - chance) if chance < 1 else -inf
                )
                assert moment - rate * v <= bound + 1e-9


def test_a_rate_that_is_of_no_use_is_left_out() -> None:
    """Beyond what a float holds the spread is infinite, and other rates decide."""
    assert spread((1000.0,), 0.5, 1).tolist() == [inf]
    assert isfinite(spread((300.0,), 0.5, 1)[0])


@pytest.mark.parametrize("budget", [2.0, 6.0, 40.0, 1e3])
@pytest.mark.parametrize(("chance", "samples"), [(1.0, 1), (1.0, 8), (0.25, 1)])
def test_the_allowance_is_how_many_can_follow(budget: float, chance: float, samples: int) -> None:
    """As many as there is room for, one after another with none verified; from any ledger."""
    guard, rng = Guard(budget=budget), np.random.default_rng(1)
    for value, phase in ((0.0, 0), (0.3, 0), (-0.2, 0), (0.0, 1)):
        ledger = Ledger(phase=phase)
        for _ in range(10):
            guard.accept(ledger, chance, samples, value if rng.random() < chance else None)
        allowed = guard.allowance(ledger, chance, samples)
        counted = 0
        while counted < 1500 and guard.room(ledger):
            guard.accept(ledger, chance, samples, None)
            counted += 1
        assert counted == min(allowed, 1500)


def test_a_budget_that_grows_is_there_evenly() -> None:
    """A share at first, the whole after 4,000 tests; what is allowed follows what is there."""
    growing, whole = Guard(budget=40.0, at_first=0.25), Guard(budget=40.0)
    for phase, tests in ((0, 0), (0, 400), (0, 4000), (0, 20_000), (1, 1600)):
        ledger = Ledger(phase=phase, tests=tests)
        missing = (0.75 - 0.75 * min(1.0, tests / 4000)) * 40.0 / 2.0**phase
        lost = Ledger(phase=phase, verified=-missing)  # as if what is not there had been lost
        assert growing.room(ledger) == whole.room(lost)
        assert growing.allowance(ledger, 1.0, 4) == whole.allowance(lost, 1.0, 4)
        assert not growing.used_up(ledger)
    assert 1 < growing.room(Ledger()) < growing.room(Ledger(tests=4000)) == whole.room(Ledger())


def test_it_waits_for_a_budget_that_grows_and_closes_when_all_is_used_up() -> None:
    """Without room it is not closed as long as the whole budget would cover a loss."""
    guard, ledger = Guard(budget=40.0, at_first=0.2), Ledger()
    while guard.room(ledger):
        guard.accept(ledger, 1.0, 4, -1.0)
    assert not guard.used_up(ledger)
    assert guard.room(Ledger(tests=2000, verified=ledger.verified, spread=ledger.spread)) > 10
    ledger.tests = 4000
    while guard.room(ledger):
        guard.accept(ledger, 1.0, 4, -1.0)
    assert guard.used_up(ledger)


def test_open_tests_are_covered_beside_a_budget_that_nobody_gave() -> None:
    """However many they are, until the guard has closed; then, and with a budget, they count."""
    beside, within = Guard(budget=40.0, beside=True), Guard(budget=40.0)
    first, later = Ledger(), Ledger(phase=1)
    assert [beside.covers(first, open_tests) for open_tests in (0, 35, 500)] == [True] * 3
    assert [within.covers(first, open_tests) for open_tests in (0, 34, 35)] == [True, True, False]
    assert beside.room(later) == 17
    assert [beside.covers(later, open_tests) for open_tests in (0, 16, 17)] == [True, True, False]
    assert not beside.covers(closed_ledger(beside), 0)


def test_tests_without_a_set_up_cost_pause_and_go_on() -> None:
    """Every sample up to the stop is +1, every one after it -1: the budget is lost as it comes.

    The learner accepts, waits for more of the budget with its guard open, and accepts again; what
    is lost is never more than what is there.
    """
    learner = EmpiricalBayes(Signs(), 16, setup_cost=0.0, guard=True)
    counted, lost = [], 0
    for tests in range(150):
        design = begun(learner)
        plain = np.ones(design.samples, dtype=np.int8)
        plain[int(design.record(plain).durations[0, 0]) :] = -1
        record = design.record(plain)
        lost += int(design.accepted(record)[0])
        assert lost <= 40.0 * (0.2 + 0.8 * tests / 4000)
        counted.append(design.accepts)
        learner.learn(design, record)
    assert not learner.state.ledger.closed
    assert (np.diff(counted) > 0).any()


def test_losing_all_that_is_open_leaves_the_budget() -> None:
    """The bound on what was accepted, less a loss each, is at least minus the budget."""
    rng = np.random.default_rng(3)
    for budget, bound in ((40.0, 1.0), (6.0, 1.0), (0.1, 0.002)):
        guard, ledger = Guard(budget=budget, bound=bound), Ledger()
        for _ in range(200):
            room = guard.room(ledger)
            left = guard.at_least(ledger) - room * bound
            assert room == 0 or left >= -budget - 1e-12
            assert left - bound < -budget + 1e-12
            guard.accept(ledger, 1.0, 1, bound * rng.choice([-1.0, 1.0]))


def test_a_budget_that_covers_no_loss_is_refused() -> None:
    """With it nothing could ever be accepted; the least one that can be worked with is named."""
    for budget in (1e-9, 0.5, 1.0, 1.1):
        with refused("budget", f"got {budget:g}", "1.118"):
            EmpiricalBayes(Signs(), 16, guard=True, budget=budget)
    assert Guard(budget=1.1181).room(Ledger()) == 1


def test_a_budget_asks_for_a_guard() -> None:
    """Whatever set-up costs; and where there is to be none, a budget is refused."""
    assert EmpiricalBayes(Signs(), 16, budget=40).guarded
    assert not EmpiricalBayes(Signs(), 16).guarded
    with refused("budget", "without a guard", "got 40"):
        EmpiricalBayes(Signs(), 16, guard=False, budget=40)


def test_budgets_of_any_size_and_scale_can_be_worked_with() -> None:
    """From a loss to more than all ideas are worth; the unit of values is of no matter."""
    for budget in (2.0, 1e3, 1e6, 1e12, 1e100, 1e300):
        guard = Guard(budget=budget)
        for chance, samples in ((1.0, 4), (0.25, 1)):
            assert guard.allowance(Ledger(), chance, samples) >= 1
    rooms = {
        (
            Guard(budget=6.0 * s, bound=s).room(Ledger()),
            Guard(budget=6 * s, bound=s, noise=s).room(Ledger()),
        )
        for s in (1e-9, 1.0, 1e9)
    }
    assert len(rooms) == 1


def closed_ledger(guard: Guard) -> Ledger:
    """What a guard has seen after losses alone."""
    ledger = Ledger()
    while guard.room(ledger):
        guard.accept(ledger, 1.0, 4, -1.0)
    guard.close(ledger)
    return ledger


def test_it_closes_and_opens_with_half_the_budget_each_time() -> None:
    """Closed, it allows nothing; what earns opens it, up to four times; what loses does not."""
    guard = Guard(budget=40.0)
    ledger = closed_ledger(guard)
    assert ledger.verified >= -40.0
    assert (guard.room(ledger), guard.allowance(ledger, 1.0, 4)) == (0, 0)
    losing = deepcopy(ledger)
    for _ in range(1000):
        guard.watch(losing, 4, -0.2)
    assert losing.closed
    rooms = []
    for phase in range(1, 5):
        watched = 0
        while ledger.closed:
            guard.watch(ledger, 4, 0.5)
            watched += 1
        assert 2 <= watched <= 30
        assert (ledger.phase, ledger.verified, ledger.spread.sum()) == (phase, 0.0, 0.0)
        rooms.append(guard.room(ledger))
        guard.close(ledger)
    assert rooms == sorted(rooms, reverse=True)
    assert rooms[-1] >= 1
    for _ in range(1000):
        guard.watch(ledger, 4, 1.0)
    assert ledger.closed, "not a fifth time"


def test_it_does_not_open_with_a_budget_that_covers_no_loss() -> None:
    """Half of 2 is less than a loss and what is unknown of it: it stays closed for good."""
    guard = Guard(budget=2.0)
    ledger = closed_ledger(guard)
    for _ in range(1000):
        guard.watch(ledger, 4, 1.0)
    assert ledger.closed


def test_evidence_of_ideas_that_earn_nothing_opens_a_guard_rarely() -> None:
    """500 closed guards watch 30 acceptances of value 0, by 4 signs each: a tenth opens at most.

    A share of 0.1 or less is what Ville's inequality promises. Of 500 by chance more than 0.145
    open with a probability below 1e-3 even if it is just 0.1.
    """
    guard, rng = Guard(budget=40.0), np.random.default_rng(7)
    opened = 0
    for row in rng.choice([-1.0, 1.0], (500, 30, 4)).mean(axis=2):
        ledger = Ledger(closed=True)
        for estimate in row:
            guard.watch(ledger, 4, estimate)
            if not ledger.closed:
                opened += 1
                break
    assert 0 < opened / 500 <= 0.145


@pytest.mark.parametrize("budget", [2.0, 10.0, 40.0, None])
@pytest.mark.parametrize("overlap", [1, 20, 60])
def test_the_budget_holds_with_many_tests_open(budget: float | None, overlap: int) -> None:
    """All samples up to the stop are +1, all after it -1: everything is accepted, and loses 1.

    Verifying samples are independent of decisions, and all of them say so: nothing here is left to
    chance. What is accepted before the guard closes loses at most the budget, and in all, however
    often it opens again, less than twice the budget. By default that is 40, and besides all that
    were open at once.
    """
    learner = EmpiricalBayes(Signs(), 16, setup_cost=20.0, guard=True, budget=budget)
    most, beside = (40.0, overlap - 1) if budget is None else (budget, 0)
    lost = closed = 0
    for _ in range(240 // overlap):
        designs = [begun(learner) for _ in range(overlap)]
        for design in designs:
            plain = np.ones(design.samples, dtype=np.int8)
            stop = int(design.record(plain).durations[0, 0])
            plain[stop:] = -1
            record = design.record(plain)
            lost += int(design.accepted(record)[0])
            learner.learn(design, record)
            closed += learner.state.ledger.closed
        first = learner.state.ledger.phase == 0
        assert lost <= most + beside if first else lost < 2.0 * most + beside
    assert lost > 0
    assert closed or most == 40.0  # with much to lose, it finds out in time that it only loses


def test_late_acceptances_do_not_undo_what_a_closed_guard_has_watched() -> None:
    """Tests that were begun before it closed come back after: evidence is not thrown away."""
    learner = EmpiricalBayes(Signs(), 16, setup_cost=20.0, guard=True, budget=10.0)
    state, guard = learner.state, learner._chooser.guard
    assert guard is not None
    early = [begun(learner) for _ in range(3)]
    assert all(design.accepts for design in early)
    guard.close(state.ledger)
    guard.watch(state.ledger, 4, 0.25)
    for design in early:
        learner.learn(design, design.record(np.ones(design.samples, dtype=np.int8)))
    assert state.ledger.closed
    assert (state.ledger.weight, state.ledger.total) == (4, 1.0)


def test_under_a_normal_law_every_acceptance_is_verified() -> None:
    """Its spread has no bound but the noise: none goes by chance."""
    learner = EmpiricalBayes(Gaussian(2.0), 64, setup_cost=20.0, looks=8)
    assert learner.guarded
    rng = np.random.default_rng(0)
    for _ in range(40):
        design = begun(learner)
        assert design.extras >= 1
        learner.learn(design, design.record(rng.normal(0.5, 2.0, design.samples)))
    assert learner.state.ledger.verified != 0.0


def test_what_little_verifies_a_short_test_is_booked_as_such() -> None:
    """A test of 8 samples is verified by 2 of them: the ledger counts 2, not what was planned."""
    learner = EmpiricalBayes(Gaussian(1.0), 400, setup_cost=200.0, looks=2, guard=True)
    guard, ledger = learner._chooser.guard, learner.state.ledger
    assert guard is not None
    assert learner.state.rounds[-1].verifying > 2
    design = learner.begin(ends=8)
    assert (design.extras, design.samples, design.accepts) == (2, 8, True)
    learner.learn(design, design.record(np.full(8, 3.0)))
    booked = Ledger()
    guard.accept(booked, 1.0, 2, 3.0)
    assert ledger.verified == booked.verified == 3.0
    assert ledger.spread.tolist() == booked.spread.tolist()


@pytest.mark.parametrize("base_rate", [1e-4, 0.005, 0.1, 0.5, 0.9])
@pytest.mark.parametrize("samples", [1, 16, 1000])
def test_the_spread_of_lifts_is_the_largest_of_all_values(base_rate: float, samples: int) -> None:
    """Rare outcomes spread more than normal samples of the same variance: the exact law counts."""
    bound = base_rate
    treated = np.linspace(max(0.0, base_rate - bound), min(1.0, base_rate + bound), 4001)[1:-1]
    for most in (0.1, 1.0, 45.0):
        rates = np.geomspace(most / 1000, most, 11) / bound
        found = spread_of_lifts(rates, base_rate, bound, samples)
        assert np.isfinite(found).all()
        for rate, largest in zip(rates, found, strict=True):
            step = rate / samples
            moment = samples * (
                np.logaddexp(np.log1p(-treated), np.log(treated) + step)
                + np.logaddexp(np.log1p(-base_rate), np.log(base_rate) - step)
            ) - rate * (treated - base_rate)
            assert moment.max() <= largest * (1 + 1e-6) + 1e-9
            assert moment.max() >= largest * 0.99 - 1e-9


def test_lifts_are_guarded_by_their_own_law() -> None:
    """A spread that is at least that of normal samples; all can be written at any moment."""
    learner = EmpiricalBayes(Lift(0.005), 2000, setup_cost=100.0)
    guard = learner._chooser.guard
    assert guard is not None
    assert guard.base_rate == 0.005
    normal = Guard(budget=guard.budget, bound=guard.bound, noise=guard.noise)
    for samples in (1, 16, 500):
        ledgers = [Ledger(), Ledger()]
        for each, ledger in zip((guard, normal), ledgers, strict=True):
            each.accept(ledger, 1.0, samples, 0.0)
        assert (ledgers[0].spread[:5] >= 1.4 * ledgers[1].spread[:5]).all()
    rng = np.random.default_rng(0)
    for _ in range(12):
        design = begun(learner)
        rows = rng.choice(np.array([-1, 0, 1], dtype=np.int8), design.samples, p=[0.1, 0.7, 0.2])
        learner.learn(design, design.record(rows))
    assert EmpiricalBayes.from_json(learner.to_json()).to_json() == learner.to_json()


def test_tests_that_were_rejected_leave_room_while_they_wait() -> None:
    """A long test holds up the others: those of them that lost nothing do not count as open."""
    learner = EmpiricalBayes(Signs(), 16, setup_cost=20.0, guard=True, budget=4.0)
    guard = learner._chooser.guard
    assert guard is not None
    room = guard.room(learner.state.ledger)
    assert 1 < room < 6
    designs = [begun(learner) for _ in range(room)]
    assert all(design.accepts for design in designs)
    assert not begun(learner).accepts
    for number, (design, sign) in enumerate(zip(designs[1:], [-1, -1, 1], strict=False)):
        rejected = design.record(np.full(design.samples, sign, dtype=np.int8))
        learner.learn(design, rejected)
        assert learner.queue.accepting == room - min(number + 1, 2)
    assert begun(learner).accepts
    restored = EmpiricalBayes.from_json(learner.to_json())
    assert restored.queue.accepting == learner.queue.accepting
