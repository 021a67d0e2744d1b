"""A block of tests that are known by counts: users and conversions of two arms.

Given the counts, every order of an arm's outcomes is as likely as any other, so what is told of a
test is a mean over orders: exact for rules that look once and for the current rule, and over many
drawn orders for others. Orders are drawn from the seed and the test's name alone, so that they do
not depend on what is read with it.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from hashlib import blake2b

import numpy as np

from dwell.arrays import BoolArray, Decisions, IntArray
from dwell.checks import LONGEST_CAP
from dwell.fitting.sample_ratio import MISMATCH, sample_ratio_p_values
from dwell.history.reading.block import Block, HeldOut, LeaveOneOut, Spread
from dwell.history.reading.blocks import PeriodBlock, SampleBlock, chosen
from dwell.history.reading.forms.stretches import USERS, Stretches, differences
from dwell.history.reading.looking import Looked, Looking, seen_of
from dwell.history.reading.mixed_block import block_of
from dwell.history.reading.orders import Orders, ones_by_stretch
from dwell.history.reading.quality import Quality
from dwell.kernels.leaving_out import without_a_pair
from dwell.policies import Policies

_STRETCHES = 2**11  # at most, of a test: evenly spaced on a log scale


@dataclass(frozen=True, slots=True)
class CountsBlock:
    """A block of tests whose outcomes are 0 and 1, in an unknown order.

    Where arms are of about the same size a user of each is a sample, and users without a partner
    score but are not drawn; elsewhere two users are a sample, of both arms in proportion.

    Attributes:
        names: What each test is called.
        users: How many users control and treatment have, a row per test.
        ones: How many of them converted.
        seed: What orders are drawn from, with tests' names.
        order: The order that policies are run on which need one.
        quality: What was found in the rows that they were read from.

    Example:
        >>> users, ones = np.array([[50, 50], [9, 0]]), np.array([[5, 10], [1, 0]])
        >>> block = CountsBlock(("blue", "red"), users, ones)
        >>> block.long_enough().names, block.drawn.tolist()
        (('blue',), [50, 0])
        >>> block.long_enough().leave_one_out(0.0).rewards.round(3).tolist()
        [0.1]
    """

    names: tuple[str, ...]
    users: IntArray
    ones: IntArray
    seed: int = 0
    order: int = 0
    quality: Quality = field(default_factory=Quality)

    @property
    def even(self) -> BoolArray:
        """Which tests have arms of about the same size."""
        return ~(sample_ratio_p_values(self.users[:, 0], self.users[:, 1]) < MISMATCH)

    @property
    def drawn(self) -> IntArray:
        """How many samples each test has."""
        fewer = self.users.min(axis=1)
        drawn: IntArray = np.where(self.even, fewer, self.users.sum(axis=1) // 2 * (fewer > 0))
        return drawn

    @property
    def constant(self) -> BoolArray:
        """Which tests of two users or more in each arm have outcomes that do not differ."""
        same = ((self.ones == 0) | (self.ones == self.users)).all(axis=1)
        constant: BoolArray = same & (self.users.min(axis=1, initial=2) >= 2)
        return constant

    @property
    def in_periods(self) -> bool:
        """Whether policies look at ends of stretches in any test."""
        return bool(self._stretched.any())

    @property
    def _stretched(self) -> BoolArray:
        """Which tests are known by sums over stretches, in a given order."""
        stretched: BoolArray = ~self.even | (self.users.min(axis=1) > LONGEST_CAP)
        return stretched

    def long_enough(self) -> "CountsBlock":
        """The tests of two users or more in each arm."""
        long = self.users.min(axis=1, initial=2) >= 2
        if long.all():
            return self
        named = chosen(self.names, long)
        return CountsBlock(named, self.users[long], self.ones[long], self.seed, self.order)

    def spread(self) -> Spread:
        """Of samples in pairs, whatever the order."""
        rates = self.ones / self.users
        each = rates * (1.0 - rates)
        variances = (each * (self.users / (self.users - 1.0))).sum(axis=1)
        # Of the difference of two independent outcomes, around its mean.
        fourths = (each * (1.0 - 3.0 * each)).sum(axis=1) + 6.0 * each.prod(axis=1)
        drawn = self.drawn
        return Spread(seen_of(drawn), drawn * variances, drawn, drawn * fourths)

    def looked(self, looking: Looking) -> Looked:
        """Rules over orders of outcomes."""
        drawn, even = self.drawn, self.even
        found = np.zeros((len(self.names), len(looking.rules), 4))
        moves = np.zeros((len(looking.rules), 3))
        orders = Orders(looking)
        for test, name in enumerate(self.names):
            arms = (self.users[test], self.ones[test])
            visible = int(seen_of(drawn[test : test + 1])[0])
            moves += orders.run(
                *arms, visible, bool(even[test]), _key(name), self.seed, found[test]
            )
        rates = self.ones / self.users
        variance, weight = looking.noise
        total = self.users.sum(axis=1)
        pooled = self.ones.sum(axis=1) / total
        each = (total * pooled * (1.0 - pooled) + weight * variance) / (total + 2.0 * weight)
        errors = np.sqrt(each * (1.0 / self.users).sum(axis=1))
        return Looked.of(found, rates[:, 1] - rates[:, 0], errors, np.sqrt(2.0 * each), moves)

    def held_out(self, policies: Policies) -> HeldOut:
        """Run policies on one order of each test's outcomes."""
        return self.ordered(self.order).held_out(policies)

    def leave_one_out(self, z: float) -> LeaveOneOut:
        """Each pair of users in turn."""
        accepts, rewards = np.empty(len(self.names)), np.empty(len(self.names))
        without_a_pair(self.users, self.ones, z, accepts, rewards)
        return LeaveOneOut(accepts, rewards)

    def ordered(self, order: int) -> Block:
        """The tests in one order of their outcomes, by its number."""
        stretched = self._stretched
        lengths = self.users.min(axis=1)[~stretched]
        samples = np.zeros(lengths.sum(), dtype=np.int8)
        sums: list[Stretches] = []
        start = 0
        for test, name in enumerate(self.names):
            key = np.array([self.seed, _key(name)], dtype=np.uint64)
            rng = np.random.Generator(np.random.Philox(key=key).jumped(order))
            (n_c, n_t), (x_c, x_t) = self.users[test].tolist(), self.ones[test].tolist()
            if stretched[test]:
                sums.append(_stretches((n_c, n_t), (x_c, x_t), rng))
                continue
            end = start + min(n_c, n_t)
            _add_ones(samples[start:end], n_t, x_t, 1, rng)
            _add_ones(samples[start:end], n_c, x_c, -1, rng)
            start = end
        block = SampleBlock(chosen(self.names, ~stretched), lengths, samples)
        periods = PeriodBlock(chosen(self.names, stretched), *_joined(sums))
        return block_of(stretched, block, periods, self.quality)

    def orders(self, count: int) -> Iterator[Block]:
        """The tests in so many orders of their outcomes."""
        return map(self.ordered, range(count))


def _key(name: str) -> int:
    """A number for a test, by its name alone."""
    digest = blake2b(name.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest, "little")


def _joined(parts: list[Stretches]) -> Stretches:
    empty = Stretches(*(np.empty(0, dtype=kind) for kind in (int, int, float, float)))
    return Stretches(*(np.concatenate(columns) for columns in zip(empty, *parts, strict=True)))


def _stretches(
    users: tuple[int, int], ones: tuple[int, int], rng: np.random.Generator
) -> Stretches:
    """One test's arms in stretches that have the same share of each."""
    fewer = min(users)
    if not fewer:
        return Stretches(np.zeros(1, dtype=np.int64), *_joined([])[1:])
    least = min(max(fewer // 2, 1), USERS)
    spaced = np.geomspace(least, fewer, _STRETCHES) / least
    steps = np.unique(np.ceil(spaced).astype(np.int64)) * least
    ends = np.append(steps[steps <= fewer - least], fewer)
    sizes, converted, variances = [], [], []
    for size, one in zip(users, ones, strict=True):
        # In whole numbers: floats do not know the product.
        arm_ends = np.array([end * size // fewer for end in ends.tolist()])
        sizes.append(np.diff(arm_ends, prepend=0))
        converted.append(ones_by_stretch(sizes[-1], one, rng))
        rate = one / size
        variances.append(np.full(len(ends), rate * (1.0 - rate) * size / max(size - 1, 1)))
    number, means = (np.stack(each, axis=1).astype(np.float64) for each in (sizes, converted))
    tests = np.zeros(len(ends), dtype=np.int64)
    return differences(tests, number, means / number, np.stack(variances, axis=1), 1)


def _add_ones(
    samples: Decisions, users: int, ones: int, sign: int, rng: np.random.Generator
) -> None:
    """Add an arm's outcomes in a random order; as many as there are samples have partners."""
    rare = min(ones, users - ones)
    places = rng.choice(users, rare, replace=False, shuffle=False) if rare else np.empty(0, int)
    places = places[places < len(samples)]
    if rare == ones:
        samples[places] += sign
    else:
        samples += sign
        samples[places] -= sign
