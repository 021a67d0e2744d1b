"""EmpiricalBayes: sizes of its state, extremes, looks, scales, and tests that end before time."""

import json
from typing import Any

import numpy as np
import pytest

from dwell import (
    Atoms,
    EmpiricalBayes,
    Gaussian,
    Lift,
    Normal,
    Policies,
    Rule,
    Signs,
    World,
    simulate,
)
from dwell.laws import Law
from dwell.learners.chances import uniform
from dwell.learners.learned import Learned
from dwell.learners.rounds import Chooser
from dwell.periods import Periods
from dwell.testing import in_a_row
from tests.contract.cases import begun
from tests.refusals import refused

WINS = World(Atoms([-0.05, 0.3], [0.8, 0.2]), Signs())


def after(learner: EmpiricalBayes, world: World, tasks: int, seed: int = 0) -> EmpiricalBayes:
    """The same learner after so many tasks of a world."""
    run = simulate(learner, world, tasks=tasks, rng=seed)
    assert isinstance(run.learner, EmpiricalBayes)
    return run.learner


def test_the_state_grows_only_with_the_kinds_of_tests() -> None:
    """To 20,000 tests by at most 40 characters per kind, of which there are few.

    Tests of cap 64 differ in samples and sum: there are 64 x 67 / 2 kinds, whatever comes. Where
    the pool may change, tests are kept in a few spans, each with what it says of all shapes.
    """
    for drift, spans in ((False, 1), (True, 16)):
        sizes = {}
        for tasks in (200, 2000, 20_000):
            learner = after(EmpiricalBayes(Signs(), 64, setup_cost=20, drift=drift), WINS, tasks)
            assert len(learner.state.rounds) <= 2
            readings = learner.state.readings
            kinds, counts = readings.counted_by(np.ones(len(readings.spans)))
            assert counts.sum() == tasks
            assert len(kinds) <= 64 * 67 // 2
            assert len(readings.spans) <= spans
            kept = sum(len(span.kinds) for span in readings.spans)
            of_shapes = 25 * sum(len(span.evidence) for span in readings.spans)
            sizes[tasks] = len(learner.to_json()) - 40 * kept - of_shapes
        # boundaries of two rounds, and readings
        assert max(sizes[2000], sizes[20_000]) < sizes[200] + 2500


def test_a_learner_that_is_restored_fits_no_pool(monkeypatch: pytest.MonkeyPatch) -> None:
    """What its first round would be is not needed: it has one; a new learner has to fit it."""
    written = EmpiricalBayes(Signs(), 16).to_json()

    def refuse(chooser: Chooser, learned: Learned) -> None:
        raise AssertionError(f"a pool was fitted to {learned.explored} tests by {chooser}")

    monkeypatch.setattr(Chooser, "begin_round", refuse)
    assert EmpiricalBayes.from_json(written).to_json() == written
    with pytest.raises(AssertionError, match="fitted to 0 tests"):
        EmpiricalBayes(Signs(), 16).begin()


def without(fields: dict[str, Any], *names: str) -> dict[str, Any]:
    """Fields but for some."""
    return {name: each for name, each in fields.items() if name not in names}


def test_a_state_of_an_earlier_version_goes_on() -> None:
    """Kinds and counts were once all that was kept of tests; later spans, none of which faded."""
    learner = after(EmpiricalBayes(Signs(), 16, setup_cost=1.0, drift=False), WINS, 40)
    fields = learner.to_dict()
    state = without(fields["state"], "steady", "steady_at")
    [span] = state["readings"]["spans"]
    readings = {**without(state["readings"], "faded"), "spans": [without(span, "doubtful")]}
    later = {**fields, "state": {**state, "readings": readings}}
    rounds = [without(found, "tests") for found in state["rounds"]]
    earlier = {
        **fields,
        "settings": without(fields["settings"], "drift"),
        "state": {
            **without(state, "changes", "readings"),
            "kinds": span["kinds"],
            "counts": span["counts"],
            "rounds": rounds,
        },
    }
    expected = after(learner, WINS, 20, seed=1).state
    for written in (later, earlier):
        found = after(EmpiricalBayes.from_dict(written), WINS, 20, seed=1).state
        assert found.weights.tolist() == expected.weights.tolist()
        assert found.explored == expected.explored == 60


def test_tests_that_are_open_for_long_keep_their_rounds() -> None:
    """Fifty rounds later a test is still read by the boundaries that it was begun under."""
    learner = EmpiricalBayes(Signs(), 16, setup_cost=1.0)
    early = begun(learner)
    later = [begun(learner) for _ in range(40)]
    rng = np.random.default_rng(0)
    rows = rng.choice(np.array([-1, 1], dtype=np.int8), (41, 64))
    for design, row in zip(later[::-1], rows, strict=False):
        learner.learn(design, design.record(row))
    assert learner.state.explored == 0
    restored = EmpiricalBayes.from_json(learner.to_json())
    for each in (learner, restored):
        [waiting] = [design for design in each.queue.open if design.number == early.number]
        each.learn(waiting, waiting.record(rows[40]))
        assert each.state.explored == 41
        assert each.queue.open == ()
    assert restored.to_json() == learner.to_json()


@pytest.mark.parametrize("guard", [False, True])
def test_tasks_in_a_row_stay_open_from_one_fit_to_the_next(guard: bool) -> None:
    """Whether they are verified, drawn on or neither; JSON keeps which of them is what."""
    world = World(Atoms([-0.6, 0.6]), Signs())
    learner = after(EmpiricalBayes(Signs(), 64, guard=guard, drift=False), world, 3000)
    design = learner.begin(10_000)
    assert design.tasks == learner.state.refit_at - learner.state.explored > 50
    assert set(design.deepened) == {False, True}
    if guard:
        assert set(design.verified) == {False, True}
    restored = EmpiricalBayes.from_json(learner.to_json())
    assert restored.queue.open == learner.queue.open == (design,)
    rows = world.sample(design.tasks, design.samples, rng=1)[1]
    for each in (learner, restored):
        assert each.learn(design, design.record(rows)) == design.tasks
    assert restored.to_json() == learner.to_json()


@pytest.mark.parametrize("law", [Signs(), Lift(0.012), Gaussian(2.5)], ids=str)
def test_laws_are_written_and_read(law: Law) -> None:
    """JSON keeps all settings, and another law's settings are refused."""
    settings: dict[str, Any] = {
        **{"setup_cost": 3.5, "looks": 4, "min_samples": 8, "caution": 0.4},
        **{"guard": True, "budget": 7000.0, "seed": 9},
    }
    learner = EmpiricalBayes(law, 40, **settings)
    restored = EmpiricalBayes.from_json(learner.to_json())
    assert (restored.law, restored.cap) == (law, 40)
    assert {name: getattr(restored, name) for name in settings} == settings
    for bad in ({"law": "Nobody", "fields": {}}, {"law": "Gaussian", "fields": {}}, {}, "Signs", 3):
        fields = json.loads(learner.to_json())
        fields["settings"]["law"] = bad
        with refused():
            EmpiricalBayes.from_json(json.dumps(fields))


def test_a_seed_gives_other_plausible_pools() -> None:
    """The same one the same run; other draws, other boundaries."""
    states = [
        after(EmpiricalBayes(Signs(), 64, seed=seed), WINS, 60).to_json() for seed in (1, 1, 2)
    ]
    assert states[0] == states[1] != states[2]
    assert after(EmpiricalBayes(Signs(), 64, seed=10**18), WINS, 20).state.explored == 20


WORLDS = {
    "all win": Atoms([1.0]),
    "all lose": Atoms([-1.0]),
    "null": Atoms([0.0]),
    "either": Atoms([-1.0, 1.0]),
}


@pytest.mark.parametrize("world", WORLDS)
@pytest.mark.parametrize("cap", [1, 30])
@pytest.mark.parametrize("setup_cost", [0.0, 20.0, 1e300])
def test_extremes_are_learned_from(world: str, cap: int, setup_cost: float) -> None:
    """Whatever values there are and whatever a test costs, all is finite, and what loses is left.

    Where all ideas win, most are accepted in the end, even by one sample; where all lose, none but
    a few of the first.
    """
    learner = EmpiricalBayes(Signs(), cap, setup_cost=setup_cost)
    run = simulate(learner, World(WORLDS[world], Signs()), tasks=60, rng=0, sampled=True)
    assert np.isfinite([run.reward, run.cost]).all()
    assert EmpiricalBayes.from_json(run.learner.to_json()).to_json() == run.learner.to_json()
    if world in ("all win", "either"):
        assert run.reward > 10.0
    else:
        assert run.reward >= 0.0


@pytest.mark.parametrize("scale", [1e-9, 1e9])
def test_the_unit_of_values_is_of_no_matter(scale: float) -> None:
    """Noise, values and budget times a billion: the same decisions, the ROI times a billion."""
    runs = [
        simulate(
            EmpiricalBayes(Gaussian(2.0 * unit), 100, setup_cost=20, looks=10, budget=90.0 * unit),
            World(Normal(0.1 * unit, 0.5 * unit), Gaussian(2.0 * unit)),
            tasks=60,
            rng=1,
        )
        for unit in (1.0, scale)
    ]
    assert runs[1].samples == runs[0].samples
    assert runs[1].roi == pytest.approx(scale * runs[0].roi, rel=1e-9)


@pytest.mark.parametrize("law", [Signs(), Gaussian(1.0)], ids=str)
def test_looks_and_the_least_length_are_kept(law: Law) -> None:
    """In all rounds, even where samples seem to depend on one another."""
    learner = EmpiricalBayes(law, 100, setup_cost=20, looks=10, min_samples=35)
    rng = np.random.default_rng(0)
    for _ in range(80):
        design = begun(learner)
        [policy] = design.policies
        assert not isinstance(policy, Rule)
        looked = 1 + np.flatnonzero(np.isfinite(policy.lower) | np.isfinite(policy.upper))
        assert (looked % 10 == 0).all()
        assert looked.min() >= 40
        assert looked.max() <= 100
        signs = rng.choice(np.array([-1, 1], dtype=np.int8), design.samples // 5 + 1)
        learner.learn(design, design.record(np.repeat(signs, 5)[: design.samples]))
    if isinstance(law, Signs):
        assert learner.state.noise.measured().factor > 2.0


@pytest.mark.parametrize("guard", [False, True])
def test_tests_that_end_before_their_time_can_be_recorded(guard: bool) -> None:
    """By as many samples as they have; how they are decided does not depend on who is verified.

    Where there is no time to verify an acceptance, nothing is accepted.
    """
    learner = EmpiricalBayes(Signs(), 64, setup_cost=0.0, guard=guard)
    in_a_row(learner, WINS.sample(30, 256, rng=0)[1])
    for ends in (1, 2, 3, 5, 20, 63, 64, 65, 500):
        by_extras: dict[bool, set[int]] = {}
        for _ in range(40):
            design = learner.begin(ends=ends)
            by_extras.setdefault(design.extras > 0, set()).add(design.policies.caps[-1])
            if ends < 64:
                assert design.samples <= ends
                design.record(np.ones(ends, dtype=np.int8))
            if guard and ends < 4:
                assert not design.accepts
            learner.forget(design)
        assert len(set.union(*by_extras.values())) == 1
    for bad in (0, -1, 2.5, "soon"):
        with refused("ends", bad):
            learner.begin(ends=bad)  # type: ignore[arg-type]  # what is refused


def test_sums_over_periods_are_learned_from() -> None:
    """Policies look at ends of periods, under a normal law and under signs."""
    days = Periods(np.array([3]), np.array([40, 40, 40]), np.array([3.0, -40.0, -40.0]))
    learner = EmpiricalBayes(Gaussian(1.0), 100, setup_cost=5.0, guard=False, looks=20)
    design = begun(learner)
    assert learner.learn(design, design.record(days)) == 1
    assert learner.state.samples in (40, 80, 120)
    signs = EmpiricalBayes(Signs(), 100, setup_cost=5.0, guard=False)
    design = begun(signs)
    days = Periods(np.array([3]), np.array([40, 40, 40]), np.array([4.0, -40.0, -40.0]))
    assert signs.learn(design, design.record(days)) == 1
    assert signs.state.samples in (40, 80, 120)


def test_samples_that_are_no_signs_are_refused() -> None:
    """By the record, in a sentence, and the learner is as it was; so is what is no number."""
    learner = EmpiricalBayes(Signs(), 10, setup_cost=5.0)
    design = begun(learner)
    before = learner.to_json()
    for bad in (0.5, 0.0, 2.0, float("nan")):
        with refused():
            learner.learn(design, design.record(np.full(design.samples, bad)))
        assert learner.to_json() == before
    normal = EmpiricalBayes(Gaussian(1.0), 10, setup_cost=5.0, guard=False)
    design = begun(normal)
    for bad in (float("nan"), float("inf")):
        with refused():
            normal.learn(design, design.record(np.full(design.samples, bad)))


def test_all_policies_up_to_the_cap_are_its_choices() -> None:
    """It has no list of them: its own boundaries are a set of one."""
    learner = EmpiricalBayes(Signs(), 16)
    assert learner.choices.cap == 16
    design = begun(learner)
    assert isinstance(learner.subset(design.columns), Policies)
    assert len(learner.subset(design.columns)) == 1
    known = learner.knowledge()
    assert (known.explored, known.samples, known.chosen) == (0, 0, None)


def test_tasks_are_chosen_evenly_and_by_their_numbers() -> None:
    """Which tasks are verified: the same for any block, and independent of which draw on.

    20,000 tasks of three seeds: means within 5 standard errors, correlations of streams, of seeds
    and of neighbours too; 12 comparisons, below 1e-5 false alarms.
    """
    count, error = 20_000, 1.0 / np.sqrt(12 * 20_000)
    for seed in (0, 1, 10**18):
        here, other = (uniform(seed, stream, 1, count) for stream in (0, 1))
        assert here[100:103].tolist() == uniform(seed, 0, 101, 3).tolist()
        assert ((here >= 0.0) & (here < 1.0)).all()
        assert abs(here.mean() - 0.5) < 5 * error
        for later in (other, uniform(seed + 1, 0, 1, count), np.roll(here, 1)):
            assert abs(np.corrcoef(here, later)[0, 1]) < 5 / np.sqrt(count)


def test_broken_promises_are_not_held_against_it_for_ever() -> None:
    """They lower what acceptances are thought to be worth; what nobody sees any more fades."""
    learner = EmpiricalBayes(Signs(), 16, setup_cost=20)
    learner.state.gap, learner.state.gap_weight = 440.0, 400.0
    doubting = after(learner, WINS, 4)
    assert not doubting.state.rounds[-1].accepts
    assert after(doubting, WINS, 20_000, seed=1).state.rounds[-1].accepts
