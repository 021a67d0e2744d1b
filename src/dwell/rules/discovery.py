"""Every idea tested to significance, with the share of false discoveries held down.

Online control of the false discovery rate sets the level of each test by the outcomes of those
before it: LORD++ (Javanmard, Montanari 2018; Ramdas, Yang, Wainwright, Jordan 2017) and SAFFRON
(Ramdas, Zrnic, Wainwright, Jordan 2018), both as the package online-fdr has them.
"""

from dataclasses import dataclass
from math import sqrt
from typing import Literal

import numpy as np
from scipy import special

from dwell import checks
from dwell.arrays import BoolArray, FloatArray
from dwell.errors import InvalidInput
from dwell.laws import Gaussian, Law
from dwell.world import RandomState, World, generator_from

Control = Literal["lord", "saffron"]
_CONTROLS: tuple[Control, ...] = ("lord", "saffron")


@dataclass(frozen=True, slots=True)
class Discovered:
    """What a programme earned, as a mean over streams of ideas.

    Attributes:
        reward: The value of what was accepted, per idea.
        reward_error: Its standard error.
        cost: Set-up and samples, per idea: the same for all.
        accept_rate: The share of ideas that was accepted.
        false_share: The share of the accepted that is worth nothing or less, a mean over streams;
            the control's promise is that its expectation is at most alpha.
    """

    reward: float
    reward_error: float
    cost: float
    accept_rate: float
    false_share: float

    @property
    def roi(self) -> float:
        """Reward per cost."""
        return self.reward / self.cost

    @property
    def roi_error(self) -> float:
        """Its standard error."""
        return self.reward_error / self.cost


def fdr_programme(
    world: World,
    n: int,
    *,
    tasks: int = 500,
    streams: int = 20,
    alpha: float = 0.05,
    control: Control = "saffron",
    setup_cost: float = 0.0,
    rng: RandomState = None,
) -> Discovered:
    """Simulate a programme that accepts an idea if its one-sided z-test is a discovery.

    Ideas of one stream share the control's state, so that errors are taken between streams. The
    package's time grows with the square of a stream's length.

    Args:
        world: What ideas are worth, and what a test of one shows.
        n: How many samples each idea gets.
        tasks: How many ideas make a stream.
        streams: How many streams to simulate, at least 2.
        alpha: The false discovery rate to hold.
        control: The procedure, "lord" or "saffron".
        setup_cost: What each idea costs besides its samples.
        rng: A seed, a NumPy generator, or None for fresh randomness.

    Example:
        >>> from dwell import Atoms, Gaussian
        >>> world = World(Atoms([-1, 1]), Gaussian(1))
        >>> found = fdr_programme(world, 16, tasks=50, streams=2, rng=0)
        >>> found.accept_rate, found.roi
        (0.53, 0.033125)
    """
    n, tasks = checks.cap("n", n), checks.count("tasks", tasks)
    streams = checks.count("streams", streams, least=2)
    alpha = checks.probability("alpha", alpha)
    setup_cost = checks.not_negative("set-up cost", setup_cost)
    if control not in _CONTROLS:
        raise InvalidInput(
            f"control must be one of {', '.join(_CONTROLS)}, got {checks.shown(control)}"
        )
    generator = generator_from(rng)
    rewards, accepted, false = np.empty(streams), np.empty(streams), np.empty(streams)
    for stream in range(streams):
        values = world.sample_values(tasks, generator)
        z = _sums(world.law, values, n, generator) / (_noise(world.law) * sqrt(n))
        found = _discoveries(special.ndtr(-z), alpha, control)
        rewards[stream] = (values * found).mean()
        accepted[stream] = found.mean()
        false[stream] = (found & (values <= 0.0)).sum() / max(1, found.sum())
    return Discovered(
        reward=float(rewards.mean()),
        reward_error=float(rewards.std(ddof=1)) / sqrt(streams),
        cost=setup_cost + n,
        accept_rate=float(accepted.mean()),
        false_share=float(false.mean()),
    )


def _discoveries(p_values: FloatArray, alpha: float, control: Control) -> BoolArray:
    # Here, as it loads all of scipy.stats, which no other rule and no plan without it needs.
    from online_fdr.p_values import LordPlusPlus, Saffron

    # Half of alpha as the wealth to begin with, p-values up to 1/2 as candidates: usual choices.
    procedure = (
        LordPlusPlus(alpha=alpha, wealth=alpha / 2.0)
        if control == "lord"
        else Saffron(alpha=alpha, wealth=alpha / 2.0, lambda_=0.5)
    )
    return np.array([bool(procedure.test_one(float(p))) for p in p_values])


def _noise(law: Law) -> float:
    """The standard deviation of one sample of an idea that is worth nothing."""
    if isinstance(law, Gaussian):
        return law.sd
    sums = law.stride * np.arange(3.0) - 1.0
    return sqrt(law.moves[:, 0] @ sums**2)


def _sums(law: Law, values: FloatArray, n: int, rng: np.random.Generator) -> FloatArray:
    """The sum of n samples of each value."""
    if isinstance(law, Gaussian):
        return n * values + law.sd * sqrt(n) * rng.standard_normal(len(values))
    chances = np.clip(law.moves @ np.stack([np.ones(len(values)), values]), 0.0, 1.0).T
    moved = rng.multinomial(n, chances / chances.sum(axis=1, keepdims=True))
    return (moved @ (law.stride * np.arange(3.0))) - n
