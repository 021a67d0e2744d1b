"""Readings of the past: which tests tell of the pool of ideas as it is now.

The pool may have changed. Tests are kept in spans, in order; a reading is a guess at which of them
are of the present pool: all of them; or the less, the longer ago they were, if the pool changes all
the time; or those from some test on; or those from some test on together with what an earlier pool
had shown, if it has come back. After every few tests guesses of the last two kinds are added, each
with a small chance; a reading is then as likely as it has predicted the tests since
(`fitting.shapes`), and a test counts by how likely it is that it is of the present pool. Unlikely
readings are left out, and spans that no reading tells apart become one, so that what is kept does
not grow (Adams, MacKay 2007 have such runs of one pool; Herbster, Warmuth 1998 the chances that are
shared out anew).

The first reading says that nothing has changed. Were that so, and the pool drawn from the shapes
that it begins with, then what all readings together predict would be likelier than what the first
does by a factor whose mean is never above 1: a test martingale. So it ever exceeds 1 / alpha with
probability at most alpha (Ville's inequality).
"""

from dataclasses import dataclass, field
from math import isfinite

import numpy as np
from scipy.special import logsumexp

from dwell.arrays import FloatArray, IntArray
from dwell.fitting.looks import STEP, step_after
from dwell.fitting.pool import Plausible
from dwell.fitting.span import Span
from dwell.kernels.following import LEAST, follow

# Changes may be seldom or frequent: after how many tests they come, and how likely each pace is at
# first. And the share of guesses by which an earlier pool is back. Chosen on the worlds that `dwell
# bench learners --drift` marks so.
_BACK = 0.3
_BETWEEN, _PACES = np.array([[1500.0], [150.0]]), np.array([[0.9], [0.1]])
# How much of a test is left after one more by readings that fade, and how likely each is at first.
_LEFT, _FADING = np.array([0.99]), np.array([0.3])
RESTARTS = 1 + len(_LEFT)  # from this one on, readings are of the tests since some test
_MOST_OFTEN = 0.5  # the chance of a change between two looks
_MOST, _NEWEST = 14, 6  # how many readings are kept, but for the first; these are left to grow
_SMALLEST = 1e-300


@dataclass(slots=True)
class Readings:
    """Spans of tests, and readings of which of them tell of the present pool.

    Attributes:
        spans: The tests, in order.
        faded: The same tests but for the last span's, as far as they have not faded: one for each
            reading that fades. None if the pool is taken to stay as it is.
        shares: Whether each reading counts each of these, those that have faded first: 1 or 0, a
            row per reading. The first says that nothing changed; then come those that fade.
        chances: How likely each reading is, as logarithms: a row per pace of changes.
        next_look: After how many tests a change is looked for again.
        evidence: By how much all readings together have made tests likelier than the first has,
            since it is the first, as a logarithm.
    """

    spans: list[Span]
    faded: list[Span] = field(default_factory=list)
    shares: FloatArray = field(default_factory=lambda: np.ones((1, 1)))
    chances: FloatArray = field(default_factory=lambda: np.log(_PACES))
    next_look: int = STEP
    evidence: float = 0.0

    @classmethod
    def of(cls, shapes: int) -> "Readings":
        """Before there is any test.

        Args:
            shapes: How many shapes the pool may have; 0 if it is taken to stay as it is.
        """
        if not shapes:
            return cls([Span.at(0, 0)])
        fading = len(_LEFT)
        return cls(
            [Span.at(0, shapes)],
            [Span.at(0, shapes) for _ in range(fading)],
            np.hstack([np.eye(1 + fading, fading, -1), np.ones((1 + fading, 1))]),
            np.log(_PACES * np.append(1.0 - _FADING.sum(), _FADING)),
        )

    @property
    def tests(self) -> int:
        """How many tests there were."""
        return self.spans[-1].start + round(self.spans[-1].tests)

    @property
    def _columns(self) -> list[Span]:
        """What readings count or do not."""
        return [*self.faded, *self.spans]

    @property
    def by_restart(self) -> list[int]:
        """The readings that do not fade: nothing changed, or since some test it has not."""
        return [0, *range(1 + len(self.faded), len(self.shares))]

    @property
    def weights(self) -> FloatArray:
        """How likely the tests of each span are of the present pool, those that faded first."""
        found: FloatArray = self.likely @ self.shares
        return found

    @property
    def counted(self) -> float:
        """How many tests that makes."""
        return float(self.weights @ [span.tests for span in self._columns])

    @property
    def moved(self) -> float:
        """How many tests have become of the present pool, or of another, since it was fitted."""
        changes = np.abs(self.weights - [span.counted for span in self._columns])
        return float(changes @ [span.tests for span in self._columns])

    def fitted(self) -> None:
        """Note that the pool is fitted to the tests as they count now."""
        for span, weight in zip(self._columns, self.weights.tolist(), strict=True):
            span.counted = weight

    @property
    def leading(self) -> int:
        """The likeliest reading that does not fade."""
        return max(self.by_restart, key=self.likely.tolist().__getitem__)

    @property
    def likely(self) -> FloatArray:
        """How likely each reading is."""
        chances = np.exp(self.chances).sum(axis=0)
        found: FloatArray = chances / chances.sum()
        return found

    def settle(self) -> None:
        """Let the likeliest reading be the first."""
        order = list(range(len(self.shares)))
        order[0], order[self.leading] = self.leading, 0
        self.shares, self.chances = self.shares[order], self.chances[:, order].copy(order="C")
        self.evidence = 0.0

    @property
    def settled(self) -> FloatArray:
        """Whether each span is of the present pool as far as is settled: 1 or 0."""
        return self.shares[0, len(self.faded) :]

    @property
    def sides(self) -> tuple[FloatArray, FloatArray]:
        """Whether each span is surely not of the present pool, and surely of it: 1 or 0."""
        sure = np.array([not span.doubtful for span in self.spans])
        return sure * (1.0 - self.settled), sure * self.settled

    def since(self, row: int) -> int:
        """How many tests came before the change that a reading is about; 0 if about none."""
        left_out = np.flatnonzero(self.shares[row, len(self.faded) :] == 0.0)
        return self.spans[left_out[-1] + 1].start if len(left_out) else 0

    def fits(self, fresh: "Readings") -> bool:
        """Whether readings that begin so can come to be these."""
        shapes = len(fresh.spans[0].evidence)
        if not self.spans or self.shares.shape[1:] != (len(self._columns),):
            return False
        tests = [span.tests for span in self.spans]
        return (
            len(self.faded) == len(fresh.faded) < len(self.shares)
            and bool(np.isin(self.shares, [0.0, 1.0]).all() and self.shares[:, -1].all())
            and [span.start for span in self.spans] == np.cumsum([0, *tests[:-1]]).tolist()
            and min(tests) >= 0
            and (shapes == 0 or self.next_look >= self.tests)
            and self.chances.shape == (len(_PACES), len(self.shares))
            and bool(np.isfinite(self.chances).all())
            and isfinite(self.evidence)
            and all(span.fits(shapes) for span in self._columns)
        )

    def of_present_pool(self) -> tuple[IntArray, FloatArray]:
        """The kinds of tests, and how many of each are likely of the present pool."""
        kinds, counts = self._by_kind()
        return kinds, self.weights @ counts

    def plausible(
        self,
        draws: int,
        sharper: float,
        values: FloatArray,
        former: FloatArray | None,
        rng: np.random.Generator,
    ) -> Plausible:
        """How many tests there are of each kind by readings that are drawn: a row each.

        Args:
            draws: How many readings: in proportion to how likely they are but for their kinds …
            sharper: … which are drawn by their chances to the power of 1 and this.
            values: The values that pools have weights of.
            former: The weights of each value in the pool if nothing changed, once it was fitted.
            rng: What to draw from.
        """
        likely, kinds = self.likely, np.minimum(np.arange(len(self.shares)), RESTARTS)
        likely = likely * np.bincount(kinds, likely)[kinds] ** sharper
        places = likely.sum() * (rng.random() + np.arange(draws)) / draws
        drawn = np.searchsorted(np.cumsum(likely), places)
        drawn = rng.permutation(np.minimum(drawn, len(self.shares) - 1))
        counts: FloatArray = self.shares @ self._by_kind()[1]
        faded = np.maximum(counts[0].sum() - counts.sum(axis=1), 0.0)
        faded[RESTARTS:] = 0.0
        return Plausible(counts[drawn], drawn, faded[drawn], values, former)

    def _by_kind(self) -> tuple[IntArray, FloatArray]:
        """The kinds of tests, and how many of each kind each span has: a row each."""
        columns = self._columns
        kinds = np.unique(np.concatenate([span.kinds for span in columns]))
        counts = np.zeros((len(columns), len(kinds)))
        for row, span in zip(counts, columns, strict=True):
            row[np.searchsorted(kinds, span.kinds)] = span.counts
        return kinds, counts

    def catch_up(self, chances: FloatArray) -> None:
        """Let the last shape, now that it was fitted anew, be as likely as at first, or likelier.

        It predicted worse while it knew less (van Erven, Grünwald, de Rooij 2012).

        Args:
            chances: How likely each shape was by the first reading before there was any test.
        """
        settled = [span for span, counts in zip(self.spans, self.settled, strict=True) if counts]
        evidence = np.sum([span.evidence for span in settled], axis=0)
        settled[0].evidence[-1] += max(0.0, logsumexp(evidence, b=chances) - evidence[-1])

    def counted_by(self, weights: FloatArray) -> tuple[IntArray, FloatArray]:
        """The kinds of tests, and how many there are of each if spans count by weights."""
        kinds, counts = self._by_kind()
        return kinds, weights @ counts[len(self.faded) :]

    def begin_with(self, kinds: IntArray, likelihood: FloatArray) -> None:
        """Learn from tests of one pool that are in no order, before any other.

        Args:
            kinds: Their kinds.
            likelihood: How likely each is under each shape: a row per test.
        """
        self.spans[0].add(kinds)
        self.spans[0].evidence += np.log(likelihood).sum(axis=0)
        self.next_look = self.tests + step_after(self.tests)

    def count(self, kinds: IntArray) -> None:
        """Count tests that do not tell whether the pool has changed: it is as if no time passed."""
        self.spans[-1].add(kinds)
        self.next_look += len(kinds)

    def take(self, kinds: IntArray, likelihood: FloatArray, chances: FloatArray) -> None:
        """Learn from tests that follow, no more than are `left` until a change is looked for.

        Args:
            kinds: Their kinds.
            likelihood: How likely each is under each shape: a row per test.
            chances: How likely each shape is before there is any test: a row for the first reading
                and one for the others, or one for all.
        """
        if self.looking:
            self._offer()
        last, columns = self.spans[-1], self._columns
        before = np.array([span.evidence for span in columns[:-1]]).reshape(-1, len(last.evidence))
        rows = np.minimum(np.arange(len(self.shares)), len(chances) - 1)
        with np.errstate(divide="ignore"):  # what is impossible stays so
            beliefs = np.log(chances)[rows] + self.shares[:, :-1] @ before
        beliefs = np.exp(np.maximum(beliefs - beliefs.max(axis=1, keepdims=True), LEAST))
        gained = follow(likelihood, beliefs, last.evidence, self.chances)
        for each in gained.tolist():
            self.evidence += each
        last.add(kinds)

    @property
    def left(self) -> int:
        """How many tests may be learned from before a change is looked for again."""
        return step_after(self.tests) if self.looking else self.next_look - self.tests

    @property
    def looking(self) -> bool:
        """Whether a change is to be looked for now."""
        return self.tests >= self.next_look

    def _offer(self) -> None:
        """Add readings by which the pool changes now, and begin a span."""
        step, fading = step_after(self.tests), len(self.faded)
        for span, left in zip(self.faded, _LEFT.tolist(), strict=False):
            span.join(self.spans[-1])
            span.fade(left ** self.spans[-1].tests)
        self.shares[1 : 1 + fading, -1] = 0.0
        new = [np.zeros(len(self._columns))]
        back = 1.0 - self.shares[self.leading]
        back[:fading] = 0.0
        if back.any():
            new.append(back)
        self.shares = np.pad(np.vstack([self.shares, *new]), ((0, 0), (0, 1)), constant_values=1.0)
        # Each pace shares its chances out anew.
        likely = np.exp(self.chances)
        hazard = np.minimum(step / _BETWEEN, _MOST_OFTEN)
        born = hazard * likely.sum(axis=1, keepdims=True)
        shared = [1.0 - _BACK, _BACK] if len(new) == 2 else [1.0]
        self.chances = np.hstack([(1.0 - hazard) * likely, born * shared])
        self.next_look = self.tests + step
        self.spans.append(Span.at(self.tests, len(self.spans[-1].evidence)))
        self._leave_out()

    def _leave_out(self) -> None:
        """Keep the likeliest readings and the newest, and join spans that none tells apart."""
        kept, likely, fading = (
            list(range(len(self.shares))),
            self.chances.sum(axis=0),
            len(self.faded),
        )
        while len(kept) > 1 + fading + _MOST:
            kept.remove(min(kept[1 + fading : -_NEWEST], key=lambda each: float(likely[each])))
        self.shares, chances = self.shares[kept], self.chances[:, kept]
        # In the order that they have when they are restored: sums depend on it, by their last bit.
        chances = np.ascontiguousarray(chances)
        self.chances = np.log(np.maximum(chances / chances.sum(), _SMALLEST))
        told = self.shares[self.by_restart, fading:]
        apart = (told[:, 1:] != told[:, :-1]).any(axis=0)
        apart |= np.diff([span.doubtful for span in self.spans])
        spans = [self.spans[0]]
        for span, differs in zip(self.spans[1:], apart, strict=True):
            if differs:
                spans.append(span)
            else:
                spans[-1].join(span)
        first = [True] * (fading + 1)
        self.shares = self.shares[:, np.append(first, apart)].copy(order="C")
        self.spans = spans
