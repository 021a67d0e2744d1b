"""Rates: how often somebody may call, as buckets that fill up again."""

from collections.abc import Callable
from time import monotonic

_MOST = 10_000
_BURST_SECONDS = 2.0


class Rates:
    """Buckets by name, in the memory of one worker.

    Args:
        per_second: How many calls a bucket regains in a second; it holds twice as many.
        clock: What tells the time, in seconds.

    Example:
        >>> now = 0.0
        >>> rates = Rates(1.0, lambda: now)
        >>> [rates.wait("a") for _ in range(3)], rates.wait("b")
        ([0.0, 0.0, 1.0], 0.0)
    """

    def __init__(self, per_second: float, clock: Callable[[], float] = monotonic) -> None:
        self._per_second = per_second
        self._most = max(1.0, _BURST_SECONDS * per_second)
        self._clock = clock
        self._left: dict[str, tuple[float, float]] = {}

    def wait(self, name: str) -> float:
        """Take a call from a bucket: 0, or the seconds until there is one again."""
        now = self._clock()
        left = self._filled(name, now)
        if left < 1.0:
            return (1.0 - left) / self._per_second
        if len(self._left) >= _MOST:
            self._forget_full_ones(now)
        self._left[name] = (left - 1.0, now)
        return 0.0

    def _filled(self, name: str, now: float) -> float:
        left, at = self._left.get(name, (self._most, now))
        return min(self._most, left + (now - at) * self._per_second)

    def _forget_full_ones(self, now: float) -> None:
        """A full bucket is as good as none; if none is full, whoever came first is forgotten."""
        kept = {
            name: value
            for name, value in self._left.items()
            if self._filled(name, now) < self._most
        }
        if len(kept) >= _MOST:
            del kept[next(iter(kept))]
        self._left = kept
