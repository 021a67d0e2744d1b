"""Figures of pages against plain computations from the log: programme by programme."""

from math import sqrt

import numpy as np
import pytest
from scipy.stats import binom, norm

from dwell import Batch, EmpiricalBayes, Gaussian, Ladder, Lift, Programme, Signs, fixed
from dwell.arrays import FloatArray
from dwell.laws import Law
from dwell.periods import Periods
from dwell.programme.events import (
    Abandoned,
    Begun,
    Corrected,
    Decided,
    Finished,
    Held,
    Recorded,
    Told,
)
from dwell.programme.observations import Observations, Range, samples_of
from dwell.service.earned import Earned, Ledger, Plausible
from dwell.service.followed import Followed
from dwell.service.pages.overview import Shown
from dwell.service.story import Story
from tests.companies import BASE_RATE, Calendar
from tests.programmes import DAY

SETUP = 40


class Plain:
    """What happened to a test, put down as it comes."""

    def __init__(self, name: str, decider: int) -> None:
        self.name, self.decider = name, decider
        self.parts: dict[str, Observations] = {}
        self.decided: Decided | None = None
        self.shipped = self.finished = self.abandoned = False
        self.held = ""
        self.estimates: list[float] = []

    def amount(self, law: Law | None) -> tuple[int, float]:
        """Its samples and their sum, from all that it was told, corrections in place."""
        found = samples_of(self.parts.values(), Range(law))
        if isinstance(found, Periods):
            return int(found.counts.sum()), float(found.sums.sum())
        return len(found), float(found.sum())


def plainly(programme: Programme) -> dict[int, Plain]:
    """A log, read with a few lines."""
    tests: dict[int, Plain] = {}
    for place, event in programme.events():
        match event:
            case Begun():
                tests[event.task] = Plain(event.name, event.design["decider"])
            case Told():
                tests[event.task].parts[event.key or f"# {place}"] = event.observations
            case Corrected():
                tests[event.task].parts[event.key] = event.observations
            case Decided():
                tests[event.task].decided = event
                tests[event.task].shipped = event.decision == "accept"
            case Recorded():
                tests[event.task].shipped = event.done == "shipped"
            case Finished():
                tests[event.task].finished = True
                if event.record["estimates"] is not None:
                    tests[event.task].estimates = event.record["estimates"][0]
            case Abandoned():
                tests[event.task].abandoned, tests[event.task].shipped = True, False
            case Held():
                tests[event.task].held = event.reason
    return tests


def looked_at(programme: Programme) -> tuple[Story, Ledger, Earned | None]:
    """The same as pages have it."""
    shown = Shown()
    shown.overview(programme, 1e9)
    with programme.state() as state:
        setup_cost = getattr(state.learner, "setup_cost", 0.0)
    return shown.story, shown.ledger, shown.ledger.earned(shown.story, setup_cost)


def arms(draw: np.random.Generator, lift: float) -> tuple[Batch, Batch]:
    """A day of two arms, of odd sizes."""
    sizes = draw.integers(990, 1_011, 2)
    hits = draw.binomial(sizes, [BASE_RATE, BASE_RATE + lift])
    control, treated = (Batch(int(n), int(k), int(k)) for n, k in zip(sizes, hits, strict=True))
    return control, treated


def of_lifts() -> Programme:
    """Days of two arms, some restated; tests abandoned, held, and dropped all the same."""
    calendar, draw = Calendar(now=0.0), np.random.default_rng(2)
    learner = EmpiricalBayes(Lift(BASE_RATE), cap=20_000, looks=1_000, setup_cost=10_000)
    programme = Programme.create("memory:", "lifts", learner=learner, clock=calendar)
    for number in range(45):
        task, lift = programme.begin(f"t{number}"), draw.normal(0.01, 0.03)
        for day in range(40):
            calendar.now += DAY / 4
            control, treated = arms(draw, lift)
            done = task.tell(control=control, treatment=treated, key=f"day {day}").done
            if not done and day == 1 and number % 4 == 0:
                control, treated = arms(draw, lift)
                done = task.correct("day 0", control=control, treatment=treated).done
            if done:
                break
        if number % 5 == 0 and task.advice.decision == "accept":
            task.record("dropped")
    programme.begin("given up").abandon("called off")
    programme.begin("held").tell(control=Batch(900, 9, 9), treatment=Batch(2_000, 20, 20))
    return programme


def of_signs() -> Programme:
    """Signs told a few at a time; tests overlap."""
    draw = np.random.default_rng(3)
    learner = EmpiricalBayes(Signs(), cap=64, setup_cost=SETUP)
    programme = Programme.create("memory:", "signs", learner=learner, clock=Calendar(now=0.0))
    for number in range(60):
        task, value = programme.begin(f"t{number}"), draw.choice([-0.3, 0.0, 0.5])
        while not task.tell(draw.choice([-1, 1], 5, p=[(1 - value) / 2, (1 + value) / 2])).done:
            if number > 55:
                break
    return programme


def of_outcomes() -> Programme:
    """Users one by one, whose arms come unevenly: who waits for a partner is paired later."""
    draw = np.random.default_rng(4)
    learner = EmpiricalBayes(Gaussian(1.0), cap=60, setup_cost=SETUP)
    programme = Programme.create("memory:", "users", learner=learner, clock=Calendar(now=0.0))
    for number in range(40):
        task, value = programme.begin(f"t{number}"), draw.normal(0.1, 0.5)
        done, turn = False, 0
        while not done:
            sizes = (7, 3) if turn % 2 else (2, 6)
            control, treated = (
                draw.normal(m, 0.7, n) for m, n in zip((0, value), sizes, strict=True)
            )
            done, turn = task.tell(control=control, treatment=treated).done, turn + 1
    return programme


MADE = {"lifts": of_lifts, "signs": of_signs, "users": of_outcomes}


@pytest.fixture(scope="module", params=MADE)
def programme(request: pytest.FixtureRequest) -> Programme:
    """Programmes of three kinds."""
    return MADE[request.param]()


def likelihood(law: Law, values: FloatArray, samples: int, total: float) -> FloatArray:
    """How likely a sum is under each value, by scipy."""
    if isinstance(law, Signs):
        return np.asarray(binom.pmf((samples + total) / 2, samples, (1.0 + values) / 2.0))
    noise = sqrt(2.0 * BASE_RATE * (1.0 - BASE_RATE)) if isinstance(law, Lift) else 1.0
    return np.asarray(norm.pdf(total, samples * values, noise * sqrt(samples)))


def test_value_cost_and_reference_are_those_of_the_log(programme: Programme) -> None:
    """Value by Bayes' rule, test by test; the reference by how often the cap is reached ahead."""
    _, ledger, earned = looked_at(programme)
    assert earned is not None
    assert earned.reference is not None
    assert isinstance(ledger.plausible, Plausible)
    pool, law = ledger.plausible.ever, ledger.plausible.ever.law
    assert pool.factor == 1.0
    tests = plainly(programme)
    with programme.state() as state:
        assert isinstance(state.learner, EmpiricalBayes)
        cap, setup_cost = state.learner.cap, state.learner.setup_cost
    value = 0.0
    for test in tests.values():
        if test.shipped:
            weights = pool.weights * likelihood(law, pool.values, *test.amount(law))
            value += float(weights @ pool.values) / float(weights.sum())
    # Where a batch is restated, half a user may have moved into the next.
    assert earned.value.estimate == pytest.approx(value, rel=1e-4)
    counted = [t for t in tests.values() if t.decided is not None and not t.abandoned]
    cost = sum(setup_cost + test.amount(law)[0] for test in counted)
    assert earned.cost == pytest.approx(cost, rel=1e-4)
    assert earned.roi.estimate == pytest.approx(value / cost, rel=1e-3)
    if isinstance(law, Signs):
        ahead = binom.sf(cap // 2, cap, (1.0 + pool.values) / 2.0)
    else:
        noise = sqrt(2.0 * BASE_RATE * (1.0 - BASE_RATE)) if isinstance(law, Lift) else 1.0
        ahead = norm.cdf(sqrt(cap) * pool.values / noise)
    per_test = float(pool.weights @ (ahead * pool.values))
    reference = cost * per_test / (cap + setup_cost)
    assert earned.reference.estimate == pytest.approx(reference, rel=2e-3)
    assert earned.over_time[-1][1] == pytest.approx(value, rel=1e-4)
    assert [at for at, _ in earned.over_time] == sorted(at for at, _ in earned.over_time)


def test_paths_end_where_the_log_does(programme: Programme) -> None:
    """To the sample, whatever was told in which form, corrected or not."""
    story, *_ = looked_at(programme)
    with programme.state() as state:
        law = state.known.law
    compared = 0
    for number, plain in plainly(programme).items():
        test = story.test(number)
        if test is not None and not test.abandoned:
            samples, total = plain.amount(law)
            # A batch that is restated may move half a user into the next.
            assert abs(test.so_far[0] - samples) <= 1
            assert test.so_far[1] == pytest.approx(total, abs=0.1)
            compared += 1
    assert compared > 30


def test_what_was_learned_and_warned_of_is_that_of_the_log(programme: Programme) -> None:
    """Counts, what the pool says of itself, and tests whose data are doubtful."""
    view = Shown().overview(programme, 1e9)
    tests = plainly(programme).values()
    _, ledger, _ = looked_at(programme)
    assert ledger.plausible is not None
    pool, known = ledger.plausible.pool, ledger.plausible.knowledge
    helps = pool.values > 0.0
    assert known.helpful.estimate == pytest.approx(float(pool.weights[helps].sum()), abs=0.02)
    assert known.mean.estimate == pytest.approx(float(pool.weights @ pool.values), abs=0.02)
    counted = next(key for key in view.keys if key.title == "Decided tests")
    done = [test for test in tests if test.decided is not None and not test.abandoned]
    ships = sum(test.decided is not None and test.decided.decision == "accept" for test in done)
    assert counted.number == f"{len(done):,}"
    assert counted.text.startswith(f"{ships} to ship, {len(done) - ships} to drop")
    runs_on = sum(not test.finished for test in done)
    assert (f"{runs_on} run" in counted.text) == (runs_on > 0)
    held = {name for title, name, _ in view.warnings if title == "Doubtful data"}
    assert held == {test.name for test in tests if test.held}


def test_estimates_alone_are_added_up_where_no_pool_is_fitted() -> None:
    """Those of the log, if each test that was shipped has one."""
    draw = np.random.default_rng(5)
    learner = Ladder([fixed(10, 1), fixed(20, 1), fixed(40, 1)], setup_cost=SETUP)
    programme = Programme.create("memory:", "ladder", learner=learner, clock=Calendar(now=0.0))
    for number in range(9):
        task = programme.begin(f"t{number}")
        while not task.tell(draw.choice([-1, 1], 10, p=[0.3, 0.7]).tolist()).done:
            pass
    _, _, earned = looked_at(programme)
    shipped = [test for test in plainly(programme).values() if test.shipped]
    assert earned is not None
    assert len(shipped) >= 4
    value = sum(test.estimates[test.decider] for test in shipped)
    assert earned.value.estimate == pytest.approx(value)
    assert value != pytest.approx(sum(test.estimates[0] for test in shipped))


def test_a_correction_that_was_put_together_is_said_to_be_rough() -> None:
    """After very many steps a single one is not known any more."""
    test = Followed(1, "long", 0.0, None, 0)
    for day in range(300):
        test.tell(f"day {day}", Batch(2, 1.0))
    assert test.correct("day 1", Batch(4, 1.0)) is None
    assert test.rough
