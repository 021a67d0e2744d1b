"""A refit of EmpiricalBayes at 1,000 tests against the same in NumPy.

The rival fits the same pools by products of matrices, and finds the best boundaries by rows over
all sums that d samples can have; its likelihoods are made once. Ours works on the sums between the
boundaries only. Besides, ours chooses what to verify and to deepen, and the rival does not.
"""

from collections.abc import Iterator

import numpy as np

from benchmarks.duel import Asked, Duel
from dwell import Atoms, EmpiricalBayes, Signs, World, simulate
from dwell.arrays import BoolArray, FloatArray
from dwell.fitting.pool import PSEUDO_TESTS
from dwell.learners.learned import Learned
from dwell.learners.rounds import Chooser
from dwell.pools.signs import SignsPool

_CAP, _SETUP_COST, _TESTS = 256, 20.0, 1000
_WORLD = World(Atoms([-0.5, -0.1, 0, 0.1, 0.5], [0.1, 0.2, 0.4, 0.2, 0.1]), Signs())
_DRAWS, _STEPS, _DRAW_STEPS, _CAUTION = 64, 60, 25, 0.25


class Plain:
    """The refit in NumPy."""

    def __init__(self, learned: Learned):
        self._pool, self._learned = SignsPool(_CAP), learned
        chance = np.clip((1.0 + self._pool.values) / 2.0, 1e-12, 1.0 - 1e-12)
        plus = [np.arange(d + 1.0)[:, None] for d in range(_CAP + 1)]
        # Relative to signs without drift, so that nothing underflows.
        self._rows = [
            np.exp(u * np.log(2.0 * chance) + (d - u) * np.log(2.0 - 2.0 * chance))
            for d, u in enumerate(plus)
        ]

    def refit(self) -> float:
        """The ROI of the boundaries that are best for the pessimistic pool."""
        weights, draws = self._fit(np.random.default_rng(1))
        greedy = self._best(weights, draws)[1]
        worst = np.argsort(greedy)[: round(_CAUTION * _DRAWS)]
        return self._best(draws[worst].mean(axis=0), draws)[0]

    def _fit(self, rng: np.random.Generator) -> tuple[FloatArray, FloatArray]:
        learned, laws = self._learned, self._pool.laws
        kinds, counts = learned.readings.of_present_pool()
        likelihood = np.exp(self._pool.log_likelihood(kinds))
        evidence = counts @ np.log(likelihood @ laws.weights.T) + np.log(laws.chances)
        chances = np.exp(evidence - evidence.max())
        explained = (chances / chances.sum()) @ laws.weights
        total = counts.sum() + PSEUDO_TESTS

        def step(weights: FloatArray) -> FloatArray:
            shares = weights * ((counts / (likelihood @ weights)) @ likelihood)
            found: FloatArray = (shares + PSEUDO_TESTS * explained) / total
            return found

        weights = 0.8 * learned.weights + 0.2 * explained
        for _ in range(_STEPS // 3):
            once = step(weights)
            twice = step(once)
            moved, bent = once - weights, twice - 2.0 * once + weights
            length = max(1.0, float(np.linalg.norm(moved) / np.linalg.norm(bent)))
            ahead = np.maximum(weights + 2.0 * length * moved + length**2 * bent, 0.01 * twice)
            weights = step(ahead / ahead.sum())
        likely = 0.7 * chances / chances.sum() + 0.3 * laws.chances
        begun = laws.weights[rng.choice(len(likely), _DRAWS, p=likely)]
        pseudo = rng.gamma(np.maximum(PSEUDO_TESTS * begun, 1e-300))
        counted = rng.gamma(np.broadcast_to(counts, (_DRAWS, len(counts))))
        totals = (counted.sum(axis=1) + pseudo.sum(axis=1))[:, None]
        near = 40.0 / counts.sum()
        draws = near * begun + (1.0 - near) * weights
        for _ in range(_DRAW_STEPS):
            shares = draws * ((counted / (draws @ likelihood.T)) @ likelihood)
            draws = (shares + pseudo) / totals
        return weights, draws

    def _best(self, weights: FloatArray, draws: FloatArray) -> tuple[float, FloatArray]:
        """The best ROI under a pool, and what its boundaries earn under others."""
        masses = [rows @ weights for rows in self._rows]
        means = [
            (rows @ (weights * self._pool.values)) / mass
            for rows, mass in zip(self._rows, masses, strict=True)
        ]
        price = 0.0
        while True:
            going_on = self._induct(price, means)
            accepts, samples = self._walk(going_on, means)
            rewards = accepts * self._pool.values
            roi = float(weights @ rewards / (_SETUP_COST + weights @ samples))
            if not roi > price * (1.0 + 1e-6):
                return roi, (draws @ rewards) / (_SETUP_COST + draws @ samples)
            price = roi

    def _induct(self, price: float, means: list[FloatArray]) -> list[BoolArray]:
        """Which sums go on, by number of samples."""
        worth = np.maximum(means[-1], 0.0)
        going_on = [np.zeros(_CAP + 1, dtype=bool)]
        for mean in means[-2::-1]:
            chance = (1.0 + mean) / 2.0
            onward = chance * worth[1:] + (1.0 - chance) * worth[:-1] - price
            at_once = np.maximum(mean, 0.0)
            going_on.insert(0, onward > at_once)
            worth = np.maximum(onward, at_once)
        going_on[0][:] = True
        return going_on

    def _walk(
        self, going_on: list[BoolArray], means: list[FloatArray]
    ) -> tuple[FloatArray, FloatArray]:
        """How often each value is accepted, and how many samples it takes."""
        accepts, samples = np.zeros((2, len(self._pool.values)))
        paths = np.ones(1)
        for d in range(1, _CAP + 1):
            kept = np.where(going_on[d - 1], paths, 0.0)
            paths = 0.5 * (np.append(kept, 0.0) + np.append(0.0, kept))
            stopped = np.where(going_on[d], 0.0, paths)[:, None] * self._rows[d]
            samples += d * stopped.sum(axis=0)
            accepts += stopped[means[d] > 0.0].sum(axis=0)
        return accepts, samples


def duels() -> Iterator[Duel]:
    learner = EmpiricalBayes(Signs(), _CAP, setup_cost=_SETUP_COST, drift=False)
    learned = simulate(learner, _WORLD, tasks=_TESTS, rng=0).learner
    assert isinstance(learned, EmpiricalBayes)
    state, plain = learned.state, Plain(learned.state)
    chooser = Chooser(
        pool=SignsPool(_CAP),
        setup_cost=_SETUP_COST,
        noise=1.0,
        largest=1.0,
        cap=_CAP,
        caution=_CAUTION,
        explainable=0.0,
        guard=None,
        drift=False,
        cheap=False,
        seed=0,
    )

    def ours() -> float:
        chooser.begin_round(state)
        return state.rounds.pop().roi

    # Other pools are drawn, so that ROIs agree about.
    np.testing.assert_allclose(plain.refit(), ours(), rtol=0.5)
    yield Duel(
        name="refit/numpy",
        ours=ours,
        rival=plain.refit,
        work=1,
        unit="refit",
        asked=Asked(5.0),
    )
