"""What EmpiricalBayes has learned: the state that goes on, and the rounds of boundaries in it."""

from dataclasses import dataclass, field
from math import inf

import numpy as np

from dwell.arrays import FloatArray, IntArray
from dwell.fitting.dating import turning_points
from dwell.fitting.pool_change import PoolChange
from dwell.fitting.readings import Readings
from dwell.learners.guard import Ledger
from dwell.learners.learner import alike
from dwell.learners.noise_evidence import NoiseEvidence
from dwell.policy import Policy


@dataclass(slots=True)
class Boundaries:
    """Two boundaries on the running sum, at the looks that a test may stop at.

    Attributes:
        looks: After how many samples a test may stop; the last is the cap.
        lower: The lower boundary at each; None where it cannot be crossed.
        upper: The upper one.
        even: From which sum on an idea seems to help, by the fitted pool: what decides where a test
            ends before its time.
    """

    looks: IntArray
    lower: list[float | None]
    upper: list[float | None]
    even: FloatArray

    def policy(self, ends: int = 0) -> Policy:
        """The boundaries, with an entry per sample.

        Args:
            ends: After how many samples the test ends in any case: then what seems to help is
                accepted. 0 if only the boundaries end it.
        """
        cap = int(self.looks[-1])
        lower, upper = (np.full(cap, end) for end in (-inf, inf))
        lower[self.looks - 1] = [-inf if each is None else each for each in self.lower]
        upper[self.looks - 1] = [inf if each is None else each for each in self.upper]
        if not 0 < ends < cap:
            return Policy(lower, upper)
        lower, upper = lower[:ends], upper[:ends]
        lower[-1] = upper[-1] = np.interp(ends, self.looks, self.even)
        return Policy(lower, upper)


@dataclass(slots=True)
class Round:
    """Boundaries that are in force for a while.

    Attributes:
        number: Which round, counted from 0.
        tests: How many tests seemed to be of the present pool when it began.
        boundaries: The boundaries, one for each level of noise.
        accepts: Whether their acceptances count.
        deepened: The share of tasks that draw on after the stop …
        depth: … to this many samples.
        verified: The share of tasks whose acceptance is verified …
        verifying: … by so many samples.
        factor: How many samples of a test are worth one that the law describes, as far as is known.
        accept_rates: How often they accept each value of the grid …
        mean_samples: … and how many samples it takes.
        worths: What each is worth where it is accepted, if tests differ in noise; else nothing.
        words: The rule in words, where one that people can say is in force.
        roi: What they earn per cost under the pessimistic pool.
        promised: The mean value of what they accept under it.
    """

    number: int
    tests: float
    boundaries: list[Boundaries]
    accepts: bool
    deepened: float
    depth: int
    verified: float
    verifying: int
    factor: float
    accept_rates: FloatArray
    mean_samples: FloatArray
    worths: FloatArray
    words: str
    roi: float
    promised: float

    def worth(self, samples: int) -> int:
        """How many independent samples tell as much as so many that verify."""
        return max(1, int(samples / self.factor))


@dataclass(slots=True)
class Learned:
    """What was learned; it does not grow with the number of tests, only with their kinds.

    Attributes:
        readings: The tests, and which of them tell of the pool as it is now.
        changes: The latest changes of the pool that were shown.
        steady: The pool as it would be had it not changed since; nothing where it is taken to stay.
        steady_at: After how many tests that is fitted anew.
        weights: The fitted pool: the weight of each value of the grid; none before there is one.
        rounds: The boundaries in force, and those that open tests run by.
        noise: What tests show of their noise.
        ledger: What the guard has seen.
        gap: Over verifying samples, the sum of what was promised less what they were …
        gap_weight: … and how many there were.
        deepened: How many samples were drawn after stops only to learn from.
        refit_at: After how many tests the pool is fitted anew.
        explored: From how many tests was learned.
        samples: How many samples these took.
    """

    readings: Readings = field(default_factory=lambda: Readings.of(0))
    changes: list[PoolChange] = field(default_factory=list)
    steady: FloatArray = field(default_factory=lambda: np.zeros(0))
    steady_at: int = 0
    weights: FloatArray = field(default_factory=lambda: np.zeros(0))
    rounds: list[Round] = field(default_factory=list)
    noise: NoiseEvidence = field(default_factory=NoiseEvidence)
    ledger: Ledger = field(default_factory=Ledger)
    gap: float = 0.0
    gap_weight: float = 0.0
    deepened: int = 0
    refit_at: int = 0
    explored: int = 0
    samples: int = 0

    @property
    def recent(self) -> float:
        """How many of the learner's own tests seem to be of the present pool."""
        return min(self.explored, self.readings.counted)

    @property
    def factor(self) -> float:
        """How many samples of a test are worth one that the law describes, for a round."""
        return self.rounds[-1].factor if self.rounds else 1.0

    @property
    def shown(self) -> int:
        """After how many tests the latest change was shown; 0 if none was."""
        return self.changes[-1].shown if self.changes else 0

    @property
    def turning_points(self) -> set[int]:
        """By how many tests came before: the tests that a change may begin or began with."""
        changes = [(each.since, each.earliest, each.latest) for each in self.changes]
        return turning_points(self.readings).union(*changes)

    def fits(self, fresh: "Learned", *, cap: int, values: int, levels: int) -> bool:
        """Whether a learner that begins so can get into this state.

        Args:
            fresh: What it begins with.
            cap: The most samples of a test.
            values: How many values the pool has weights of.
            levels: How many levels of noise there are.
        """
        every = [each for found in self.rounds for each in found.boundaries]
        return (
            self.readings.fits(fresh.readings)
            and len(self.weights) == values
            and len(self.steady) == len(fresh.steady)
            and len(self.rounds) > 0
            and all(len(found.boundaries) == levels for found in self.rounds)
            # A look far beyond the cap would take all memory, were its boundaries made first.
            and all(each.looks.max(initial=0) <= cap for each in every)
            and all(each.policy().cap <= cap for each in every)
            and alike(fresh.ledger, self.ledger)
            and alike(fresh.noise.dependence, self.noise.dependence)
            and alike(fresh.noise.dispersion, self.noise.dispersion)
            and min(self.explored, self.samples, self.deepened, self.gap_weight) >= 0
            and self.weights.min(initial=0) >= 0
        )
