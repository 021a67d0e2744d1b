"""Lemmas 7 and 8 and Theorem 1: how fast regret falls."""

from dataclasses import dataclass

from dwell.chart import Chart, Line
from dwell.lab.claims.finding import Effort, Finding, Slope, decades, fit_slope
from dwell.lab.claims.instances import Instance, nearly_tied, separated
from dwell.lab.replicate import Summary
from dwell.lab.theory import regret_bound


@dataclass(frozen=True, slots=True)
class Curve:
    """Regret over the number of tasks on one instance."""

    tasks: list[int]
    regret: list[float]
    error: list[float]
    bound: list[float]

    def slope(self, last: int) -> Slope:
        """The exponent over the last points."""
        return fit_slope(self.tasks[-last:], self.regret[-last:])

    @property
    def below_bound(self) -> bool:
        """Whether the regret is below its bound everywhere."""
        pairs = zip(self.regret, self.bound, strict=True)
        return all(0.0 < regret <= bound for regret, bound in pairs)

    def lines(self, name: str) -> tuple[Line, Line]:
        """What a chart shows of it."""
        return (
            Line(name, self.tasks, self.regret, self.error),
            Line(f"{name}: the lemmas' bound", self.tasks, self.bound, dashed=True),
        )


def check(effort: Effort) -> Finding:
    """Slopes of the regret with a large gap and with a tiny one, and the explicit bounds."""
    large = _curve(separated(0.5), effort, last=12, replications=effort.pick(8, 40))
    tiny = _curve(nearly_tied(), effort, last=effort.pick(9, 12), replications=effort.pick(3, 6))
    # With a large gap elimination has to end before the exploration does: the last two decades.
    steep, shallow = large.slope(5), tiny.slope(9)
    return Finding(
        claim="rates",
        place="Lemmas 7 and 8, Theorem 1",
        stated="regret falls as 1 / N with a gap, as N^(-1/3) without, below explicit bounds",
        measured=(
            f"exponents {steep} with a gap of 0.25 and {shallow} with one of about 1e-8; "
            f"regret at the largest N is {large.bound[-1] / large.regret[-1]:,.0f} and "
            f"{tiny.bound[-1] / tiny.regret[-1]:,.0f} times below its bound"
        ),
        holds=(
            abs(steep.exponent + 1.0) <= 0.1
            and abs(shallow.exponent + 1.0 / 3.0) <= 0.05
            and large.below_bound
            and tiny.below_bound
        ),
        figures={
            "large_gap": {
                "tasks": large.tasks,
                "regret": large.regret,
                "error": large.error,
                "bound": large.bound,
                "exponent": steep.exponent,
                "exponent_error": steep.error,
            },
            "tiny_gap": {
                "tasks": tiny.tasks,
                "regret": tiny.regret,
                "error": tiny.error,
                "bound": tiny.bound,
                "exponent": shallow.exponent,
                "exponent_error": shallow.error,
            },
        },
        words=(
            "Where one policy is clearly better, ten times as many tests cost a tenth of the loss. "
            "Where two are as good as tied, the loss that remains is the price of exploring, and "
            "it takes a thousand times as many tests to divide it by ten."
        ),
        charts=(
            Chart(
                "Regret of CAPE over the number of tasks",
                "tasks",
                "regret",
                (*large.lines("large gap"), *tiny.lines("tiny gap")),
                caption=(
                    "With a large gap the regret first falls as N^(-1/3), while exploration ends "
                    "before elimination does, and then as 1 / N."
                ),
            ),
        ),
    )


def _curve(instance: Instance, effort: Effort, last: int, replications: int) -> Curve:
    curve = Curve([], [], [], [])
    for tasks in decades(3, last, per_decade=2):
        learner = effort.cape(instance.policies, tasks=tasks, announce=False)
        summary = Summary.of(effort.runs(learner, instance.world, tasks, replications))
        curve.tasks.append(tasks)
        curve.regret.append(summary.regret)
        curve.error.append(summary.roi_error)
        curve.bound.append(regret_bound(learner, instance.gap))
    return curve
