"""Words and figures as pages have them: true minus signs, units, dates, days."""

from dataclasses import dataclass
from datetime import UTC, datetime
from math import floor, log10

from dwell.laws import Law, Lift

_DAY = 86_400.0
MINUS = "\N{MINUS SIGN}"
NO_BREAK = "\N{NO-BREAK SPACE}"  # between a number and its unit
_SMALL, _LARGE = 0.02, 10.0  # numbers below have more digits, numbers above have fewer
_NOTHING = 5e-7  # what is smaller is 0 with any digits there are
_FEW = (
    *("no", "one", "two", "three", "four", "five", "six"),
    *("seven", "eight", "nine", "ten", "eleven", "twelve"),
)


@dataclass(frozen=True, slots=True)
class Unit:
    r"""What values are counted in.

    Attributes:
        name: Percentage points where samples are differences of two rates; else values as told.
        scale: How many of it a value of 1 is.

    Example:
        >>> Unit.of(Lift(0.1)).signed(0.0038), Unit.of(None).signed(1.5)
        ('+0.38\xa0pp', '+1.50')
        >>> Unit.of(Lift(0.1)).range(0.001, 0.0089), Unit.of(None).plain_range(724.9, 1674.2)
        ('+0.10 to +0.89\xa0pp', '725 to 1,674')
    """

    name: str
    scale: float

    @classmethod
    def of(cls, law: Law | None) -> "Unit":
        """The unit of values under a law."""
        return cls("pp", 100.0) if isinstance(law, Lift) else cls("", 1.0)

    @property
    def per_million(self) -> str:
        """What ROI is counted in."""
        return f"{self.name or 'value'} per million samples"

    def plain(self, value: float) -> str:
        """A value without its unit, with as many digits as mean something."""
        return _digits(self.scale * value, _places(abs(self.scale * value)))

    def plain_range(self, low: float, high: float) -> str:
        """An interval without its unit."""
        ends = self.scale * low, self.scale * high
        places = _places(max(map(abs, ends)))
        return " to ".join(_digits(end, places) for end in ends)

    def signed(self, value: float, places: int | None = None) -> str:
        """A value with sign and unit, and so many digits after the point."""
        return self._with_unit(sign(self.scale * value, places))

    def places(self, value: float) -> int:
        """How many digits after the point a value has."""
        return _places(abs(self.scale * value))

    def range(self, low: float, high: float) -> str:
        """An interval."""
        ends = self.scale * low, self.scale * high
        places = _places(max(map(abs, ends)))
        return self._with_unit(" to ".join(sign(end, places) for end in ends))

    def _with_unit(self, text: str) -> str:
        return f"{text}{NO_BREAK}{self.name}" if self.name else text


def sign(value: float, places: int | None = None) -> str:
    """A number with its sign, and two digits after the point, or as many as mean something.

    Example:
        >>> sign(2.064), sign(0.00123), sign(1e-17), sign(-0.5) == f"{MINUS}0.50", sign(13.97)
        ('+2.06', '+0.0012', '0.00', True, '+14.0')
    """
    text = _digits(abs(value), _places(abs(value)) if places is None else places)
    if not float(text.replace(",", "")):
        return text
    return f"{MINUS if value < 0.0 else '+'}{text}"


def _places(size: float) -> int:
    """How many digits after the point: two, fewer of large numbers, more of small ones."""
    if size >= _LARGE:
        return max(0, 2 - floor(log10(size)))
    return min(6, 1 - floor(log10(size))) if _NOTHING <= size < _SMALL else 2


def _digits(value: float, places: int) -> str:
    return f"{MINUS}{_digits(-value, places)}" if value < 0.0 else f"{value:,.{places}f}"


def percent(share: float) -> str:
    r"""A share as whole percent.

    Example:
        >>> percent(0.234), percent(0.001), percent(0.9999)
        ('23\xa0%', 'under 1\xa0%', 'over 99\xa0%')
    """
    if 0.0 < share < 0.005:
        return f"under 1{NO_BREAK}%"
    if 0.995 < share < 1.0:
        return f"over 99{NO_BREAK}%"
    return f"{100.0 * share:.0f}{NO_BREAK}%"


def number(count: int) -> str:
    """A count, small ones in words.

    Example:
        >>> number(3), number(40)
        ('three', '40')
    """
    return _FEW[count] if count < len(_FEW) else f"{count:,}"


def counted(count: int, noun: str) -> str:
    """A count of things.

    Example:
        >>> counted(1, "test"), counted(9, "test")
        ('one test', 'nine tests')
    """
    return f"{number(count)} {noun}{'' if count == 1 else 's'}"


def samples(count: float) -> str:
    """A number of samples.

    Example:
        >>> samples(1), samples(8000)
        ('1 sample', '8,000 samples')
    """
    return f"{count:,.0f} sample{'' if round(count) == 1 else 's'}"


def rounded(count: float) -> str:
    """A number of samples of which only the first digits are known.

    Example:
        >>> rounded(41_732.0), rounded(0.3)
        ('42,000', '1')
    """
    return f"{max(1.0, float(f'{count:.2g}')):,.0f}"


def day(at: float) -> str:
    """A date.

    Example:
        >>> day(1_781_481_600.0)
        '15 June 2026'
    """
    return f"{datetime.fromtimestamp(at, UTC):%-d %B %Y}"


def short_day(at: float) -> str:
    """A date in a chart.

    Example:
        >>> short_day(1_781_481_600.0)
        '15 Jun'
    """
    return f"{datetime.fromtimestamp(at, UTC):%-d %b}"


def tick(at: float, span: float) -> str:
    """A moment in a chart that is so many seconds wide.

    Example:
        >>> tick(1_781_481_600.0, 9e6), tick(1_781_485_200.0, 7_200.0)
        ('15 Jun', '01:00')
    """
    return short_day(at) if span > 4.0 * _DAY else clock(at)


def moment(at: float, now: float) -> str:
    """When something was, as seen from now.

    Example:
        >>> moment(1_781_481_600.0, 1_781_485_200.0), moment(1_781_481_600.0, 1_781_654_400.0)
        ('today 00:00', 'Mon 15, 00:00')
    """
    then, today = (datetime.fromtimestamp(each, UTC) for each in (at, now))
    if then.date() == today.date():
        return f"today {then:%H:%M}"
    return f"{then:%a %-d, %H:%M}" if 0.0 <= now - at < 20 * _DAY else f"{then:%-d %b %Y}"


def stamp(at: float) -> str:
    """A moment as machines read it.

    Example:
        >>> stamp(1_781_481_600.0)
        '2026-06-15T00:00:00Z'
    """
    return f"{datetime.fromtimestamp(at, UTC):%Y-%m-%dT%H:%M:%SZ}"


def clock(at: float) -> str:
    """The time of day."""
    return f"{datetime.fromtimestamp(at, UTC):%H:%M}"


def weekday(at: float) -> str:
    """A day of the week and a date."""
    return f"{datetime.fromtimestamp(at, UTC):%A %-d %B}"


def days(since: float, until: float) -> int:
    """Which day of a test it is, the first being 1; 0 if it is not a day old.

    Example:
        >>> days(0.0, 3 * 86_400.0), days(0.0, 3600.0)
        (3, 0)
    """
    return round((until - since) / _DAY)


def due(at: float, now: float) -> str:
    """When something is to be expected, about.

    Example:
        >>> due(1_781_481_600.0 + 3 * 86_400.0, 1_781_481_600.0), due(9e8, 8.9e8)
        ('Thursday', '9 July')
    """
    if at - now < 0.5 * _DAY:
        return "today"
    if at - now < 1.5 * _DAY:
        return "tomorrow"
    then = datetime.fromtimestamp(at, UTC)
    return f"{then:%A}" if at - now < 6.5 * _DAY else f"{then:%-d %B}"
