"""What is found of dependence among samples: `python -m benchmarks.dependence [--held-out]`.

Tests of signs are stopped by a policy and perhaps drawn on for some samples, in worlds whose
samples depend on one another in known ways. The table has the mean over runs of the factor that
`Dependence` finds after 100 and after 1,000 tests (by how many samples are worth an independent
one), and in brackets the share of runs in which it was significant, where that was not all. With
`--held-out` worlds and dependences are others, which played no part in choosing constants.
"""

import argparse
import sys
from collections.abc import Callable
from math import ceil
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from dwell import Atoms, Beta, Policies, Policy, Signs, World, hoeffding, oracle
from dwell.arrays import FloatArray
from dwell.fitting.agreement import PathMoments, Traits, traits
from dwell.fitting.dependence import Dependence, Measured
from dwell.outcomes import scan
from dwell.priors import Prior

Signed = NDArray[np.int8]
Noise = Callable[[FloatArray, int, np.random.Generator], Signed]
TESTS = (100, 1000)
CAP = 256


def independent(values: FloatArray, samples: int, rng: np.random.Generator) -> Signed:
    return Signs().sample(values, samples, rng)


def repeated(times: int) -> Noise:
    """Every sample seen so many times in a row, the first of a test as well."""

    def draw(values: FloatArray, samples: int, rng: np.random.Generator) -> Signed:
        once = independent(values, ceil(samples / times), rng)
        return np.ascontiguousarray(np.repeat(once, times, axis=1)[:, :samples])

    return draw


def resembling(correlation: float) -> Noise:
    """So many of the samples are the one before again: a correlation that fades."""

    def draw(values: FloatArray, samples: int, rng: np.random.Generator) -> Signed:
        drawn = independent(values, samples, rng)
        again = rng.random(drawn.shape) < correlation
        for i in range(1, samples):
            drawn[:, i] = np.where(again[:, i], drawn[:, i - 1], drawn[:, i])
        return drawn

    return draw


def by_day(length: int, deviation: float) -> Noise:
    """Days of so many samples, whose values differ with this standard deviation."""

    def draw(values: FloatArray, samples: int, rng: np.random.Generator) -> Signed:
        shifts = rng.normal(0.0, deviation, (len(values), ceil(samples / length)))
        daily = np.clip(values[:, None] + shifts, -1.0, 1.0)
        drawn = independent(daily.reshape(-1), length, rng).reshape(len(values), -1)
        return np.ascontiguousarray(drawn[:, :samples])

    return draw


NOISES: dict[str, tuple[float, Noise]] = {
    "independent": (1.0, independent),
    "seen twice": (2.0, repeated(2)),
    "five times": (5.0, repeated(5)),
    "AR(0.5)": (3.0, resembling(0.5)),
    "days": (1.6, by_day(16, 0.2)),
}
HELD_OUT: dict[str, tuple[float, Noise]] = {
    "independent": (1.0, independent),
    "three times": (3.0, repeated(3)),
    "AR(0.3)": (1.86, resembling(0.3)),
    "AR(0.7)": (5.67, resembling(0.7)),
    "days of 40": (1.39, by_day(40, 0.1)),
}


class Setting(NamedTuple):
    """Tests of a kind.

    Attributes:
        name: Of the policy.
        prior: Of their values.
        policy: What stops them.
        extras: How many samples are drawn after the stop.
    """

    name: str
    prior: Prior
    policy: Policy
    extras: int

    def found(self, noise: Noise, tests: int, rng: np.random.Generator) -> tuple[Traits, float]:
        """What tests show, and how many samples they drew up to their stops on average."""
        values, _ = World(self.prior, Signs()).sample(tests, 1, rng=rng)
        rows = noise(values, CAP + self.extras, rng)
        stops = scan(rows, Policies([self.policy])).durations[:, 0].astype(np.int64)
        shown = traits(rows, stops, stops + self.extras, PathMoments.of(self.policy))
        return shown, float(stops.mean())


def settings(held_out: bool = False) -> list[Setting]:
    losing, null = Beta(45, 55), Atoms([-0.5, -0.1, 0, 0.1, 0.5], [0.1, 0.2, 0.4, 0.2, 0.1])
    three, uniform = Atoms([-1, 0, 1]), Atoms([step / 20 for step in range(-20, 21)])
    [wide] = hoeffding([CAP], c=0.2 if held_out else 0.35, tasks=10_000, delta=0.05)
    assert isinstance(wide, Policy)
    found: list[tuple[str, Prior, Policy]] = [("Hoeffding, Beta(45,55)", losing, wide)]
    worlds: list[tuple[str, Prior, float]] = [
        ("Beta(45,55), set-up 20", losing, 20.0),
        ("Beta(45,55), set-up 0", losing, 0.0),
        ("mostly-null, set-up 20", null, 20.0),
        ("three-point, set-up 20", three, 20.0),
    ]
    if held_out:
        found = [("narrow Hoeffding, uniform", uniform, wide)]
        worlds = [
            ("Beta(3,7), set-up 20", Beta(3, 7), 20.0),
            ("uniform, set-up 200", uniform, 200.0),
        ]
    for name, prior, setup in worlds:
        best = oracle(World(prior, Signs()), cap=CAP, setup_cost=setup).policy
        assert isinstance(best, Policy)
        found.append((name, prior, best))
    return [Setting(*one, extras) for one in found for extras in (0, 24)]


def after(shown: Traits, tests: int) -> Measured:
    dependence = Dependence.empty()
    dependence.take(shown.part(0, tests))
    return dependence.measured()


def cell(found: list[Measured]) -> str:
    share = np.mean([one.significant for one in found])
    mean = np.mean([one.factor for one in found])
    return f"{mean:.2f}" + ("" if share == 1.0 else f" ({share:.0%})")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--runs", type=int, default=100)
    parser.add_argument("--held-out", action="store_true")
    asked = parser.parse_args()
    runs, noises = asked.runs, HELD_OUT if asked.held_out else NOISES
    names = [f"{name} ({truth:g})" for name, (truth, _) in noises.items()]
    print(f"| policy | extras | samples to stop | {' | '.join(names)} |")
    print("|---" * (3 + len(names)) + "|")
    for setting in settings(asked.held_out):
        cells, duration = [], 0.0
        for _, noise in noises.values():
            rngs = np.random.default_rng(0).spawn(runs)
            drawn = [setting.found(noise, max(TESTS), rng) for rng in rngs]
            measured = [[after(shown, tests) for shown, _ in drawn] for tests in TESTS]
            cells.append(", ".join(cell(found) for found in measured))
            duration = duration or float(np.mean([mean for _, mean in drawn]))
        print(f"| {setting.name} | {setting.extras} | {duration:.1f} | {' | '.join(cells)} |")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
