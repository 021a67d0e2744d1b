"""Planning: what the most is that testing can earn, and what rules leave of it."""

from math import inf, nan, sqrt
from typing import Any

import numpy as np
import pytest

from dwell import (
    Atoms,
    Beta,
    Gaussian,
    Lift,
    Normal,
    NothingWorthTesting,
    Policy,
    Signs,
    World,
    exact,
    oracle,
    rules,
)
from dwell.optimum import best_of_looks
from dwell.planning import RULES, Band, Option, Terms, plan, rule_names
from dwell.planning.band import Bands
from dwell.planning.option import judged
from dwell.planning.schedule import lengths, step_of
from dwell.planning.sensitivity import by_prior, by_setup
from tests.refusals import refused

HEADLINES = World(Normal(-0.0003, 0.0045), Gaussian(0.16))
RARE_WINS = World(Atoms([-0.002, 0.01], [0.9, 0.1]), Gaussian(0.16))
TERMS = Terms(world=HEADLINES)


def policy_of(option: Option) -> Policy:
    """The policy of an option that is one."""
    assert option.policy is not None
    return option.policy


def by_samples(policy: Policy, unit: int) -> Policy:
    """A policy on means of `unit` samples as one on samples."""
    lower, upper = (np.full(policy.cap * unit, edge) for edge in (-inf, inf))
    lower[unit - 1 :: unit], upper[unit - 1 :: unit] = policy.lower * unit, policy.upper * unit
    return Policy(lower, upper)


@pytest.mark.parametrize("setup_cost", [0.0, 1000.0, 10_000.0])
@pytest.mark.parametrize("world", [HEADLINES, RARE_WINS], ids=["normal", "atoms"])
def test_days_as_units_change_nothing(world: World, setup_cost: float) -> None:
    """The best ROI and that of each rule are those of `oracle` and `exact` on single samples."""
    found = plan(Terms(world=world, setup_cost=setup_cost, traffic_per_day=50, max_days=14))
    best = oracle(world, 700, setup_cost, every=50)
    assert found.best.roi == pytest.approx(best.roi, rel=1e-9)
    for option in found.ranking:
        if option.policy is not None:
            table = exact(by_samples(option.policy, 50), world, setup_cost)
            assert option.roi == pytest.approx(table.roi[0], rel=1e-9)
            assert option.samples == pytest.approx(table.cost[0] - setup_cost, rel=1e-9)
            assert option.accept_rate == pytest.approx(table.accept_rate[0], rel=1e-9)


@pytest.mark.parametrize("world", [HEADLINES, RARE_WINS], ids=["normal", "atoms"])
@pytest.mark.parametrize("terms", [{}, {"min_days": 5}, {"max_days": 90}, {"max_days": 1}], ids=str)
def test_nothing_is_better_than_the_best_and_nobody_looks_too_early(
    world: World, terms: dict[str, Any]
) -> None:
    """Of all ways of testing; all keep to the minimum and the maximum run."""
    made = Terms(world=world, **terms)
    found = plan(made)
    assert [option.name for option in found.ranking[:1]] == ["best"]
    assert {option.name for option in found.ranking} == {"best", "simple", *RULES}
    for option in found.ranking:
        assert found.left(option) >= -1e-9
        assert made.min_days <= option.samples / made.traffic_per_day <= made.max_days + 1e-9
        if option.policy is not None:
            early = slice(0, made.first - 1)
            assert np.isinf(option.policy.upper[early]).all()
            assert np.isinf(option.policy.lower[early]).all()


@pytest.mark.parametrize("setup_cost", [0.0, 1e3, 1e4])
@pytest.mark.parametrize("mean", [-0.009, -0.0045, -0.0003, 0.001])
def test_a_rule_that_people_can_explain_is_nearly_as_good_as_the_best(
    mean: float, setup_cost: float
) -> None:
    """Within 4 % for normal priors, from ideas that mostly help to ideas that mostly harm."""
    world = World(Normal(mean, 0.0045), Gaussian(0.16))
    found = plan(Terms(world=world, setup_cost=setup_cost), [])
    assert found.left(found.simple) < 0.04


def test_the_share_of_wrong_ships_is_what_a_simulation_counts() -> None:
    """Within 4 standard errors of 40,000 ideas: a false alarm in 16,000 runs."""
    rng = np.random.default_rng(5)
    values = HEADLINES.sample_values(40_000, rng)
    for option in plan(TERMS, ["posterior", "to-the-end", "powered"]).ranking:
        policy = policy_of(option)
        noise = TERMS.unit_sd * rng.standard_normal((len(values), policy.cap))
        sums = np.cumsum(values[:, None] + noise, axis=1)
        up, down = sums >= policy.upper, sums <= policy.lower
        shipped = up[np.arange(len(values)), (up | down).argmax(axis=1)]
        wrong, count = (values[shipped] < 0).mean(), shipped.sum()
        error = sqrt(option.wrong_share * (1 - option.wrong_share) / count)
        assert wrong == pytest.approx(option.wrong_share, abs=4 * error + 1e-3)
        assert count / len(values) == pytest.approx(option.accept_rate, abs=0.01)


@pytest.mark.parametrize(
    ("world", "terms"),
    [
        (World(Atoms([-0.5, 0.25], [0.5, 0.5]), Signs()), {"traffic_per_day": 5, "max_days": 2}),
        (World(Atoms([-0.5, 0.25], [0.5, 0.5]), Gaussian(1)), {"traffic_per_day": 1}),
    ],
    ids=["signs", "gaussian"],
)
def test_wrong_ships_of_few_values_are_counted_one_by_one(
    world: World, terms: dict[str, Any]
) -> None:
    """Half of all ideas are harmful: how often are they shipped?"""
    made = Terms(world=world, setup_cost=1, min_days=0, **terms)
    for option in plan(made, ["p05-one-sided", "to-the-end"]).ranking:
        harmful = World(Atoms([-0.5]), made.unit_world.law)
        wrong = 0.5 * exact(policy_of(option), harmful).accept_rate[0]
        assert option.wrong_share == pytest.approx(wrong / option.accept_rate)


def test_nothing_is_shipped_wrongly_where_nothing_does_harm() -> None:
    """Neither with a prior above 0 nor by a rule that never ships."""
    good = Terms(world=World(Atoms([0.001, 0.002]), Gaussian(0.16)))
    assert {option.wrong_share for option in plan(good, ["to-the-end"]).ranking} == {0.0}
    sure = Terms(world=World(Normal(1, 0.01), Gaussian(0.16)))
    assert judged(sure, "any", "any", Policy([0.0], [0.0])).wrong_share == 0.0
    never = judged(TERMS, "never", "never", Policy([1e9], [1e9]))
    assert (never.accept_rate, never.wrong_share, never.roi) == (0.0, 0.0, 0.0)


def test_a_year_is_worth_its_tests_minus_their_price() -> None:
    """Tests per year times what one earns, minus samples and set-ups at their price."""
    terms = Terms(world=HEADLINES, value_of_lift=1e6, price_per_sample=0.01, setup_cost=500)
    for option in plan(terms).ranking:
        cost = option.samples + 500
        tests = 365 * 1000 / cost
        value = tests * (option.reward * 1e6 - cost * 0.01)
        assert terms.value_per_year(option.roi) == pytest.approx(value)


DAYS = (7, 14, 28, 60, 61, 90, 180, 365, 1000, 10_000, 1_000_000)


def test_looks_of_longer_tests_are_those_of_shorter_ones_and_more() -> None:
    """Every day at first, then days at most 1.25 % apart; their number grows slowly."""
    longest = Terms(world=HEADLINES, max_days=DAYS[-1]).look_units
    for days in (*DAYS, 1, 400, 401, 1234, 56_789):
        terms = Terms(world=HEADLINES, max_days=days)
        assert terms.look_units.tolist() == longest[longest <= days].tolist()
        assert terms.longest >= days / 1.0125
    assert longest[:400].tolist() == list(range(1, 401))
    assert (np.diff(longest) <= np.maximum(1, longest[:-1] / 80)).all()
    assert len(longest) < 1500
    assert set(DAYS) <= set(longest.tolist())


def test_lengths_of_simple_rules_grow_in_number() -> None:
    """A longer maximum takes none away, and each is at most a quarter longer than the last."""
    longest = lengths(1, DAYS[-1])
    for days in DAYS:
        assert lengths(1, days) == [length for length in longest if length <= days]
    assert all(length / step_of(length) <= 60 for length in longest)
    assert min(length / step_of(length) for length in longest if length > 60) >= 25
    assert (np.diff(longest) <= np.maximum(1, np.array(longest[:-1]) * 0.25)).all()


def test_more_looks_than_one_a_day_are_said_to_be_missing() -> None:
    """In a note, from day 400 on."""
    assert plan(Terms(world=HEADLINES, max_days=400), []).notes == ()
    [note] = plan(Terms(world=HEADLINES, max_days=1234), []).notes
    assert "every day up to day 400" in note
    assert "543 looks in all, the last on day 1,230" in note
    with refused("max_days", "4,194,304", "4,194,305"):
        Terms(world=HEADLINES, max_days=4_194_305)


@pytest.mark.parametrize(
    ("world", "setup_cost", "all_days"),
    [
        (HEADLINES, 1000, (7, 28, 60, 61, 365, 1000, 1_000_000)),
        (RARE_WINS, 1e5, (28, 61, 10_000)),
        (World(Normal(-0.0003, 0.0009), Gaussian(0.16)), 1e5, (60, 90, 1000)),
    ],
    ids=["headlines", "rare-wins", "dear-set-up"],
)
def test_roi_never_falls_as_tests_may_run_longer(
    world: World, setup_cost: float, all_days: tuple[int, ...]
) -> None:
    """Neither the best nor the simple rule's; up to 1,000 days the best is that of daily looks."""
    best, simple = [], []
    for days in all_days:
        found = plan(Terms(world=world, setup_cost=setup_cost, max_days=days), [])
        best.append(found.best.roi)
        simple.append(found.simple.roi)
        if days <= 1000:
            daily = best_of_looks(found.terms.unit_world, np.arange(1, days + 1), setup_cost / 1000)
            assert found.best.roi == pytest.approx(daily.roi / 1000, rel=1e-3)
    assert (np.diff(best) >= -1e-9 * best[-1]).all()
    assert (np.diff(simple) >= -1e-9 * simple[-1]).all()
    assert (np.array(simple) <= np.array(best) * (1 + 1e-9)).all()


def test_a_plan_for_a_year_is_what_the_oracle_says() -> None:
    """With looks at the ends of days, sample by sample."""
    found = plan(Terms(world=HEADLINES, max_days=365), [])
    best = oracle(HEADLINES, 365_000, 1000, every=1000)
    assert found.best.roi == pytest.approx(best.roi, rel=1e-9)


def test_rules_that_want_longer_tests_are_cut_and_said_to_be() -> None:
    """A small spread takes long to find."""
    found = plan(Terms(world=World(Normal(0, 0.001), Gaussian(0.16)), max_days=7), ["powered"])
    assert policy_of(found.rules[0]).cap == 7
    assert "the powered test wants 201 days, and is truncated to 7 days" in found.notes
    assert any("would earn more with tests of over 7 days" in note for note in found.notes)


def test_rules_have_their_usual_parameters() -> None:
    """A few against what `dwell.rules` gives."""
    found = {option.name: policy_of(option) for option in plan(TERMS, RULES[:-1]).rules}
    sd = 0.16 / sqrt(1000)
    assert found["p05-two-sided"] == rules.fixed_test(28, sd=sd)
    assert found["p05-one-sided"] == rules.fixed_test(28, sd=sd, sided=1)
    assert found["msprt"] == rules.msprt(28, sd=sd, spread=0.0045)
    assert found["posterior"] == rules.posterior(28, prior=Normal(-0.0003, 0.0045), sd=sd)
    size = rules.powered_size(0.0045, sd=0.16)
    assert found["powered"].cap == -(-size // 1000)
    roll = rules.rollout_size(2 * 365_000, prior_sd=0.0045 / sqrt(2), noise_sd=0.16 / sqrt(2))
    assert found["test-and-roll"].cap == pytest.approx(roll / 1000, abs=1)
    looks = 1 + np.flatnonzero(np.isfinite(found["pocock"].upper))
    assert looks.tolist() == [6, 12, 17, 23, 28]


def test_false_discovery_control_has_an_error_and_the_others_have_none() -> None:
    """It is simulated, with the same seed each time."""
    first, second = (plan(TERMS, ["fdr", "pocock"]).rules for _ in range(2))
    assert first == second
    errors = {option.name: option.roi_error for option in first}
    assert errors["pocock"] is None
    assert errors["fdr"] is not None
    assert 0.0 < errors["fdr"] < 0.1 * first[1].roi


def test_rules_come_in_their_own_order_and_unknown_ones_are_refused() -> None:
    """Each once."""
    assert rule_names(["fdr", "msprt", "fdr"]) == ("msprt", "fdr")
    with refused("'p05'", "p05-two-sided, p05-one-sided"):
        plan(TERMS, ["p05"])


@pytest.mark.parametrize("prior", [Atoms([-1.0, -0.1]), Atoms([0.0]), Atoms([-1.0])], ids=str)
def test_nothing_worth_testing_is_said_in_a_sentence(prior: Atoms) -> None:
    """It names the values and how long tests may be."""
    with pytest.raises(NothingWorthTesting, match=r"Atoms.* at most 28 days, no policy earns"):
        plan(Terms(world=World(prior, Gaussian(1))))


def test_samples_may_cost_more_than_they_earn() -> None:
    """Then nothing is worth testing either."""
    with pytest.raises(NothingWorthTesting, match=r"earns 5\.31e-07 at best, at 1 .*, and costs 1"):
        plan(Terms(world=HEADLINES, price_per_sample=1))


def test_where_all_ideas_are_worth_the_same_some_rules_have_no_meaning() -> None:
    """They are left out, and said to be."""
    found = plan(Terms(world=World(Atoms([0.01]), Gaussian(0.16))))
    assert "powered" not in {option.name for option in found.rules}
    assert any("powered, msprt, posterior" in note for note in found.notes)
    assert by_prior(found.terms) is None


@pytest.mark.parametrize("law", [Signs(), Lift(0.3)], ids=str)
def test_small_tests_look_after_every_sample(law: Any) -> None:
    """Under the laws on a lattice, as `oracle` does there."""
    world = World(Atoms([-0.2, 0.2], [0.6, 0.4]), law)
    found = plan(Terms(world=world, setup_cost=5, min_days=0, traffic_per_day=10, max_days=4))
    assert found.best.roi == pytest.approx(oracle(world, 40, 5).roi)
    assert found.band.words(found.terms).startswith("Look after every sample. ")
    assert by_prior(found.terms) is None
    assert min(by_setup(found).roi["best"]) > 0.0


def test_rules_that_need_a_normal_prior_get_one() -> None:
    """With the same mean and spread; and a Beta prior needs a law on a lattice."""
    terms = Terms(world=World(Beta(2, 3), Signs()), min_days=0, traffic_per_day=9, max_days=1)
    assert any("Normal(-0.2, 0.4)" in note for note in plan(terms, ["posterior"]).notes)
    with refused("Gaussian(10)", "Beta(2, 3)"):
        Terms(world=World(Beta(2, 3), Gaussian(10)))


def test_what_the_best_earns_falls_with_the_set_up_cost() -> None:
    """The best stays the best; the rules are what they are."""
    found = by_setup(plan(TERMS))
    assert found.setup_costs[0] == pytest.approx(10)
    assert found.setup_costs[4] == pytest.approx(1000)
    best = np.array(found.roi["best"])
    assert (np.diff(best) < 0).all()
    assert set(found.roi) == {"best", "simple", *RULES}
    for roi in found.roi.values():
        assert (np.array(roi) <= best * (1 + 1e-9)).all()
    free = by_setup(plan(Terms(world=HEADLINES, setup_cost=0), []))
    assert free.setup_costs[4] == pytest.approx(1000)


@pytest.mark.parametrize("world", [HEADLINES, RARE_WINS], ids=["normal", "atoms"])
def test_better_ideas_earn_more(world: World) -> None:
    """With the mean; the cell in the middle is the plan itself."""
    terms = Terms(world=world)
    found = by_prior(terms)
    assert found is not None
    assert found.best[2][2].roi == pytest.approx(plan(terms, []).best.roi)
    roi = np.array([[cell.roi for cell in row] for row in found.best])
    assert roi.shape == (5, 5)
    assert (np.diff(roi, axis=1) > -1e-15).all()


def test_nothing_worth_testing_is_a_cell_of_its_own() -> None:
    """Where all values moved below 0."""
    found = by_prior(Terms(world=World(Atoms([-0.01, 0.001]), Gaussian(0.16))))
    assert found is not None
    assert found.best[0][0].roi == found.best[0][0].days == 0.0


def test_a_band_says_what_it_does() -> None:
    """In words for one look, for drops above, at and below 0, and for looks that begin late."""
    late = Terms(world=HEADLINES, min_days=3)
    assert Band(1, 1, 3).words(late) == "Test for 3 days, then ship what is above 0."
    assert Band(1.5, 0.5, 9).words(late) == (
        "Look every day. On day 3 ship what is 1 standard error above 0, and drop what is 0.333 "
        "below; both limits shrink evenly to 0 on day 9, when what is above 0 is shipped."
    )
    assert "drop what is not above 0;" in Band(1, 0.0, 9).words(TERMS)
    assert "drop what is not even 0.25 above;" in Band(1, -0.5, 2).words(TERMS)
    year = Terms(world=HEADLINES, max_days=1000)
    assert Band(1, 1, 60).words(year).startswith("Look every day. On day 1 ship")
    assert Band(1, 1, 500).words(year).startswith("Look every 10 days. On day 10 ship")


@pytest.mark.parametrize("length", [1, 7, 60, 75, 90, 500])
def test_a_band_earns_what_its_policy_earns_day_by_day(length: int) -> None:
    """Whatever the unit in which its figures are computed, and from whatever day on it looks."""
    for first in (1, 4):
        terms = Terms(world=HEADLINES, min_days=min(first, length), max_days=600)
        band = Band(1.0, 0.5, length)
        table = exact(band.policy(terms), terms.unit_world)
        reward, samples = band.figures(terms)
        assert reward == pytest.approx(table.reward[0], rel=1e-9)
        assert samples == pytest.approx(table.cost[0] * 1000, rel=1e-9)


def test_a_band_is_the_policy_that_its_words_say() -> None:
    """In standard errors, day by day."""
    policy = Band(2.0, 1.0, 4).policy(TERMS)
    errors = TERMS.unit_sd * np.sqrt(np.arange(1, 5))
    assert (policy.upper / errors)[:3] == pytest.approx([1.5, 1.0, 0.5])
    assert (policy.lower / errors)[:3] == pytest.approx([-0.75, -0.5, -0.25])
    assert 0.0 < policy.upper[3] < 1e-300
    members = Bands.of(Terms(world=HEADLINES, min_days=28)).members
    assert members == (Band(0.0, 0.0, 28),)


@pytest.mark.parametrize(
    ("name", "bad"),
    [
        *(("setup_cost", bad) for bad in (-1, nan, inf, "x")),
        *(("price_per_sample", bad) for bad in (-1, nan, inf, None)),
        *(("value_of_lift", bad) for bad in (0, -1, nan, inf)),
        *(("traffic_per_day", bad) for bad in (0, -1, 1.5, nan)),
        *(("min_days", bad) for bad in (-1, 0.5, nan, 29)),
        *(("max_days", bad) for bad in (0, 0.5, inf)),
    ],
)
def test_bad_terms_are_refused(name: str, bad: Any) -> None:
    """When they are made."""
    with refused(name, bad):
        Terms(**{"world": HEADLINES, name: bad})


def test_tests_on_a_lattice_are_small_and_have_no_minimum_run() -> None:
    """The sentence says what would do."""
    world = World(Beta(2, 3), Signs())
    with refused("min_days", "Signs", "1"):
        Terms(world=world)
    with refused("500 samples", "28,000", "Gaussian"):
        Terms(world=world, min_days=0)
