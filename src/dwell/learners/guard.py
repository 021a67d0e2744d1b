"""Guard: what was accepted has not lost more than a budget, whatever the noise and the fit.

Some acceptances are verified by samples that no decision saw. An acceptance of value v that is
verified with probability p, by the mean Y of m samples, enters as Z = Y / p or, unverified, as 0:
given the past and the acceptance, the mean of Z is v. With K(rate) a bound on the logarithm of
E exp(rate (Z - v)) for every v, exp(rate (sum Z - sum v) - sum K) is a supermartingale; so with
probability at least 1 - delta, at all times at once, for every rate of a list of R,

    sum v >= sum Z - (ln(R / delta) + sum K(rate)) / rate      (Ville's inequality).

Acceptances go on as long as the best of these bounds says that losing one more, and all that are
open, leaves at least minus the budget. Then the guard closes: tests are run and would-be
acceptances verified, but not accepted, until fresh samples say that they earn. It opens again with
half the budget and half the delta, at most four times and as long as that covers a loss: in all,
less than twice the budget is lost with probability 1 - delta. A budget may grow: so few tests put
little at risk. While the part of it that is there does not cover a loss, nothing is accepted.
docs/empirical_bayes.md has the proof.
"""

from dataclasses import dataclass, field
from functools import lru_cache
from math import cosh, floor, inf, isfinite, log, sinh, sqrt, tanh

import numpy as np

from dwell.arrays import FloatArray
from dwell.errors import InvalidInput
from dwell.laws import Law, Lift, Signs

_RATES = np.geomspace(0.05, 51.2, 11)  # per budget
_PHASES = 4
_REOPENS_AT = 10.0  # evidence, doubled with every phase
# Times the largest loss of a test; the share of that at first, if it grows, and in how many tests.
_BUDGET, _AT_FIRST, _GROWN = 40.0, 0.2, 4000
_LARGEST = 16.0  # standard errors of a test at the cap: what counts as the largest, without bounds
_SMALL_STEP, _TINY_STEP, _SMALLEST = 1e-3, 1e-5, 1e-300


@dataclass(slots=True)
class Ledger:
    """What the guard has seen.

    Attributes:
        phase: How often it has opened again.
        closed: Whether nothing is accepted until such acceptances are shown to earn.
        tests: How many tests there had been when the round in force began.
        verified: The sum of Z: an unbiased estimate of the value of what was accepted.
        spread: The sum of K, an entry per rate.
        weight: While closed, how many samples have verified would-be acceptances …
        total: … and their sum.
    """

    phase: int = 0
    closed: bool = False
    tests: int = 0
    verified: float = 0.0
    spread: FloatArray = field(default_factory=lambda: np.zeros(len(_RATES)))
    weight: float = 0.0
    total: float = 0.0


@dataclass(frozen=True, slots=True)
class Guard:
    """A budget of harm.

    Attributes:
        budget: How much value acceptances may lose before they are stopped.
        bound: No idea is worth less than -bound or more than bound; nor, without `noise`, do
            verifying samples lie beyond.
        noise: The scale with which verifying samples are sub-Gaussian; None if they are bounded.
            With it every acceptance is verified.
        base_rate: How often the control's outcome is 1, if verifying samples are differences of
            two outcomes of 0 and 1: then these, and not the noise, say how they spread.
        delta: With probability at least 1 - delta less than twice the budget is lost, ever.
        at_first: The share of the budget that is there from the beginning; the rest comes evenly
            with the first 4,000 tests.
        beside: Whether tests that are open are covered beside the budget, not by it, until the
            guard first closes: then the budget and as many losses as tests were open at once are
            what can be lost.

    Example:
        >>> guard, ledger = Guard(budget=10.0), Ledger()
        >>> for _ in range(100):
        ...     if guard.allowance(ledger, 1.0, 4) > 0:
        ...         guard.accept(ledger, 1.0, 4, -0.5)
        >>> ledger.closed, ledger.verified
        (False, -4.5)
    """

    budget: float
    bound: float = 1.0
    noise: float | None = None
    base_rate: float | None = None
    delta: float = 0.1
    at_first: float = 1.0
    beside: bool = False

    def __post_init__(self) -> None:
        if not self.room(Ledger()):
            # At the steepest rate, what is left of a budget after one loss is just enough.
            least = self.bound / (1.0 - self._threshold(0) / _RATES[-1])
            raise InvalidInput(
                f"budget must cover a loss and what is unknown of it, {least:.4g} or more, got "
                f"{self.budget:g}; give more, or do without a guard"
            )

    def room(self, ledger: Ledger) -> int:
        """How many acceptances may be open at once; 0 when the guard is closed or is to close.

        Losing all of them leaves at least minus the budget. How they end is not known before they
        are taken in, so each counts as the largest loss.
        """
        return 0 if ledger.closed else self._losses(ledger, self._there(ledger))

    def covers(self, ledger: Ledger, accepting: int) -> bool:
        """Whether a test may begin that counts if accepted, beside so many that are open."""
        counted = 0 if self.beside and ledger.phase == 0 else accepting
        return self.room(ledger) > counted

    def used_up(self, ledger: Ledger) -> bool:
        """Whether not even the whole budget would cover a loss."""
        return self._losses(ledger, self.budget / 2.0**ledger.phase) == 0

    def allowance(self, ledger: Ledger, chance: float, samples: int) -> int:
        """How many acceptances may follow, one after another, if none of them is verified.

        Args:
            ledger: What was seen.
            chance: How likely an acceptance is verified …
            samples: … and by how many samples.
        """
        if ledger.closed:
            return 0
        rates = self._rates(ledger.phase)
        # What the sum of values is sure to be above, less the budget, must cover one loss more.
        covered = ledger.verified + self._there(ledger) - self.bound
        left = rates * covered - self._threshold(ledger.phase) - ledger.spread
        each = np.maximum(self._spread(rates, chance, samples), _SMALLEST)
        most = float(np.max(left / each, where=np.isfinite(each) & (left >= 0.0), initial=-1.0))
        return 0 if most < 0.0 else floor(min(most, 2.0**53)) + 1

    def at_least(self, ledger: Ledger) -> float:
        """What was accepted since the guard last opened is worth at least this, with confidence."""
        rates = self._rates(ledger.phase)
        unsure = ((self._threshold(ledger.phase) + ledger.spread) / rates).min()
        return ledger.verified - float(unsure)

    def accept(self, ledger: Ledger, chance: float, samples: int, estimate: float | None) -> None:
        """Take in an acceptance: verified, with the mean of its samples, or not (None)."""
        ledger.spread = ledger.spread + _added_spread(self, ledger.phase, chance, samples)
        if estimate is not None:
            ledger.verified += estimate / chance

    def close(self, ledger: Ledger) -> None:
        """Accept nothing from now on."""
        ledger.closed, ledger.weight, ledger.total = True, 0.0, 0.0

    def watch(self, ledger: Ledger, samples: int, estimate: float) -> None:
        """Take in a would-be acceptance while closed; opens again if such ones earn."""
        ledger.weight += samples
        ledger.total += samples * estimate
        # A budget that would not cover a loss is not opened: nothing could be accepted under it.
        if (
            ledger.phase < _PHASES
            and self.room(Ledger(phase=ledger.phase + 1, tests=ledger.tests))
            and self._evidence(ledger) >= _REOPENS_AT * 2.0**ledger.phase
        ):
            ledger.phase += 1
            ledger.closed, ledger.verified = False, 0.0
            ledger.spread = np.zeros(len(_RATES))

    def _losses(self, ledger: Ledger, budget: float) -> int:
        """How many losses such a budget covers beside what may have been lost already."""
        left = self.at_least(ledger) + budget
        return max(0, floor(left / self.bound)) if isfinite(left) else 0

    def _there(self, ledger: Ledger) -> float:
        """How much of the budget is there."""
        share = min(1.0, self.at_first + (1.0 - self.at_first) * ledger.tests / _GROWN)
        return share * self.budget / 2.0**ledger.phase

    def _evidence(self, ledger: Ledger) -> float:
        """What wagers against acceptances that lose would have made of 1, on average."""
        stakes = np.geomspace(0.01, 0.64, 7)
        scale = self.bound if self.noise is None else self.noise
        won = stakes * ledger.total / scale - ledger.weight * stakes**2 / 2.0
        return float(np.exp(np.minimum(won, 700.0)).mean())

    def _rates(self, phase: int) -> FloatArray:
        return _rates(self.budget, phase)

    def _spread(self, rates: FloatArray, chance: float, samples: int) -> FloatArray:
        if self.base_rate is not None:
            return _spread_of_lifts(rates, self.base_rate, self.bound, samples)
        if self.noise is not None:
            spread: FloatArray = (rates * self.noise) ** 2 / (2.0 * samples)
            return spread
        return _spread(tuple(rates * self.bound), chance, samples)

    def _threshold(self, phase: int) -> float:
        return log(len(_RATES)) - log(self.delta / 2.0 ** (phase + 1))


def guard_under(law: Law, cap: int, noise: float, budget: float | None, *, cheap: bool) -> Guard:
    """The guard of tests under a law.

    Args:
        law: The law of their observations.
        cap: The most samples of a test.
        noise: The standard deviation of a sample.
        budget: How much acceptances may lose; None for 40 times the largest loss, with open tests
            covered beside it.
        cheap: Whether tests cost little to set up. One bad acceptance costs as much as many such
            tests, so a budget that nobody gave is not there at once.
    """
    by_law = {Signs: 1.0, Lift: -law.value_range[0]}
    bound = by_law.get(type(law), _LARGEST * noise / sqrt(cap))
    return Guard(
        budget=_BUDGET * bound if budget is None else budget,
        bound=bound,
        noise=None if isinstance(law, Signs) else noise,
        base_rate=law.base_rate if isinstance(law, Lift) else None,
        at_first=_AT_FIRST if cheap and budget is None else 1.0,
        beside=budget is None,
    )


@lru_cache(maxsize=64)
def _rates(budget: float, phase: int) -> FloatArray:
    rates: FloatArray = _RATES * 2.0**phase / budget
    return rates


@lru_cache(maxsize=64)
def _added_spread(guard: Guard, phase: int, chance: float, samples: int) -> FloatArray:
    """What an acceptance adds to the spread; a run has thousands of them, nearly all alike."""
    return guard._spread(_rates(guard.budget, phase), chance, samples)


@lru_cache(maxsize=64)
def _spread(rates: tuple[float, ...], chance: float, samples: int) -> FloatArray:
    """K: a bound on the logarithm of E exp(rate (Z - v)), an entry per rate.

    Samples within [-1, 1] spread at most as signs do. Then it is a concave function of v, whose
    maximum has a closed form: for all acceptances verified by several samples, or some by one.
    """
    found = np.empty(len(rates))
    for i, rate in enumerate(rates):
        step = rate / samples if chance >= 1.0 else rate / chance
        if step < _SMALL_STEP:
            # The closed form would be lost in rounding; the square is above it by less than this.
            found[i] = (1.0 + _SMALL_STEP) * rate * step / 2.0
        elif chance >= 1.0:
            v = _within(1.0 / step - 1.0 / tanh(step))
            found[i] = -rate * v + samples * log(cosh(step) + v * sinh(step))
        else:
            step = min(step, 700.0)
            resting = 1.0 - chance + chance * cosh(step)
            v = _within(1.0 / rate - resting / (chance * sinh(step)))
            found[i] = -rate * v + log(resting + v * chance * sinh(step))
            if rate / chance > 700.0:
                found[i] = inf  # this rate is of no use
    return found


def _spread_of_lifts(rates: FloatArray, base_rate: float, bound: float, samples: int) -> FloatArray:
    """The same for differences of two outcomes of 0 and 1, of values within the bound.

    With p the control's rate and q the treatment's, the value is q - p: concave in q again.
    """
    step = rates / samples
    least, most = max(0.0, base_rate - bound), min(1.0, base_rate + bound)
    if step[-1] < _TINY_STEP:
        # As above. The variance of the treatment's outcome is largest where q is closest to 1/2.
        rate = min(max(least, 0.5), most)
        variance = rate * (1.0 - rate) + base_rate * (1.0 - base_rate)
        squares: FloatArray = (1.0 + _SMALL_STEP) * rates * step * variance / 2.0
        return squares
    q = np.clip(1.0 / step - np.exp(-step) / -np.expm1(-step), least, most)
    with np.errstate(divide="ignore"):  # a rate of 0 or 1 leaves nothing to the other outcome
        treated = np.logaddexp(np.log1p(-q), np.log(q) + step)
    control = np.log1p(base_rate * np.expm1(-step))
    found: FloatArray = samples * (treated + control) - rates * (q - base_rate)
    return found


def _within(value: float) -> float:
    return min(max(value, -1.0), 1.0)
