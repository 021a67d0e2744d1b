"""How tests are read: what they tell of the pool of ideas, and whether it has changed."""

from dataclasses import dataclass

import numpy as np

from dwell.arrays import FloatArray, IntArray
from dwell.fitting.dating import shown
from dwell.fitting.pool import likeliest
from dwell.fitting.pool_change import with_change
from dwell.fitting.readings import Readings
from dwell.learners.learned import Learned
from dwell.learners.past_sums import PastSums
from dwell.pools.best import GridPool

# Chosen on the worlds that `dwell bench learners --drift` marks so.
_STEADY = 0.2  # how likely at first that the pool is as all tests together say
_FITTED_SHARE = 4  # that pool is fitted anew once there are a fourth more tests
_MOVED = 0.2  # if so many of the tests turn out to be of another pool, or not, it is fitted anew


@dataclass(frozen=True, slots=True)
class Reader:
    """Learns from tests.

    Attributes:
        pool: What can be said of pools.
        chunk: How many samples have a sum of about the law that is supposed.
        drift: Whether the pool may change.
    """

    pool: GridPool
    chunk: int
    drift: bool

    def nothing(self) -> Learned:
        """What is known before there is any test."""
        if not self.drift:
            return Learned()
        laws = self.pool.laws
        return Learned(Readings.of(self._chances.shape[1]), steady=laws.chances @ laws.weights)

    def begin_from(self, learned: Learned, past: PastSums) -> None:
        """Learn from past tests: if they are in order, the pool may have changed among them."""
        kinds = self.pool.at_levels[0].kinds(past.drawn, past.sums)
        if not self.drift or past.in_order:
            taken = 0
            while taken < len(kinds):
                last = taken + learned.readings.left if self.drift else len(kinds)
                self.learn(learned, kinds[taken:last], past.drawn[taken:last])
                taken = last
        else:
            learned.readings.begin_with(kinds, self._predicted(learned, kinds))

    def learn(self, learned: Learned, kinds: IntArray, drawn: IntArray) -> None:
        """Learn from tests, no more than are left until a change is looked for.

        Args:
            learned: What was learned before.
            kinds: The kinds of the tests.
            drawn: How many samples each has.
        """
        readings = learned.readings
        if not self.drift:
            readings.spans[0].add(kinds)
            return
        # A conversion in a short test would seem to be a large effect, and so another pool.
        tells = drawn >= self.chunk
        readings.count(kinds[~tells])
        if not tells.any():
            return
        readings.take(kinds[tells], self._predicted(learned, kinds[tells]), self._chances)
        if change := shown(readings, learned.factor):
            learned.changes = with_change(learned.changes, change)
        if readings.looking and (change or readings.tests >= learned.steady_at):
            self._fit_steady(learned)

    @property
    def _chances(self) -> FloatArray:
        """How likely each shape of the pool is at first, the last the one that fits all tests.

        That one is of the first reading alone, by which nothing changed: by the others, in the
        second row, the pool is not what all tests together say.
        """
        shapes = self.pool.shapes.chances
        return np.array([[*(1.0 - _STEADY) * shapes, _STEADY], [*shapes, 0.0]])

    def _predicted(self, learned: Learned, kinds: IntArray) -> FloatArray:
        """How likely tests are under each shape of the pool: a row each."""
        # What samples are worth stays the same for a round: so a block of tests is learned from as
        # one by one.
        shapes = np.vstack([self.pool.shapes.weights, learned.steady])
        likelihood = np.exp(self.pool.log_likelihood(kinds, learned.factor))
        found: FloatArray = np.einsum("ij,hj->ih", likelihood, shapes)
        return found

    def _fit_steady(self, learned: Learned) -> None:
        """Fit a pool to all tests since it last changed for sure.

        Real pools are none of a list of shapes: where none fits, readings that go from one to
        another would predict better though nothing has changed.
        """
        readings = learned.readings
        kinds, counts = readings.counted_by(readings.settled)
        likelihood = np.exp(self.pool.log_likelihood(kinds, learned.factor))
        learned.steady = likeliest(likelihood, counts, self.pool.laws, learned.steady).weights
        learned.steady_at = readings.tests + max(1, readings.tests // _FITTED_SHARE)
        readings.catch_up(self._chances[0])

    def moved(self, learned: Learned) -> bool:
        """Whether so many tests turn out to be of another pool that it is to be fitted anew."""
        readings = learned.readings
        return (
            self.drift and readings.looking and readings.moved > _MOVED * learned.rounds[-1].tests
        )
