"""Measures: the ways to say how well a learner does, and a table of each."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from dwell.report.bench.rows import ScoreRow
from dwell.report.tables import Grid

# Beside the name of a world that no constant of a learner was chosen on.
HELD_OUT = "*"
HELD_OUT_MEANS = (
    f"{HELD_OUT} held out: no constant was chosen on this world, but for Ladder's on uniform and "
    "beta-3-7"
)
HELD_OUT_DRIFTS_MEANS = f"{HELD_OUT} held out: no constant was chosen on this world"


@dataclass(frozen=True, slots=True)
class Measure:
    """One of the ways to say how well a learner does.

    Attributes:
        title: What it is.
        explained: What it means.
        field: The field of a row that holds it; the field of its error ends in `_error`.
        hostile: Whether it says something new only where worlds are not as they were told to be.
    """

    title: str
    explained: str
    field: str
    hostile: bool = False

    def of(self, row: ScoreRow) -> float | None:
        """Its value; None where it has no meaning."""
        value: float | None = getattr(row, self.field)
        return value

    def error(self, row: ScoreRow) -> float | None:
        """The Monte Carlo standard error of its value."""
        value: float | None = getattr(row, f"{self.field}_error")
        return value

    def rows(self, rows: Sequence[ScoreRow]) -> list[ScoreRow]:
        """The rows where it has a meaning, and one of its own."""
        return [
            row
            for row in rows
            if self.of(row) is not None and not (self.hostile and row.case is None)
        ]

    def grid(self, rows: Sequence[ScoreRow]) -> Grid:
        """A row per instance and learner, a column per number of tasks."""
        return _by_tasks(rows, self.title, self._cell)

    def _cell(self, row: ScoreRow) -> str:
        value, error = self.of(row), self.error(row)
        if value is None:
            return "-"
        # Of thousands of percent nobody reads the decimals.
        digits = 1 if max(abs(value), error or 0.0) < 10.0 else 0
        around = "" if error is None else f" ±{100.0 * error:,.{digits}f}"
        return f"{value:,.{digits}%}{around}"


def _by_tasks(rows: Sequence[ScoreRow], title: str, cell: Callable[[ScoreRow], str]) -> Grid:
    """A row per instance and learner, a column per number of tasks."""
    tasks = sorted({row.tasks for row in rows})
    hostile = any(row.case is not None for row in rows)
    by_learner: dict[tuple[str, ...], dict[int, ScoreRow]] = {}
    for row in rows:
        case = (row.case or "",) if hostile else ()
        key = (marked(row.instance, row.held_out), *case, f"{row.setup_cost:g}", row.learner)
        by_learner.setdefault(key, {})[row.tasks] = row
    cells = [(*key, *(cell(found[count]) for count in tasks)) for key, found in by_learner.items()]
    names = ("instance", *(("case",) if hostile else ()), "set-up", "learner")
    if any(row.held_out for row in rows):
        title += f" ({HELD_OUT} held out)"
    header = (*names, *(f"{count:,}" for count in tasks))
    return Grid(header, tuple(cells), left=len(names), title=title)


MEASURES = (
    Measure(
        "Share: realised ROI / ROI of the best of all policies",
        "What a learner earned per unit of testing, learning included, as a share of what the best "
        "of all policies earns that draw no more samples than the longest of the class. Below 0 "
        "it lost money. Under Lift the best is sought among policies that go by the running sum.",
        "share",
    ),
    Measure(
        "Score: realised ROI / best ROI of the class",
        "The same as a share of what the best policy of the class earns. A learner that is not "
        "bound to the class can earn more.",
        "score",
    ),
    Measure(
        "Lost: realised loss / loss of the worst policy",
        "Where some policies lose money: what a learner lost per unit of testing, as a share of "
        "what the worst policy of the class loses. It is 0 for whoever did not lose.",
        "lost",
    ),
    Measure(
        "Lost as told: realised loss / loss of the worst policy, were the world as told",
        "The same loss as a share of what the worst policy would lose if observations were what "
        "the learner was told. Broken laws make all policies lose more; this unit stays.",
        "lost_as_told",
        hostile=True,
    ),
)


# Where the pool of ideas changes.
DRIFT_MEASURES = (
    Measure(
        "Dynamic share: realised ROI / ROI of the dynamic oracle",
        "What a learner earned per unit of testing as a share of what a dynamic oracle earns, who "
        "knows each test's pool of ideas and runs the best policy for that pool. That is not the "
        "most there is: whoever hardly tests in a bad pool can earn more.",
        "dynamic_share",
    ),
    Measure(
        "Same money: realised value / the best policies' for that money",
        "What a learner earned as a share of what the best policy for each pool would have earned "
        "for what the learner spent in that pool. It says how well money was spent, not whether it "
        "was spent where it earns most.",
        "same_money",
    ),
    Measure(
        "Share: realised ROI / ROI of the best that never changes",
        "The ROI as a share of what the best of all policies earns that treats all tests alike.",
        "share",
    ),
)


def measures_of(rows: Sequence[ScoreRow]) -> tuple[Measure, ...]:
    """The measures that say something about these rows."""
    return DRIFT_MEASURES if any(row.harmful is not None for row in rows) else MEASURES


def score_grids(rows: Sequence[ScoreRow]) -> list[Grid]:
    """The tables of `dwell bench learners`."""
    grids = [measure.grid(shown) for measure in measures_of(rows) if (shown := measure.rows(rows))]
    return [*grids, *(counted.grid for counted in counted_in_pools(rows))]


class Counted(NamedTuple):
    """Something that is counted in each pool of a world that changes, and a table of it."""

    title: str
    explained: str
    grid: Grid


def counted_in_pools(rows: Sequence[ScoreRow]) -> list[Counted]:
    """Harm, and how soon learners adapt; no tables where the pool of ideas does not change."""
    counted = []
    for title, explained, field, cell in (
        (
            "Harmful: accepted ideas that do harm, per 100 tests of a pool",
            "Of the first pool, of the last and, where there are more, of one in the middle; the "
            "JSON has all. A pool of a season is counted over all its periods.",
            "harmful",
            _harm,
        ),
        (
            "Adapted: tests after a change until 80 % of the best ROI",
            "After each abrupt change, how many tests it took until the policy in force earned at "
            "least 80 % of what the best one earns in the new pool, in the median.",
            "adapted",
            _adapted,
        ),
    ):
        if shown := [row for row in rows if getattr(row, field)]:
            counted.append(Counted(title, explained, _by_tasks(shown, title, cell)))
    return counted


def _harm(row: ScoreRow) -> str:
    harmful = row.harmful or ()
    some = sorted({0, len(harmful) // 2, len(harmful) - 1})
    return " / ".join(f"{harmful[pool]:.1f}" for pool in some)


def _adapted(row: ScoreRow) -> str:
    counts = row.adapted or ()
    return " / ".join("never" if count is None else f"{count:,.0f}" for count in counts)


def marked(name: str, held_out: bool) -> str:
    """A name, with a mark if no constant was chosen on what has it."""
    return f"{name} {HELD_OUT}" if held_out else name
