"""Calendar: days that pass in seconds."""

from collections.abc import Callable
from time import monotonic

DAY = 86_400.0


class Calendar:
    """A clock whose days are as short as they are told to be.

    Args:
        start: The time at which the first day begins, in seconds since 1970.
        elapsed: What tells seconds as they really pass.

    Example:
        >>> now = [0.0]
        >>> calendar = Calendar(start=0.0, elapsed=lambda: now[0])
        >>> calendar.next_day(seconds=2.0)
        >>> now[0] = 1.0
        >>> calendar.time() / DAY
        1.5
        >>> now[0] = 9.0  # the next day does not begin by itself
        >>> calendar.time() / DAY
        2.0
    """

    def __init__(self, start: float, elapsed: Callable[[], float] = monotonic) -> None:
        self._start, self._elapsed = start, elapsed
        self.days = 0
        self._began, self._seconds = elapsed(), 0.0

    def next_day(self, seconds: float) -> None:
        """Begin the next day.

        Args:
            seconds: How long it really takes; 0 if it is over as soon as the next begins.
        """
        self._began, self._seconds = self._elapsed(), seconds
        self.days += 1

    def time(self) -> float:
        """What the clock says, in seconds since 1970."""
        passed = self._elapsed() - self._began
        share = min(1.0, passed / self._seconds) if self._seconds else 0.0
        return self._start + (self.days + share) * DAY
