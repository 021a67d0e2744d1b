"""Advice: what to do with a task, and why, in a sentence.

The verdict comes first, then how far the task is and what the limit is, in the same unit: standard
errors where the law of samples is known, the mean of a sample elsewhere.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice
from math import sqrt
from typing import NamedTuple

from dwell.learners.learner import Learner
from dwell.pools.fitted import FittedPool
from dwell.pools.under_law import noise_under
from dwell.programme.events import Abandoned, Decided, Decision, Settings
from dwell.programme.observations import Observations, Range, samples_of
from dwell.programme.outlook import Forecast, Outlook, fitted_by
from dwell.programme.running import Progress, Running, deciding
from dwell.programme.state import Counts

_DAY = 86_400.0
_FEW = 10  # tests, from which on what they show is said


@dataclass(frozen=True, kw_only=True)
class Advice:
    """What to do with a task.

    Attributes:
        wants: How many samples to draw before asking again: until the next look or, once it is
            decided, until all is recorded; 0 when nothing more is wanted.
        decision: "accept" or "reject", once the policy has stopped; None before. A task that is
            held is not decided until it is cleared.
        done: Whether nothing more is wanted.
        held: Whether advice is withheld.
        verdict: What to do, and why: the sentence, or what it begins with.
    """

    wants: int
    decision: Decision | None
    done: bool
    held: bool
    verdict: str
    _rest: str = field(default="", repr=False)
    _ahead: "_Ahead | None" = field(default=None, repr=False, compare=False)

    @cached_property
    def forecast(self) -> Forecast | None:
        """What to expect of a task that goes on; None of others, and where no pool is fitted."""
        if self._ahead is None:
            return None
        task, parts, told, pool = self._ahead
        first = dict(islice(parts.items(), told))
        samples, design = samples_of(first.values(), task.known), task.design
        pace = None if task.run is None else task.run.pace(first)
        return Outlook(samples, pool).forecast(deciding(design), accepts=design.accepts, pace=pace)

    @cached_property
    def sentence(self) -> str:
        """What to do, and why; of a task that goes on, what to expect."""
        if self.forecast is None or self.forecast.tests < _FEW:
            return f"{self.verdict}{self._rest}"
        return f"{self.verdict}, {_expected(self.forecast)}"

    def __str__(self) -> str:
        return self.sentence


class _Ahead(NamedTuple):
    """What a forecast is made from when somebody asks: of what a task was told, the first parts.

    Parts are added, and what is corrected is put in a list of its own: these stay as they are.
    """

    task: Running
    parts: Mapping[str, Observations]
    told: int
    pool: FittedPool | None


def of_running(
    task: Running, learner: Learner, counts: Counts, settings: Settings, now: float
) -> Advice:
    """Advice on a task that is open, or waits to be learned from."""
    if task.finished:
        return of_finished(task.decided, task.known)
    found = task.progress()
    wants = max(found.wants - task.pending, 1)
    decision = None if task.decided is None else task.decided.decision
    rest, ahead = "", None
    if task.held:
        verdict = f"Hold: {task.held}; no advice until that is explained"
        if task.decided is not None:
            verdict += f" (it was decided before: {_verdict(task.decided).lower()})"
    elif silent := silence(task, settings, now):
        decided = "" if decision is None else f" since it was decided ({_verdict(task.decided)})"
        verdict = (
            f"Hold: no data for {_days(silent)}{decided}; if it has ended, abandon it: it holds up "
            "learning"
        )
    elif task.decided is not None:
        verdict = (
            f"{reason(task.decided, task.known)}; it runs on to learn, {_samples(wants)} to go"
        )
    else:
        verdict, rest = _going_on(task, found, counts)
        ahead = _Ahead(task, task.parts, len(task.parts), fitted_by(learner))
    return Advice(
        wants=wants,
        decision=decision,
        done=False,
        held=bool(task.held),
        verdict=verdict,
        _rest=rest,
        _ahead=ahead,
    )


def of_finished(decided: Decided | None, known: Range) -> Advice:
    """Advice on a task that is over."""
    assert decided is not None  # a task finishes when its policies have stopped
    return Advice(
        wants=0,
        decision=decided.decision,
        done=True,
        held=False,
        verdict=reason(decided, known),
    )


def of_abandoned(decided: Decided | None, abandoned: Abandoned) -> Advice:
    """Advice on a task that was given up."""
    why = f" ({abandoned.reason})" if abandoned.reason else ""
    return Advice(
        wants=0,
        decision=None if decided is None else decided.decision,
        done=True,
        held=False,
        verdict=f"Abandoned{why}: nothing is learned from it",
    )


def silence(task: Running, settings: Settings, now: float) -> float:
    """For how many days a task has been silent; 0 if that is not long."""
    days = (now - task.told_at) / _DAY
    return days if days > settings.silence_days and not task.finished else 0.0


def reason(decided: Decided, known: Range) -> str:
    """A decision, and why.

    Example:
        >>> from dwell import Gaussian
        >>> decided = Decided(at=0, task=1, decision="accept", samples=400, total=206, limit=180)
        >>> reason(decided, Range(Gaussian(5)))
        'Ship: 2.06 standard errors ahead after 400 samples; the limit is 1.80 ahead'
    """
    if not decided.counts:
        return (
            "Drop: no rule has shown yet that it earns, so nothing is shipped and tests only teach"
        )
    if decided.capped and decided.decision == "reject":
        after = f"; {_distance(decided.total, decided, known)} {_after(decided)}"
        return f"Drop: the cap is reached and it is below the limit{after}"
    return (
        f"{_verdict(decided)}: {_distance(decided.total, decided, known)} {_after(decided)}; the "
        f"limit is {_number(decided.limit, decided, known)} {_side(decided.limit)}"
    )


def _verdict(decided: Decided | None) -> str:
    return "Ship" if decided is not None and decided.decision == "accept" else "Drop"


def _distance(total: float, decided: Decided, known: Range) -> str:
    unit = "standard errors" if known.law is not None else "per sample"
    return f"{_number(total, decided, known)} {unit} {_side(total)}"


def _number(total: float, decided: Decided, known: Range) -> str:
    if known.law is not None:
        return f"{abs(total) / (noise_under(known.law) * sqrt(decided.samples)):.2f}"
    return f"{abs(total) / decided.samples:.3g}"


def _side(total: float) -> str:
    return "behind" if total < 0.0 else "ahead"


def _after(decided: Decided) -> str:
    if decided.batches:
        return f"after {decided.batches} batch{'es' * (decided.batches > 1)}"
    return f"after {_samples(decided.samples)}"


def _going_on(task: Running, found: Progress, counts: Counts) -> tuple[str, str]:
    """That a task goes on; and what is to be expected, where there is no forecast."""
    if task.run is not None and found.samples == 0:
        return f"Keep testing: it is looked at after {task.run.words}", _such_tests(counts)
    if found.samples == 0:
        verdict = f"Keep testing: the first look is after {_samples(max(found.wants, 1))}"
        return verdict, _such_tests(counts)
    left = max(deciding(task.design).cap - found.samples, 1)
    verdict = f"Keep testing: between the limits after {_samples(found.samples)}"
    return verdict, f", at most {left:,} to go{_such_tests(counts)}"


def _expected(forecast: Forecast) -> str:
    """What to expect, with as many digits as mean something.

    Example:
        >>> _expected(Forecast(samples=1234.5, ships=0.1234, tests=60))
        'about 1,200 to go, 12 % of such tests ship'
        >>> _expected(Forecast(samples=3.2, ships=0.002, tests=60))
        'about 3 to go, less than 1 % of such tests ship'
    """
    samples = max(1, round(float(f"{forecast.samples:.2g}")))
    percent = 100.0 * forecast.ships
    share = "less than 1" if percent < 1.0 else "over 99" if percent > 99.0 else f"{percent:.0f}"
    return f"about {samples:,} to go, {share} % of such tests ship"


def _samples(count: int) -> str:
    return f"{count:,} sample{'s' * (count != 1)}"


def _such_tests(counts: Counts) -> str:
    decided = counts.shipped + counts.dropped
    if decided < _FEW:
        return ""
    return f"; {100 * counts.shipped / decided:.0f} % of {decided:,} decided tests shipped"


def _days(days: float) -> str:
    return f"{days:.0f} days" if round(days) > 1 else "a day"
