"""Watch: where the policies of a task stand, so that what changes nothing is seen at once.

Most of what a task is told leaves it between the limits. That follows from the sum so far and from
the limits ahead, with no look at what was told before. Whatever is less plain is left to the whole
computation, which `Watch.after` asks for by giving None.
"""

from bisect import bisect_right
from typing import NamedTuple

from dwell.learners.design import Design
from dwell.policies import Limits
from dwell.programme.observations import ArmBatches, Batch, Observations, Values, period_of
from dwell.sparse_policy import MOST_SAMPLES

_FEW = 64  # values; more are faster looked at by compiled code


class Watch(NamedTuple):
    """Where the policies of a task stand.

    Attributes:
        drawn: How many samples there are.
        total: Their sum, added up in order.
        users: How many users, where there are arms.
        stop: With so many samples something happens in any case: a cap is reached, or all is
            recorded.
        limits: What the sum is compared with: an entry per chain of policies that go on.
        made: How many looks are past, of each.
        asks: Which of them say how many samples are wanted.
    """

    drawn: int
    total: float
    users: int
    stop: int
    limits: tuple[Limits, ...]
    made: tuple[int, ...]
    asks: tuple[int, ...]

    @classmethod
    def first(cls, design: Design) -> "Watch":
        """The watch over a task that was told nothing yet."""
        policies = design.policies
        limits, decider = policies.limits, policies.chain_of[design.decider]
        return cls(0, 0.0, 0, policies.caps[0], limits, (0,) * len(limits), (decider,))

    @classmethod
    def over(
        cls, design: Design, undecided: list[bool], stop: int, drawn: int, total: float, users: int
    ) -> "Watch":
        """The watch over a task that goes on.

        Args:
            design: How it is run.
            undecided: Which of its policies go on.
            stop: How many samples it needs, if none do.
            drawn: How many it has.
            total: Their sum, added up in order.
            users: How many users, where there are arms.
        """
        policies = design.policies
        # Of a chain the longest goes on as long as any does.
        going = [
            place for place, chain in enumerate(policies.chains) if undecided[chain.members[-1]]
        ]
        if going:
            caps = zip(policies.caps, undecided, strict=True)
            stop = next(cap for cap, goes_on in caps if goes_on)
        limits = tuple(policies.limits[place] for place in going)
        made = tuple(bisect_right(each.looks, drawn) for each in limits)
        decider = policies.chain_of[design.decider]
        asks = (going.index(decider),) if undecided[design.decider] else tuple(range(len(going)))
        return cls(drawn, total, users, stop, limits, made, asks)

    @property
    def wants(self) -> int:
        """How many samples more until the next look, or until all is recorded."""
        looks = [self.limits[each].looks[self.made[each]] for each in self.asks]
        return min(looks, default=self.stop) - self.drawn

    def after(self, told: Observations) -> "Watch | None":
        """Where they stand after some more; None if one of them may have stopped."""
        if isinstance(told, Values):
            return self._after_values(told.values)
        if isinstance(told, Batch | ArmBatches):
            return self._after_period(told)
        return None

    def _after_values(self, values: list[float]) -> "Watch | None":
        end = self.drawn + len(values)
        if end >= self.stop or len(values) > _FEW:
            return None
        made = []
        for place, (looks, lower, upper) in zip(self.made, self.limits, strict=True):
            if looks[place] <= end:
                drawn, total = self.drawn, self.total
                for value in values:
                    drawn += 1
                    total += value
                    if drawn == looks[place]:
                        if total >= upper[place] or total <= lower[place]:
                            return None
                        place += 1
            made.append(place)
        total = self.total
        for value in values:  # one by one, as compiled code adds them
            total += value
        return Watch(end, total, self.users, self.stop, self.limits, tuple(made), self.asks)

    def _after_period(self, told: Batch | ArmBatches) -> "Watch | None":
        """A look that is due within a period is made at its end; of several, the latest."""
        count, more, users = period_of(told, self.users)
        drawn, total = self.drawn + count, self.total + more
        if drawn >= self.stop or drawn > MOST_SAMPLES:
            return None
        made = []
        for place, (looks, lower, upper) in zip(self.made, self.limits, strict=True):
            due = bisect_right(looks, drawn, lo=place)
            if due > place and not lower[due - 1] < total < upper[due - 1]:
                return None
            made.append(due)
        return Watch(drawn, total, users, self.stop, self.limits, tuple(made), self.asks)
