"""What is found of dispersion among periods: `python -m benchmarks.dispersion [--runs 100]`.

Tests are looked at after each period of 200 samples, and stopped at limits on the sum in units of
its standard deviation; some are drawn on for some periods. Samples are 0/1 outcomes of pairs of
users at 5 %, a lift, so that a period has 20 conversions. The table has the mean over runs of the
factor that `Dispersion` finds after 100 and after 1,000 tests, and in brackets the share of runs in
which it was significant, where that was not all.
"""

import argparse
from typing import NamedTuple

import numpy as np

from benchmarks.dependence import TESTS, cell
from dwell.arrays import FloatArray
from dwell.fitting.dependence import Measured
from dwell.fitting.dispersion import Dispersion, Spreads, spreads
from dwell.periods import Periods

SAMPLES = 200
RATE = 0.05
VARIANCE = 2.0 * RATE * (1.0 - RATE)


class Noise(NamedTuple):
    """How sums over periods are noisier than samples say.

    Attributes:
        times: How often every user is counted.
        days: By how much the lift differs between periods, in standard errors of a period's mean.
        misstated: By which factor the variance is understated.
        normal: Whether sums are exactly normal, and no counts of conversions.
    """

    times: int = 1
    days: float = 0.0
    misstated: float = 1.0
    normal: bool = False

    @property
    def truth(self) -> float:
        """The factor by which the variance of sums is larger than samples say."""
        return (self.times + self.days**2) * self.misstated

    def sums(self, lifts: FloatArray, rng: np.random.Generator) -> FloatArray:
        """Sums over periods with these lifts."""
        users = SAMPLES // self.times
        if self.normal:
            spread = np.sqrt(VARIANCE * users)
            return self.times * (users * lifts + rng.normal(0.0, spread, lifts.shape))
        treated = rng.binomial(users, np.clip(RATE + lifts, 0.0, 1.0))
        return self.times * (treated - rng.binomial(users, RATE, lifts.shape)).astype(float)


NOISES = {
    "independent": Noise(),
    "users counted twice": Noise(times=2),
    "five times": Noise(times=5),
    "days differ": Noise(days=0.8),
    "variance understated": Noise(misstated=2.0),
    "overstated": Noise(misstated=0.5),
}


class Setting(NamedTuple):
    """Tests of a kind.

    Attributes:
        name: Of the rule.
        lowest: A test stops if its sum is at or below this, in standard deviations, per look …
        highest: … or at or above this.
        effects: The standard deviation of lifts, in standard errors of a period's mean.
        extras: How many periods are drawn after the stop.
    """

    name: str
    lowest: tuple[float, ...]
    highest: tuple[float, ...]
    effects: float
    extras: int = 0

    def found(self, noise: Noise, tests: int, rng: np.random.Generator) -> tuple[Spreads, float]:
        """What tests show, and after how many looks they stopped on average."""
        looks, error = len(self.highest), np.sqrt(VARIANCE / SAMPLES)
        periods = looks + self.extras
        lifts = rng.normal(-0.3, 1.0, (tests, 1)) * self.effects * error
        lifts = lifts + rng.normal(0.0, noise.days * error, (tests, periods))
        sums = noise.sums(lifts, rng)
        totals = np.cumsum(sums, axis=1)
        known = VARIANCE / noise.misstated
        unit = np.sqrt(known * SAMPLES * np.arange(1, looks + 1))
        low, high = np.array(self.lowest) * unit, np.array(self.highest) * unit
        stopping = (totals[:, :looks] <= low) | (totals[:, :looks] >= high)
        stopping[:, -1] = True
        stops = stopping.argmax(axis=1)
        lowest, highest = self._limits(totals, stops, low, high)
        drawn = np.arange(periods) < stops[:, None] + 1 + self.extras
        data = Periods(drawn.sum(axis=1), np.full(int(drawn.sum()), SAMPLES), sums[drawn])
        shown = spreads(data, np.full(tests, known), lowest[drawn], highest[drawn])
        return shown, float(stops.mean() + 1.0)

    def _limits(
        self, totals: FloatArray, stops: FloatArray, low: FloatArray, high: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        """Between which limits sums must have been for the test to go as it went."""
        lowest, highest = np.full(totals.shape, -np.inf), np.full(totals.shape, np.inf)
        went_on = np.arange(len(low)) < stops[:, None]
        lowest[:, : len(low)][went_on] = np.broadcast_to(low, went_on.shape)[went_on]
        highest[:, : len(low)][went_on] = np.broadcast_to(high, went_on.shape)[went_on]
        for test, stop in enumerate(stops):
            if totals[test, stop] >= high[stop]:
                lowest[test, stop] = high[stop]
            elif totals[test, stop] <= low[stop]:
                highest[test, stop] = low[stop]
            else:  # at the last look nothing but the end stopped it
                lowest[test, stop], highest[test, stop] = low[stop], high[stop]
        return lowest, highest


SETTINGS = [
    Setting("ten looks, wide limits", (-1.5,) * 10, (2.0,) * 10, 0.3),
    Setting("ten looks, large effects", (-1.0,) * 10, (2.0,) * 10, 2.0),
    Setting("four looks, narrow limits", (-0.5,) * 4, (0.7,) * 4, 0.3),
    Setting("two looks", (-0.5, 0.0), (1.5, 0.0), 0.5),
    Setting("one look, 2 periods after", (0.0,), (0.0,), 0.5, 2),
    Setting("four looks, narrow limits, 2 periods after", (-0.5,) * 4, (0.7,) * 4, 0.3, 2),
]


def after(shown: Spreads, tests: int) -> Measured:
    dispersion = Dispersion.empty()
    dispersion.take(shown.part(0, tests))
    return dispersion.measured()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--runs", type=int, default=100)
    runs = parser.parse_args().runs
    names = [f"{name} ({noise.truth:.3g})" for name, noise in NOISES.items()]
    print(f"| rule | looks to stop | {' | '.join(names)} |")
    print("|---" * (2 + len(names)) + "|")
    for setting in SETTINGS:
        cells, looks = [], 0.0
        for noise in NOISES.values():
            rngs = np.random.default_rng(0).spawn(runs)
            drawn = [setting.found(noise, max(TESTS), rng) for rng in rngs]
            measured = [[after(shown, tests) for shown, _ in drawn] for tests in TESTS]
            cells.append(", ".join(cell(found) for found in measured))
            looks = looks or float(np.mean([mean for _, mean in drawn]))
        print(f"| {setting.name} | {looks:.1f} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
