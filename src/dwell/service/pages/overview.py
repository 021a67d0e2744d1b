"""A programme as its page shows it: what needs a decision, what runs, what was learned."""

from dataclasses import dataclass, field
from logging import getLogger
from threading import RLock
from time import monotonic

from markupsafe import Markup

from dwell.programme.pool_changes import dated, pool_changes
from dwell.programme.programme import Programme
from dwell.programme.state import State
from dwell.report.drawings import svg
from dwell.service.earned import Earned, Figure, Ledger
from dwell.service.followed import Followed
from dwell.service.pages import words
from dwell.service.pages.cards import MOST_CARDS, Cards, guard_said
from dwell.service.pages.happenings import Happening, told
from dwell.service.pages.learned import (
    ChangeNotice,
    Learned,
    change_notice,
    pool_figure,
    value_figure,
)
from dwell.service.pages.rows import Row, Rows
from dwell.service.pages.rules import RulePicture, Standing, rule_pictures, standing_rows
from dwell.service.pages.words import Unit
from dwell.service.shelf import Shelf
from dwell.service.story import WAITS_DAYS, Story

_DAY = 86_400.0
_MILLION = 1e6
_EVENTS = 10
# Running tests that a page has room for, and from how many on they can be looked for.
MOST_ROWS, MANY_ROWS = 200, 50
_NOTHING_SHIPPED = ("Nothing has been shipped yet", "Its value will be added up here.")
_NO_VALUE = (
    "What was shipped cannot be valued",
    "Not every test that was shipped has samples that its decision did not see, and no pool of "
    "ideas is fitted: so there is no estimate without bias.",
)
_MORE, _SET_UP = "More than running all to the cap", "set-up included"
_PREPARE_SECONDS = 10.0  # after which a service starts with what is prepared
_FEW_DAYS = 1.5  # where tests take less on average, their samples say more


@dataclass(frozen=True, slots=True)
class Key:
    """A key figure.

    Attributes:
        title: What it is.
        number: The number.
        unit: What it is counted in.
        picture: Its interval.
        text: What else is to be said of it.
        interval: The interval in words.
    """

    title: str
    number: str
    unit: str
    picture: Markup | None
    text: str
    interval: str = ""

    @property
    def said(self) -> str:
        """The interval in words, and what else is to be said."""
        return ", ".join(filter(None, (self.interval, self.text)))


@dataclass(frozen=True, slots=True, kw_only=True)
class Overview:
    """What the page of a programme shows, from top to bottom."""

    name: str
    position: int
    now: float
    last: float
    begun: int
    ship: int
    drop: int
    running: int
    held: int
    next_due: float | None
    keys: tuple[Key, ...]
    cards: tuple[tuple[int, Markup], ...]
    more_cards: int
    waits_days: float
    rows: tuple[Row, ...]
    all_rows: int
    find: str
    value: Learned | None
    no_value: tuple[str, str]
    changed: ChangeNotice | None
    pool: Learned | None
    rules: tuple[RulePicture, ...]
    standings: tuple[Standing, ...]
    warnings: tuple[tuple[str, str, str], ...]
    events: tuple[Happening, ...]

    @property
    def many(self) -> bool:
        """Whether one wants to look for tests by their names."""
        return self.all_rows > MANY_ROWS or bool(self.find)

    @property
    def waiting(self) -> int:
        """How many decisions wait for people."""
        return self.ship + self.drop


@dataclass(slots=True)
class Shown:
    """What is kept of a programme between requests, for many threads.

    Attributes:
        story: What its log tells.
        ledger: What it has earned.
        rows: Running tests, drawn.
        cards: Decisions, drawn.
    """

    story: Story = field(default_factory=Story)
    ledger: Ledger = field(default_factory=Ledger)
    rows: Rows = field(default_factory=Rows)
    cards: Cards = field(default_factory=Cards)
    lock: RLock = field(default_factory=RLock)
    _figures: tuple[object, tuple[Learned | None, Learned | None]] | None = None

    def overview(self, programme: Programme, now: float, find: str = "") -> Overview:
        """The programme as it is now, with running tests whose names hold a text."""
        with self.lock, programme.state() as state:
            self.story.read_on(programme)
            self.ledger.renew(state.learner)
            return self._overview(state, now, find)

    def _overview(self, state: State, now: float, find: str) -> Overview:
        story = self.story
        waiting = story.waiting(now)
        ship = sum(_ships(test) for test in waiting)
        rows = self.rows.of(state, story.open, now)
        due = [row.due for row in rows if row.due is not None and not row.hold]
        earned = self.ledger.earned(story, getattr(state.learner, "setup_cost", 0.0))
        value, pool = self._learned(state, earned, now)
        return Overview(
            name=state.name,
            position=state.position,
            now=now,
            last=story.last,
            begun=state.counts.begun,
            ship=ship,
            drop=len(waiting) - ship,
            running=sum(not row.hold for row in rows),
            held=sum(bool(row.hold) for row in rows),
            next_due=min(due) if due else None,
            keys=tuple(_keys(state, story, earned)),
            cards=tuple(self.cards.of(state, self.ledger.plausible, waiting)),
            more_cards=max(0, len(waiting) - MOST_CARDS),
            waits_days=WAITS_DAYS,
            rows=tuple(_found(rows, story.open, find)[:MOST_ROWS]),
            all_rows=len(rows),
            find=find,
            value=value,
            no_value=_NO_VALUE if story.shipped else _NOTHING_SHIPPED,
            changed=self._changed(state),
            pool=pool,
            rules=tuple(rule_pictures(state, story.rules)),
            standings=tuple(standing_rows(state)),
            warnings=tuple(_warnings(state, story, rows)),
            events=tuple(told(note) for note in list(story.latest)[: -_EVENTS - 1 : -1]),
        )

    def _changed(self, state: State) -> ChangeNotice | None:
        """That the pool has changed, if it has."""
        changes, plausible = pool_changes(state), self.ledger.plausible
        if not changes or plausible is None:
            return None
        known = dated(plausible.knowledge, changes)
        return change_notice(known.changed, changes, Unit.of(state.known.law))

    def _learned(
        self, state: State, earned: Earned | None, now: float
    ) -> tuple[Learned | None, Learned | None]:
        """Figures of what was learned, drawn once for as long as they say the same."""
        plausible = self.ledger.plausible
        key = (id(earned), id(plausible), len(self.story.measured), int(now / _DAY))
        if self._figures is None or self._figures[0] != key:
            unit = Unit.of(state.known.law)
            value = None if earned is None else value_figure(earned, unit, now)
            pool = None if plausible is None else pool_figure(plausible, self.story, unit)
            self._figures = key, (value, pool)
        return self._figures[1]


def _found(rows: list[Row], tests: dict[int, Followed], find: str) -> list[Row]:
    """Rows of tests whose names hold a text."""
    wanted = find.casefold()
    return [row for row in rows if wanted in tests[row.number].name.casefold()]


def _ships(test: Followed) -> bool:
    return test.decided is not None and test.decided.decision == "accept"


def _keys(state: State, story: Story, earned: Earned | None) -> list[Key]:
    unit, counts = Unit.of(state.known.law), state.counts
    keys = []
    if earned is not None:
        title = f"ROI since {words.day(earned.since)}"
        roi = Figure(*(_MILLION * each for each in earned.roi))
        number = unit.plain(roi.estimate)
        keys.append(
            _measured(title, number, unit.per_million, roi, unit.plain_range(*roi[1:]), _SET_UP)
        )
        if (gain := earned.gain) is not None:
            number, _, name = unit.signed(gain.estimate).partition(words.NO_BREAK)
            ends = unit.range(gain.low, gain.high)
            keys.append(_measured(_MORE, number, name, gain, ends, "on the same traffic"))
    keys += _durations(state, story)
    decided = counts.shipped + counts.dropped
    parts = [f"{counts.shipped:,} to ship, {counts.dropped:,} to drop"] if decided else []
    if runs_on := story.still_open[0]:
        parts.append(f"{runs_on:,} run{'s' * (runs_on == 1)} on to learn")
    if counts.abandoned:
        parts.append(f"{counts.abandoned:,} more abandoned, left out")
    text = "; ".join(parts) or "none yet"
    keys.append(Key("Decided tests", f"{decided:,}", "", None, text))
    return keys


def _measured(title: str, number: str, unit: str, figure: Figure, ends: str, text: str) -> Key:
    """A key figure with its interval."""
    picture = _interval(figure, f"{number} {unit}, {ends}, {text}")
    return Key(title, number, unit, picture, text, ends)


def _durations(state: State, story: Story) -> list[Key]:
    """How long a test takes: in days, or in samples where it takes less than a day or so."""
    counts, found = state.counts, story.mean_days
    if found is not None and found[0] >= _FEW_DAYS:
        mean = Figure.of(*found)
        text = f"{mean.low:.1f} to {mean.high:.1f}, until it is decided"
        return [Key("A test takes", f"{mean.estimate:.1f}", "days on average", None, text)]
    if not counts.finished:
        return []
    number, _, name = words.samples(counts.samples / counts.finished).partition(" ")
    text = f"{counts.samples:,} in {counts.finished:,} test{'s' * (counts.finished != 1)}"
    return [Key("A test takes", number, f"{name} on average", None, text)]


def _interval(figure: Figure, label: str) -> Markup:
    low, high = min(0.0, figure.low), max(0.0, figure.high)
    room = 0.12 * (high - low)
    reach = (low - room, high + room)
    return svg.interval(
        figure.low,
        figure.estimate,
        figure.high,
        reach,
        width=200.0,
        label=label,
        origin=True,
    )


def _warnings(state: State, story: Story, rows: list[Row]) -> list[tuple[str, str, str]]:
    """What somebody should look at: what it is, which test, what is to be said."""
    paused = guard_said(state)
    found = [("Nothing ships", "", paused.rstrip("."))] if paused else []
    for row in rows:
        if not row.hold:
            continue
        name = story.open[row.number].name
        silent = row.hold.startswith("no data")
        found.append(("Silent" if silent else "Doubtful data", name, row.hold))
    rough = [test for test in story.open.values() if test.rough]
    found += [
        ("Restated", test.name, "its path is drawn as it was told at first") for test in rough
    ]
    return found


class AllShown:
    """What is kept of all programmes."""

    def __init__(self) -> None:
        self._lock = RLock()
        self._shown: dict[str, Shown] = {}

    def of(self, programme: Programme) -> Shown:
        """What is kept of a programme."""
        with self._lock:
            return self._shown.setdefault(programme.name, Shown())

    def prepare(self, shelf: Shelf) -> None:
        """Have a page ready of every programme, for whoever opens one first; for a while at most.

        To read a long log takes a second. What cannot be read is left to whoever asks for it.
        """
        end = monotonic() + _PREPARE_SECONDS
        try:
            for name in shelf.names():
                if monotonic() > end:
                    return
                programme = shelf.open(name)
                self.of(programme).overview(programme, shelf.clock())
        except Exception:
            getLogger(__name__).exception("pages are not prepared")
