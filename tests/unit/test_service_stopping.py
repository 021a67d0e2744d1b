"""If a test is stopped now, or goes on: what each is worth, against exact computations."""

import numpy as np
import pytest

from dwell import Atoms, Batch, EmpiricalBayes, Gaussian, Programme, Signs, World, exact, oracle
from dwell.laws import Law
from dwell.pools.fitted import Posterior
from dwell.pools.signs import SignsPool
from dwell.programme.running import deciding
from dwell.programme.state import State
from dwell.service.earned import Plausible
from dwell.service.followed import Followed
from dwell.service.pages import stopping
from dwell.service.pages.cards import worth_of
from dwell.service.pages.words import Unit
from dwell.service.story import Story
from dwell.sparse_policy import SparsePolicy

CAP, SETUP = 64, 30


def programme_of(law: Law) -> Programme:
    """A programme that has learned from 40 tests."""
    learner = EmpiricalBayes(law, cap=CAP, setup_cost=SETUP, drift=False)
    programme = Programme.create("memory:", "checkout", learner=learner)
    draw = np.random.default_rng(4)
    for number, value in enumerate(draw.choice([-0.2, 0.0, 0.4], 40)):
        task = programme.begin(f"t{number}")
        while not task.tell(told(law, float(value), draw)).done:
            pass
    return programme


def told(law: Law, value: float, draw: np.random.Generator) -> list[float] | Batch:
    """Eight samples: one by one under signs, elsewhere as a batch."""
    if isinstance(law, Signs):
        signs = draw.choice([-1, 1], 8, p=[(1 - value) / 2, (1 + value) / 2])
        return [int(sign) for sign in signs]
    return Batch(8, float(draw.normal(8 * value, 8**0.5)))


def plausible_of(state: State) -> Plausible:
    assert isinstance(state.learner, EmpiricalBayes)
    return Plausible.of(state.learner)


def exactly(
    policy: SparsePolicy, given: Posterior, law: Law, drawn: int, total: float, rate: float
) -> float:
    """The same by `dwell.exact`: what is left of a policy, in the world that the test leaves."""
    coming = policy.looks > drawn
    left = SparsePolicy(
        policy.looks[coming] - drawn, policy.lower[coming] - total, policy.upper[coming] - total
    )
    kept = given.weights > 1e-12
    world = World(Atoms(given.values[kept], given.weights[kept] / given.weights[kept].sum()), law)
    table = exact(left.dense(), world)
    return float(table.reward[0] - rate * table.cost[0])


@pytest.mark.parametrize("law", [Signs(), Gaussian(1.0)], ids=str)
def test_to_keep_testing_is_worth_what_exact_says(law: Law) -> None:
    """What is shipped in the end, less what its samples earn on other ideas."""
    programme = programme_of(law)
    draw = np.random.default_rng(1)
    for number in range(12):
        programme.begin(f"new {number}").tell([1, -1] if law == Signs() else told(law, 0.1, draw))
    story = Story()
    story.read_on(programme)
    compared = 0
    with programme.state() as state:
        plausible = plausible_of(state)
        rate = max(0.0, plausible.knowledge.roi.estimate)
        for number, test in story.open.items():
            task = state.tasks[number]
            if task.decided is not None or not task.design.accepts:
                continue
            found = stopping.going_on(plausible, test, task)
            assert found is not None
            samples, total = test.so_far
            policy = deciding(task.design)
            if not isinstance(law, Signs):  # it is looked at when a batch is over
                ends = (policy.looks % 8 == 0) | (policy.looks == policy.cap)
                policy = SparsePolicy(policy.looks[ends], policy.lower[ends], policy.upper[ends])
            given = plausible.pool.given(samples, total)
            plain = exactly(policy, given, law, samples, total, rate)
            assert found.net == pytest.approx(plain, rel=2e-3, abs=1e-5)
            compared += 1
    assert compared >= 2


def test_between_the_best_limits_it_pays_to_go_on_and_beyond_them_to_stop() -> None:
    """By the induction that finds them: position by position, with traffic at the best ROI."""
    pool = SignsPool(cap=CAP)
    weights = np.exp(-0.5 * ((pool.values + 0.02) / 0.2) ** 2)
    weights /= weights.sum()
    world = World(Atoms(pool.values, weights), Signs())
    best = oracle(world, cap=CAP, setup_cost=SETUP)
    policy, wrong = SparsePolicy.of(best.policy), []
    for drawn in (4, 12, 30, 50):
        for total in range(-drawn, drawn + 1, 2):
            likely = weights * (1 + pool.values) ** ((drawn + total) // 2)
            likely *= (1 - pool.values) ** ((drawn - total) // 2)
            given = Posterior(pool.values, likely / likely.sum())
            on = exactly(policy, given, Signs(), drawn, total, best.roi)
            stop = max(0.0, given.mean)
            inside = policy.lower[drawn - 1] < total < policy.upper[drawn - 1]
            if inside != (on > stop) and abs(on - stop) > 1e-6:
                wrong.append((drawn, total, on, stop))
    assert wrong == []


def test_what_is_ahead_is_said_with_the_digits_that_show_it() -> None:
    """A close call is called one; where the rule says otherwise, that is said too."""
    unit, test = Unit.of(None), Followed(1, "blue", 0.0, None, 0)
    pool = programme_of(Gaussian(1.0))
    with pool.state() as state:
        worth = worth_of(plausible_of(state), 8, 3.0)
    assert worth is not None
    value = worth.value.estimate
    on = stopping.GoingOn(value + 0.001 * value, 12.0)
    assert stopping.ahead_by(test, worth, on, unit).startswith("A close call: to keep testing is")
    on = stopping.GoingOn(value / 2.0, 12.0)
    said = stopping.ahead_by(test, worth, on, unit)
    assert said.startswith("To ship now is ahead by")
    assert "The test follows the rule that it began with" in said
    titles = [choice.title for choice in stopping.choices(test, worth, on, unit)]
    assert titles == ["Ship now", "Keep testing", "Drop now"]
    assert stopping.choices(test, None, on, unit) == []
