"""A change of the pool of ideas, as it was shown, and what changed in terms that tests identify.

Short tests do not show which share of ideas help. What the rule in force would have shipped, and
earned, they show: so both sides of a change are compared under it. Intervals are by the profile
likelihood, whatever the pool's shape and whatever stopped the tests (`fitting.pool_intervals`).
"""

from dataclasses import dataclass, replace
from datetime import UTC, date, datetime

from dwell.arrays import FloatArray
from dwell.fitting.figure import Figure, number, percent
from dwell.fitting.pool_intervals import functional_interval, within_reach

FALSE_ALARM = 0.05  # how likely a change is shown, ever, where there is none …
FALSE_ALARMS = f"False alarms: at most {percent(FALSE_ALARM)} %"  # … for people
_MOST_CHANGES = 8
_NO_SHARE = 5e-4  # less is next to nothing: of ideas, or of the most that tests may earn


@dataclass(frozen=True, slots=True)
class PoolChange:
    """A change that was shown.

    Attributes:
        since: How many tests came before it; 0 if nothing has changed after all …
        earliest: … at least …
        latest: … and at most.
        shown: After how many tests it was shown.
    """

    since: int
    earliest: int
    latest: int
    shown: int


def with_change(changes: list[PoolChange], found: PoolChange) -> list[PoolChange]:
    """The latest changes, with one more: in place of those that may be the same, now dated better.

    If nothing has changed after all, those that were shown are taken back.

    Args:
        changes: The changes that were shown before.
        found: What is shown now.

    Example:
        >>> first = PoolChange(since=200, earliest=196, latest=209, shown=210)
        >>> same = PoolChange(since=205, earliest=201, latest=209, shown=260)
        >>> [(change.since, change.shown) for change in with_change([first], same)]
        [(205, 210)]
        >>> with_change([first], PoolChange(since=0, earliest=196, latest=279, shown=280))
        []
    """
    if not found.since:
        return []
    others = [
        change for change in changes if found.earliest > change.latest or found.since > change.shown
    ]
    if len(others) < len(changes):
        found = replace(found, shown=min(each.shown for each in changes if each not in others))
    return [*others, found][-_MOST_CHANGES:]


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangeDates:
    """When tests began that a change is dated by, in seconds since 1970; None where unknown.

    Attributes:
        since: The first test after the change …
        earliest: … if it came as early as it may have …
        latest: … or as late.
        shown: When the change was shown.
        test: What the first test after it is called; empty where that is not known.
        past: How many of all tests are past ones, from before the learner.
    """

    since: float | None = None
    earliest: float | None = None
    latest: float | None = None
    shown: float | None = None
    test: str = ""
    past: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class DatedChange(PoolChange):
    """A change that was shown, with dates where these are known.

    Attributes:
        dates: When tests began; without any, a change is told by their numbers.

    Example:
        >>> DatedChange(since=40, earliest=35, latest=50, shown=65).when
        'since test 41 (between test 36 and test 51)'
        >>> known = ChangeDates(since=1.77e9, earliest=1.769e9, latest=1.773e9, test="blue")
        >>> DatedChange(since=40, earliest=35, latest=50, shown=65, dates=known).when
        'since 2 February 2026, when blue began (between 21 January and 8 March 2026)'
    """

    dates: ChangeDates = ChangeDates()

    @property
    def when(self) -> str:
        """Since when, and between which dates or tests that is."""
        dates = self.dates
        first = self._place(self.earliest, dates.earliest)
        since = self._place(self.since, dates.since)
        last = self._place(self.latest, dates.latest)
        began = f", when {dates.test} began" if dates.test else ""
        if first == since == last:
            return f"since {since}{began}"
        if dates.earliest is not None and dates.latest is not None:
            first = first.removesuffix(last[-len(" 2026") :])  # a year is said once
        return f"since {since}{began} (between {first} and {last})"

    def _place(self, before: int, at: float | None) -> str:
        """A test, by its date or else by its number."""
        if at is not None:
            return day(at)
        return f"{'past ' * (before < self.dates.past)}test {before + 1:,}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Changed(DatedChange):
    """What is known of the latest change of the pool.

    Attributes:
        shipped_before: Which share of ideas the rule in force would have shipped before it …
        shipped_now: … and ships now.
        earned_before: What a test would have earned by that rule before …
        earned_now: … and earns now.
    """

    shipped_before: Figure
    shipped_now: Figure
    earned_before: Figure
    earned_now: Figure

    @property
    def ships_nothing(self) -> bool:
        """Whether the rule in force ships nothing on either side: then it shows no difference."""
        return max(self.shipped_before.high, self.shipped_now.high) < _NO_SHARE

    @property
    def sentence(self) -> str:
        """The same for people."""
        start = f"The pool of ideas has changed {self.when}"
        if self.ships_nothing:
            return (
                f"{start}; the rule in force ships nothing, and would have shipped nothing. "
                f"{FALSE_ALARMS}."
            )
        least = _NO_SHARE * max(abs(end) for each in self._earned for end in (each.low, each.high))
        before, now = (
            f"{number(_rounded(each.estimate, least))} ({number(_rounded(each.low, least))} to "
            f"{number(_rounded(each.high, least))})"
            for each in self._earned
        )
        return (
            f"{start}: the rule in force ships {shares_said(self.shipped_now, ' of ideas')} "
            f"where it would have shipped {shares_said(self.shipped_before)} before, and a "
            f"test earns {now} where it would have earned {before}. {FALSE_ALARMS}."
        )

    @property
    def _earned(self) -> tuple[Figure, Figure]:
        return self.earned_before, self.earned_now


def day(at: float) -> str:
    """A date, of seconds since 1970.

    Example:
        >>> day(1_781_481_600.0)
        '15 June 2026'
    """
    return in_words(datetime.fromtimestamp(at, UTC).date())


def in_words(day: date) -> str:
    """A date in words.

    Example:
        >>> in_words(date(2026, 3, 3))
        '3 March 2026'
    """
    return f"{day.day} {day:%B} {day.year}"


def under_rule(
    log_likelihood: FloatArray, counts: FloatArray, accepts: FloatArray, worths: FloatArray
) -> tuple[Figure, Figure]:
    """Which share of ideas a rule ships, and what a test earns by it, as tests show it.

    Args:
        log_likelihood: How likely kinds of tests are under each value: a row each.
        counts: How many tests there are of each kind.
        accepts: How often the rule accepts each value.
        worths: What each is worth.

    Example:
        >>> import numpy as np
        >>> sure = np.log([[0.98, 0.02], [0.02, 0.98]])
        >>> shipped, earned = under_rule(
        ...     sure, np.array([30.0, 10.0]), np.array([0.1, 0.9]), np.array([-1.0, 1.0])
        ... )
        >>> round(shipped.estimate, 2), shipped.low < 0.3 < shipped.high
        (0.29, True)
    """
    within = within_reach(log_likelihood, counts, worths)
    logs, accepts, worths = log_likelihood[:, within], accepts[within], worths[within]
    shipped = functional_interval(logs, counts, accepts)
    earned = functional_interval(logs, counts, accepts * worths)
    return Figure.of(*shipped), Figure.of(*earned)


def shares_said(figure: Figure, of: str = "") -> str:
    """A share with its interval, in per cent.

    Args:
        figure: The share.
        of: What it is a share of.

    Example:
        >>> shares_said(Figure(1e-9, 1e-12, 0.065), " of ideas")
        '0 % of ideas (0 to 6.5 %)'
    """
    low, high = percent(_rounded(figure.low)), percent(_rounded(figure.high))
    return f"{percent(_rounded(figure.estimate))} %{of} ({low} to {high} %)"


def _rounded(value: float, least: float = _NO_SHARE) -> float:
    """A number, or 0 if it is next to nothing: digits of that would say nothing."""
    return value if abs(value) >= least else 0.0
