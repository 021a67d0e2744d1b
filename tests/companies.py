"""A made-up company that tests ideas day by day, to fill stores that pages are made from."""

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from dwell import Batch, EmpiricalBayes, Lift, Programme
from dwell.programme.events import Done
from dwell.programme.stores.memory import MemoryStore
from dwell.programme.stores.protocol import EventStore

HOUR = 3_600.0
BASE_RATE, A_DAY, DAYS = 0.421, 8_000, 21
IDEAS = (
    *("Delivery date above the fold", "Guest checkout by default", "Coupon field behind a link"),
    *("Pay later on the basket", "Address from the postcode", "Trust marks under the button"),
    *("Shorter error messages", "Free returns note", "Order summary stays in view"),
    *("Three steps instead of five", "Saved cards first", "Wallet buttons on top"),
    *("Gift note in the basket", "Stock level beside the size", "One column on phones"),
    *("Phone number is optional", "Larger pictures", "Prices with tax"),
)
PLACES = (
    *("", " for new visitors", " on phones", " in the app", " for members", " abroad"),
    *(" at night", " in the sale", " for gifts", " on tablets", " by e-mail", " in stores"),
    *(" for returners", " on weekends", " in French", " in German"),
)


@dataclass
class Calendar:
    """What tells the time: it stands still until a day is over."""

    now: float = 1_781_481_600.0  # Monday 15 June 2026, midnight

    def __call__(self) -> float:
        return self.now


@dataclass
class Company:
    """A programme, and the ideas that its tests are about.

    Attributes:
        store: Where its programme is kept.
        name: The programme's name.
        calendar: What day it is.
        seed: What ideas and visitors are drawn with.
        truth: What each idea is worth.
    """

    store: EventStore = field(default_factory=MemoryStore)
    name: str = "Checkout"
    calendar: Calendar = field(default_factory=Calendar)
    seed: int = 7

    def __post_init__(self) -> None:
        learner = EmpiricalBayes(
            Lift(BASE_RATE),
            cap=A_DAY * DAYS,
            looks=A_DAY,
            min_samples=2 * A_DAY,
            setup_cost=120_000,
        )
        self.programme = Programme.create(
            self.store, self.name, learner=learner, clock=self.calendar
        )
        self._draw = np.random.default_rng(self.seed)
        self._values: dict[str, float] = {}
        self.truth: dict[str, float] = {}
        self._decided: dict[str, Done] = {}
        self._known: set[str] = set()
        self._begun = 0

    def begin(self) -> str:
        """Begin a test of the next idea."""
        again, which = divmod(self._begun, len(IDEAS))
        name = IDEAS[which] + PLACES[again % len(PLACES)]
        if (version := again // len(PLACES)) > 0:
            name += f", version {version + 1}"
        self._begun += 1
        self._values[name] = float(np.clip(self._draw.normal(-0.0006, 0.0032), -0.02, 0.02))
        self.truth[name] = self._values[name]
        self.programme.begin(name)
        return name

    def run(self, days: int, at_once: int, skip: Callable[[str], bool] = lambda _: False) -> None:
        """Let so many days pass, with so many tests running, most of them told every day.

        What was decided is followed on the next day.
        """
        for _ in range(days):
            self.calendar.now += 9 * HOUR
            for name, done in self._decided.items():
                self.programme.task(name).record(done)
            self._decided.clear()
            while len(self._values) < at_once:
                self.begin()
            self.calendar.now += 15 * HOUR
            for name in list(self._values):
                if not skip(name):
                    self.tell(name)

    def tell(self, name: str, lost: int = 0) -> None:
        """Tell a test what a day brought, perhaps without some untreated visitors."""
        control = self._arm(BASE_RATE, A_DAY - lost)
        treatment = self._arm(BASE_RATE + self._values[name], A_DAY)
        advice = self.programme.task(name).tell(
            control=control, treatment=treatment, key=f"{self.calendar.now:.0f}"
        )
        if advice.decision is not None and name not in self._known:
            self._known.add(name)
            self._decided[name] = "shipped" if advice.decision == "accept" else "dropped"
        if advice.done:
            del self._values[name]

    def _arm(self, rate: float, visitors: int) -> Batch:
        converted = int(self._draw.binomial(visitors, rate))
        return Batch(visitors, converted, converted)


def checkout(store: EventStore | None = None) -> Company:
    """Five months of tests: twelve run, three decisions wait, one is held, one is silent."""
    company = Company(store or MemoryStore())
    company.run(days=148, at_once=12)
    held, silent = list(company._values)[-2:]
    for _ in range(5):
        company.run(days=1, at_once=14, skip=lambda name: name in (held, silent))
        company.tell(held, lost=500)
    while len(company._decided) < 3 or "shipped" not in company._decided.values():
        waiting = dict(company._decided)
        company._decided.clear()
        company.run(days=1, at_once=14, skip=lambda name: name in (held, silent))
        company._decided |= waiting
    company.calendar.now += 8 * HOUR
    return company
