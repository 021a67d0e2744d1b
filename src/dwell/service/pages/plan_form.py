"""The form of a plan: numbers as people type them, and what is wrong with them."""

from collections.abc import Mapping
from dataclasses import dataclass
from math import isfinite, sqrt
from typing import Any, NamedTuple

from dwell.laws import Lift
from dwell.service.earned import Plausible
from dwell.service.pages.words import MINUS


class Field(NamedTuple):
    """A number that is asked for.

    Attributes:
        name: What it goes by.
        label: What people call it.
        unit: What it is counted in.
        usual: What it is if nobody says otherwise: as in `dwell plan`.
        least: It is not below this …
        most: … nor above this.
        whole: Whether it is a whole number.
        open: Whether it is above `least`, not at it.
    """

    name: str
    label: str
    unit: str
    usual: str
    least: float
    most: float
    whole: bool = False
    open: bool = False


FIELDS = (
    Field("mean", "The usual idea", "pp", f"{MINUS}0.03", -100.0, 100.0),
    Field("spread", "Ideas differ by", "pp", "0.45", 0.0, 100.0, open=True),
    Field("rate", "Untreated rate", "%", "1.3", 0.0, 100.0, open=True),
    Field("a_day", "Samples", "a day", "1,000", 1.0, 1e12, whole=True),
    Field("setup", "Setting up", "samples", "1,000", 0.0, 1e12),
    Field("shortest", "Shortest test", "days", "1", 1.0, 10_000.0, whole=True),
    Field("longest", "Longest test", "days", "28", 1.0, 10_000.0, whole=True),
    Field("worth", "1 pp is worth", "a year", "1,000", 0.0, 1e15, open=True),
    Field("price", "A sample costs", "", "0.001", 0.0, 1e9),
)
RULES = ("to-the-end", "p05-one-sided", "p05-two-sided", "obrien-fleming", "pocock", "posterior")


@dataclass(frozen=True, slots=True)
class PlanForm:
    """What was given.

    Attributes:
        texts: What stands in each field.
        numbers: The numbers that these are.
        wrong: What is wrong with those that are none.
    """

    texts: dict[str, str]
    numbers: dict[str, float]
    wrong: dict[str, str]

    @classmethod
    def read(cls, given: Mapping[str, str]) -> "PlanForm":
        """Read a form; what is missing has its usual number.

        Example:
            >>> form = PlanForm.read({"spread": "0,5x", "a_day": "8,000"})
            >>> form.numbers["a_day"], form.wrong["spread"]
            (8000.0, 'Ideas differ by: give a number above 0 and at most 100, not “0,5x”.')
        """
        texts, numbers, wrong = {}, {}, {}
        for field in FIELDS:
            text = given.get(field.name, "").strip() or field.usual
            texts[field.name] = text[:40]
            found = _number(text)
            if found is None or not _fits(field, found):
                wrong[field.name] = _refusal(field, text[:40])
            else:
                numbers[field.name] = found
        if not wrong and numbers["shortest"] > numbers["longest"]:
            wrong["shortest"] = "Shortest test: it must not be longer than the longest."
        return cls(texts, numbers, wrong)

    @classmethod
    def of_programme(cls, plausible: Plausible, setup_cost: float) -> "PlanForm":
        """The numbers of a programme, as far as it knows them."""
        pool = plausible.pool.given(0, 0.0)
        spread = sqrt(max(0.0, float(pool.weights @ pool.values**2) - pool.mean**2))
        given = {
            "mean": f"{100.0 * pool.mean:.3g}".replace("-", MINUS),
            "spread": f"{100.0 * spread:.3g}",
            "setup": f"{setup_cost:,.0f}",
        }
        if isinstance(plausible.pool.law, Lift):
            given["rate"] = f"{100.0 * plausible.pool.law.base_rate:.4g}"
        return cls.read(given)

    @property
    def noise(self) -> float:
        """The standard deviation of a sample: one visitor's outcome less another's."""
        rate = self.numbers.get("rate", 50.0) / 100.0
        return sqrt(2.0 * rate * (1.0 - rate))

    def asked(self) -> dict[str, Any]:
        """The same as options of `dwell plan`."""
        numbers = self.numbers
        return {
            "prior": f"Normal({numbers['mean'] / 100.0:.10g}, {numbers['spread'] / 100.0:.10g})",
            "sd": self.noise,
            "law": None,
            "traffic_per_day": int(numbers["a_day"]),
            "min_days": int(numbers["shortest"]),
            "max_days": int(numbers["longest"]),
            "setup_cost": numbers["setup"],
            "price_per_sample": numbers["price"],
            "value_of_lift": 100.0 * numbers["worth"],
            "rules": list(RULES),
        }

    def command(self) -> str:
        """The same as a command."""
        asked = self.asked()
        names = ("setup_cost", "traffic_per_day", "min_days", "max_days", "price_per_sample")
        options = " ".join(f"--{name.replace('_', '-')} {asked[name]:g}" for name in names)
        return (
            f'dwell plan --prior "{asked["prior"]}" --sd {asked["sd"]:.4g} \\\n'
            f"      {options} --value-of-lift {asked['value_of_lift']:g}"
        )


def _number(text: str) -> float | None:
    """A number as people type it: with true minus signs and commas between thousands."""
    plain = text.replace(MINUS, "-").replace("\N{NO-BREAK SPACE}", "").replace(" ", "")
    head, point, tail = plain.partition(".")
    groups = head.lstrip("+-").split(",")
    if len(groups) > 1 and not all(len(group) == 3 for group in groups[1:]):
        return None
    try:
        found = float(head.replace(",", "") + point + tail)
    except ValueError:
        return None
    return found if isfinite(found) else None


def _fits(field: Field, number: float) -> bool:
    inside = field.least < number if field.open else field.least <= number
    below = number < field.most if field.name == "rate" else number <= field.most
    return inside and below and (not field.whole or number == int(number))


def _refusal(field: Field, text: str) -> str:
    kind = "a whole number" if field.whole else "a number"
    least = f"above {field.least:g}" if field.open else f"from {field.least:,g}"
    most = f"{'below' if field.name == 'rate' else 'at most'} {field.most:,g}"
    joined = "and" if field.open else "to"
    most = f"{joined} {most}" if field.open else f"{joined} {field.most:,g}"
    return f"{field.label}: give {kind} {least} {most}, not “{text}”.".replace(" -", f" {MINUS}")
