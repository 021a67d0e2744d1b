"""A number is a number: text and truth values are refused where they are given."""

import inspect
import warnings
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from functools import cache, wraps
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import dwell
from dwell import (
    Atoms,
    Gaussian,
    Normal,
    Signs,
    World,
    estimate,
    fixed,
    objectives,
    planning,
    rules,
)
from dwell.policies import Policies
from dwell.table import Table
from tests.refusals import refused

WORLD = World(Atoms([-1, 0, 1]), Signs())
POLICIES = Policies([fixed(1, 1), fixed(2, 1)])
PRIOR = Normal(0, 1)
LOG = pa.table({"test": [1, 1, 2, 2], "order": [1, 2, 1, 2], "value": [1, -1, 1, 0]})
COUNTS = ("control_users", "control_conversions", "treatment_users", "treatment_conversions")
MEAN = {"observations": [0, 1], "alpha": 0.05, "low": 0, "high": 1}


@cache
def table() -> Table:
    return dwell.exact(POLICIES, WORLD)


@wraps(dwell.replicate)
def replicated(**given: Any) -> list[dwell.Run]:
    return list(dwell.replicate(**given))


# A call of everything public that takes a number, with good arguments: each of its numbers is then
# replaced by a bad one.
CALLS: dict[Callable[..., Any], dict[str, Any]] = {
    dwell.AtEnd: {"z": 1.96},
    dwell.Batch: {"n": 3, "sum": 2, "sum_squares": 2},
    dwell.Beta: {"a": 2, "b": 3},
    dwell.Design: {
        **{"policies": POLICIES, "columns": (0, 1), "number": 1, "learned_from": 0},
        **{"decider": 1, "extras": 3, "tasks": 2},
    },
    dwell.Normal: {"mean": 0, "sd": 1},
    dwell.StudentT: {"mean": 0, "scale": 1, "df": 3},
    dwell.Gaussian: {"sd": 2},
    dwell.Lift: {"base_rate": 0.1},
    dwell.Rule: {"duration": len, "decision": max, "cap": 2},
    dwell.Countable: {"c": 0.5, "tasks": 100, "delta": 0.05, "step": 2},
    dwell.banded: {"caps": [1, 2], "z": 2, "sd": 1, "min_samples": 1},
    dwell.hoeffding: {"caps": [1, 2], "c": 0.5, "tasks": 100, "delta": 0.05, "min_samples": 1},
    dwell.fixed: {"n": 3, "threshold": 1},
    dwell.exact: {"policies": POLICIES, "world": WORLD, "setup_cost": 3},
    dwell.best_of: {"family": dwell.Countable(0.35, 100, 0.05), "world": WORLD, "setup_cost": 3},
    dwell.oracle: {
        "world": World(PRIOR, Gaussian(1)),
        "cap": 4,
        "setup_cost": 3,
        "every": 2,
        "first": 2,
    },
    dwell.Cape: {
        "policies": POLICIES,
        "tasks": 100,
        "delta": 0.05,
        "exploration_cap": 10,
        "setup_cost": 3,
        "bound": 1,
    },
    dwell.CapeSharp: {
        "policies": POLICIES,
        "tasks": 100,
        "delta": 0.05,
        "exploration_cap": 10,
        "setup_cost": 3,
        "bound": 1,
    },
    dwell.Esc: {
        "family": dwell.Countable(0.35, 100, 0.05),
        "tasks": 100,
        "delta": 0.05,
        "accuracy": 0.5,
        "setup_cost": 3,
        "bound": 1,
    },
    dwell.EscCape: {
        "family": dwell.Countable(0.35, 100, 0.05),
        "tasks": 100,
        "delta": 0.05,
        "accuracy": 0.5,
        "exploration_cap": 10,
        "setup_cost": 3,
        "bound": 1,
    },
    dwell.ExploreThenCommit: {
        "policies": POLICIES,
        "tasks": 100,
        "exploration_cap": 10,
        "delta": 0.05,
        "setup_cost": 3,
        "bound": 1,
    },
    dwell.Client: {"url": "http://127.0.0.1:9", "patience": 1},
    dwell.AsyncClient: {"url": "http://127.0.0.1:9", "patience": 1},
    dwell.Programme.create: {
        "store": "memory:",
        "name": "checkout",
        "policies": POLICIES,
        "setup_cost": 3,
        "silence_days": 4,
    },
    dwell.as_signs: {"observations": [0.5], "bound": 1},
    dwell.Fixed: {"policies": POLICIES, "setup_cost": 3},
    dwell.EmpiricalBayes: {
        "law": dwell.Signs(),
        "cap": 4,
        "setup_cost": 3,
        "looks": 1,
        "min_samples": 1,
        "caution": 0.25,
        "budget": 10,
        "explainable": 0.1,
        "seed": 0,
    },
    dwell.Ladder: {"policies": POLICIES, "delta": 0.05, "setup_cost": 3, "bound": 1},
    dwell.Terms: {
        "world": World(PRIOR, Gaussian(1)),
        "setup_cost": 3,
        "price_per_sample": 0,
        "value_of_lift": 1,
        "traffic_per_day": 10,
        "min_days": 1,
        "max_days": 2,
    },
    planning.Band: {"ship": 2, "drop": 1, "length": 4},
    planning.PastTests: {"effects": [1, 2], "standard_errors": [1, 1], "sd": 1},
    objectives.within_budget: {"profile": table().profile(0), "samples": 10},
    objectives.g1: {"table": table(), "tasks": 10},
    objectives.g2: {"table": table(), "samples": 10},
    estimate.hoeffding: MEAN,
    estimate.empirical_bernstein: MEAN,
    estimate.normal: MEAN,
    estimate.betting: {**MEAN, "resolution": 0.01},
    estimate.roi: {
        "rewards": [0, 1],
        "durations": [1, 2],
        "alpha": 0.05,
        "bound": 1,
        "cap": 2,
        "setup_cost": 3,
    },
    estimate.difference: {
        "rewards": [0, 1],
        "durations": [1, 2],
        "other_rewards": [0, 1],
        "other_durations": [1, 1],
        "roi_low": 0,
        "roi_high": 1,
        "alpha": 0.05,
        "bound": 1,
        "cap": 2,
        "other_cap": 2,
    },
    rules.fixed_test: {"n": 4, "sd": 1, "alpha": 0.05, "sided": 2},
    rules.powered_size: {"effect": 1, "sd": 1, "alpha": 0.05, "power": 0.8, "sided": 2},
    rules.powered_test: {"effect": 1, "sd": 1, "alpha": 0.05, "power": 0.8, "sided": 2},
    rules.group_sequential: {"looks": 2, "n": 4, "sd": 1, "alpha": 0.05},
    rules.z_boundaries: {"shares": [0.5, 1], "alpha": 0.05},
    rules.msprt: {"cap": 3, "sd": 1, "spread": 1, "alpha": 0.05},
    rules.posterior: {"cap": 3, "prior": PRIOR, "sd": 1, "probability": 0.95},
    rules.shifted_linear: {
        "cap": 3,
        "prior": PRIOR,
        "sd": 1,
        "stop": 2,
        "ship": 2,
        "ship_from": 1,
    },
    rules.index_rule: {
        "cap": 3,
        "prior": PRIOR,
        "sd": 1,
        "ship": 0.5,
        "scale": 1,
        "bonus": -0.1,
    },
    rules.rollout_size: {"population": 20, "prior_sd": 1, "noise_sd": 1},
    rules.rollout_test: {"population": 20, "prior_sd": 1, "noise_sd": 1},
    rules.rollout_profit: {
        "population": 20,
        "n": 2,
        "prior_mean": 0,
        "prior_sd": 1,
        "noise_sd": 1,
    },
    rules.fdr_programme: {
        "world": WORLD,
        "n": 2,
        "tasks": 3,
        "streams": 2,
        "alpha": 0.05,
        "setup_cost": 3,
        "rng": 0,
    },
    dwell.simulate: {"learner": dwell.Fixed(POLICIES), "world": WORLD, "tasks": 10, "rng": 0},
    replicated: {
        "learner": dwell.Fixed(POLICIES),
        "world": WORLD,
        "tasks": 10,
        "replications": 2,
        "rng": 0,
    },
}
# Whose numbers we make ourselves; and those that need a log, tested with logs.
RESULTS = {
    *(dwell.Advice, dwell.FittedPrior, dwell.Knowledge, dwell.Lifts, dwell.Optimum, dwell.Run),
    *(dwell.Summary, dwell.Table, dwell.Report),
    *(rules.Discovered, planning.Option, objectives.Totals, dwell.Log, dwell.evaluate),
}
WITH_TEXT: list[tuple[str, Callable[..., Any], dict[str, Any]]] = [
    ("each value", Atoms, {"values": ["1", 2]}),
    ("each weight", Atoms, {"values": [1, 2], "weights": ["0.5", "0.5"]}),
    ("each cap", dwell.hoeffding, {"caps": ["1", "2"], "c": 1, "tasks": 9, "delta": 0.1}),
    ("each cap", dwell.banded, {"caps": ["1", "2"], "z": 1, "sd": 1}),
    ("lower", dwell.Policy, {"lower": ["0"], "upper": ["1"]}),
    ("upper", dwell.Policy, {"lower": [0], "upper": np.array(["1"], dtype=object)}),
    ("samples", dwell.scan, {"samples": [["1"]], "policies": fixed(1)}),
    ("lengths", dwell.scan, {"samples": [1], "policies": fixed(1), "lengths": ["1"]}),
    ("effects", dwell.fit_prior, {"effects": ["1", "2"], "standard_errors": [1, 1]}),
    ("standard_errors", dwell.fit_prior, {"effects": [1, 2], "standard_errors": ["1", "2"]}),
    ("effects", planning.PastTests, {"effects": ["1"], "standard_errors": [1]}),
    ("observations", estimate.betting, {**MEAN, "observations": ["0", "1"]}),
    ("shares", rules.z_boundaries, {"shares": ["0.5", "1"]}),
    ("seed", dwell.Log, {"source": LOG, "seed": "0"}),
    ("bounds", dwell.Log, {"source": LOG, "bounds": ("0", "1")}),
    *(
        (said, dwell.evaluate, {"log": LOG, name: "0.5"})
        for said, name in (
            ("alpha", "alpha"),
            ("set-up cost", "setup_cost"),
            ("longest", "longest"),
        )
    ),
    ("control_users", dwell.effects_from_counts, {name: ["1"] for name in COUNTS}),
]


def numbers_of(call: Callable[..., Any]) -> list[str]:
    """The parameters that take one number."""
    return [
        name
        for name, parameter in inspect.signature(call, eval_str=True).parameters.items()
        if parameter.annotation in (int, float, int | None, float | None) or name == "rng"
    ]


def public() -> list[Callable[..., Any]]:
    """Every function and class that can be reached by public names, but no error or warning."""
    packages = (dwell, estimate, objectives, planning, rules)
    found = [
        getattr(package, name)
        for package in packages
        for name in getattr(package, "__all__", vars(package))
        if not name.startswith("_")
    ]
    return [
        value
        for value in found
        if (inspect.isfunction(value) or inspect.isclass(value))
        and value.__module__.startswith("dwell.")
        and value.__module__ != "dwell.errors"
        and not getattr(value, "_is_protocol", False)
    ]


def test_every_public_name_that_takes_a_number_is_among_the_calls() -> None:
    """So that whoever adds one adds its call here."""
    taking = {value for value in public() if numbers_of(value)}
    assert taking - RESULTS - {inspect.unwrap(call) for call in CALLS} == set()


CASES = [
    (call, name) for call, given in CALLS.items() for name in numbers_of(call) if name in given
]


@pytest.mark.parametrize("bad", ["2", b"2", True, np.array("2")], ids=repr)
@pytest.mark.parametrize(
    ("call", "name"), CASES, ids=[f"{call.__name__}-{name}" for call, name in CASES]
)
def test_text_and_truth_values_are_refused_as_numbers(
    call: Callable[..., Any], name: str, bad: object
) -> None:
    """In one sentence that shows the value, and before anything is done with it."""
    with warnings.catch_warnings(), refused(repr(bad)):
        warnings.simplefilter("ignore", dwell.VacuousGuarantee)
        call(**{**CALLS[call], name: bad})


@pytest.mark.parametrize("call", CALLS, ids=lambda call: str(call.__name__))
def test_numbers_of_other_types_are_taken(call: Callable[..., Any]) -> None:
    """NumPy's scalars and 0-d arrays, and fractions, are numbers."""
    given = CALLS[call]
    names = [name for name in numbers_of(call) if name in given and name != "rng"]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", dwell.VacuousGuarantee)
        for made in (np.array, np.float64, Fraction):
            call(**{**given, **{name: made(given[name]) for name in names}})


@pytest.mark.parametrize(("name", "call", "given"), WITH_TEXT)
def test_text_is_refused_in_lists_and_with_logs(
    name: str, call: Callable[..., Any], given: dict[str, Any]
) -> None:
    """The refusal says which argument it was."""
    with refused(name):
        call(**given)


@pytest.mark.parametrize(
    ("make", "given", "kinds"),
    [
        (dwell.Beta, (Fraction(2), np.int8(3)), {"a": float, "b": float}),
        (dwell.Lift, (np.float32(0.5),), {"base_rate": float}),
        (dwell.Gaussian, (Decimal(2),), {"sd": float}),
        (dwell.Normal, (0, np.array(1)), {"mean": float, "sd": float}),
        (dwell.Countable, (1, 1e2, 0.05), {"c": float, "tasks": int}),
        (planning.Band, (2, 1, 3.0), {"ship": float, "length": int}),
    ],
)
def test_values_are_converted_once_when_they_are_made(
    make: Callable[..., Any], given: tuple[object, ...], kinds: dict[str, type]
) -> None:
    """What is stored is a plain float or int, of whatever type it was given."""
    made = make(*given)
    for name, kind in kinds.items():
        assert type(getattr(made, name)) is kind
