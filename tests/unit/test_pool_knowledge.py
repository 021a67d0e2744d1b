"""What is known of the pool, for people: figures, a verdict and sentences."""

import json

import numpy as np
import pytest

from dwell import Atoms, Beta, Signs, World
from dwell.fitting.dependence import Measured
from dwell.fitting.pool import PoolFit, fit_pool
from dwell.learners.pool_knowledge import PoolKnowledge, pool_knowledge
from dwell.learners.rule_sentence import rule_sentence
from dwell.pools.signs import SignsPool
from dwell.priors import Prior

POOL = SignsPool(cap=64)
UNSURE = Measured(1.0, 0.1, significant=False, detectable=1.3)
SETUP_COST = 20.0


def known(prior: Prior, tests: int, seed: int = 0) -> tuple[PoolKnowledge, PoolFit]:
    """What is known after tests of 64 signs."""
    rng = np.random.default_rng(seed)
    _, samples = World(prior, Signs()).sample(tests, 64, rng)
    sums = samples.sum(axis=1, dtype=np.float64)
    kinds, counts = np.unique(POOL.kinds(np.full(tests, 64), sums), return_counts=True)
    logs = POOL.log_likelihood(kinds)
    fit = fit_pool(logs, counts.astype(np.float64), POOL.laws, None, rng)
    found = pool_knowledge(
        values=POOL.values,
        weights=fit.weights,
        draws=fit.draws,
        log_likelihood=logs,
        counts=counts.astype(np.float64),
        best=POOL.best(fit.weights, SETUP_COST),
        setup_cost=SETUP_COST,
        measured=UNSURE,
        law=Signs(),
    )
    return found, fit


def test_estimates_are_those_of_the_fitted_pool() -> None:
    """And each lies within its interval."""
    found, fit = known(Atoms([-0.4, 0.0, 0.6]), 200)
    helps = POOL.values > 0.0
    share, gain = fit.weights[helps].sum(), fit.weights[helps] @ POOL.values[helps]
    assert found.tests == 200
    assert found.helpful.estimate == pytest.approx(share)
    assert found.gain.estimate == pytest.approx(gain)
    assert found.helpful_mean.estimate == pytest.approx(gain / share)
    assert found.mean.estimate == pytest.approx(fit.weights @ POOL.values)
    best = POOL.best(fit.weights, SETUP_COST)
    assert found.roi.estimate == pytest.approx(best.roi)
    assert found.rule == rule_sentence(best.policy, Signs())
    for name in ("helpful", "helpful_mean", "mean", "gain", "roi"):
        figure = getattr(found, name)
        assert figure.low <= figure.estimate <= figure.high


@pytest.mark.parametrize("tests", [0, 1, 30])
def test_figures_are_json_whatever_is_known(tests: int) -> None:
    """From the first test on, and before it; nothing infinite is among them."""
    found, _ = known(Beta(8, 12), tests)
    fields = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert fields["tests"] == tests
    assert fields["sentences"] == list(found.sentences)
    assert fields["roi"] == {
        "estimate": found.roi.estimate,
        "low": found.roi.low,
        "high": found.roi.high,
    }


def test_what_earns_and_what_does_not_is_said_first() -> None:
    """With the evidence."""
    assert known(Beta(8, 12), 0)[0].sentences[0] == "Nothing is known yet: there was no test."
    nothing, _ = known(Atoms([-0.3, 0.0]), 100)
    assert nothing.nothing_earns
    assert nothing.sentences[0].startswith("Nothing here earns, as far as 100 tests show")
    assert "may be worth anything" in nothing.sentences[1]
    some, _ = known(Atoms([-0.3, 0.5]), 100)
    assert not some.nothing_earns
    assert some.sentences[0].startswith("Some ideas help: the best pool explains 100 tests better")
    assert some.earning == 1.0
    assert some.sentences[-1].startswith("No sign that samples within a test depend")


def test_pools_without_helpful_ideas_are_called_that_nearly_always() -> None:
    """Of 60 histories of 100 tests of ideas that are all worth 0, at least 53.

    At 4 % of false alarms, more than there were in any setting, 8 or more come in 0.3 % of all
    seeds; at 25 %, 7 or fewer in 0.9 %. If a tenth of ideas are worth 0.5, not one is called so.
    """
    null = [known(Atoms([0.0]), 100, seed)[0].nothing_earns for seed in range(60)]
    assert sum(null) >= 53
    earning = [
        known(Atoms([0.0, 0.5], [0.9, 0.1]), 100, seed)[0].nothing_earns for seed in range(9)
    ]
    assert not any(earning)


def test_the_range_shrinks_as_foretold() -> None:
    """From 60 tests to 240: by half, in the mean over 20 histories, give or take a fourth."""
    prior = Beta(8, 12)
    widths = np.zeros(2)
    for seed in range(20):
        for place, tests in enumerate((60, 240)):
            roi = known(prior, tests, seed)[0].roi
            widths[place] += roi.high - roi.low
    assert widths[1] / widths[0] == pytest.approx(0.5, rel=0.25)
    found, _ = known(prior, 60)
    width = found.roi.high - found.roi.low
    assert found.next_range == pytest.approx(width * np.sqrt(65 / 75))
