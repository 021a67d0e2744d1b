"""Lemma 6: when the last suboptimal policy is gone."""

import numpy as np

from dwell.chart import Chart, Line
from dwell.lab.claims.finding import Effort, Finding, fit_slope
from dwell.lab.claims.instances import separated
from dwell.table import exact

TASKS = 10**12


def check(effort: Effort) -> Finding:
    """Tasks until one policy is left, against 288 D_K^2 L / Delta^2 + 1, over a range of gaps."""
    replications = effort.pick(5, 40)
    gaps, means, errors, latest, bounds = [], [], [], [], []
    right = True
    for wins in (1.0, 0.5, 0.25, 0.125, 0.0625)[: effort.pick(4, 5)]:
        instance = separated(wins)
        learner = effort.cape(instance.policies, tasks=TASKS)
        best = exact(instance.policies, instance.world).best
        runs = effort.runs(learner, instance.world, TASKS, replications)
        explored = np.array([run.explored for run in runs])
        right &= all(run.known.candidates == (best,) for run in runs)
        gaps.append(instance.gap)
        means.append(float(explored.mean()))
        errors.append(float(explored.std(ddof=1) / np.sqrt(replications)))
        latest.append(int(explored.max()))
        cap = instance.policies.caps[-1]
        bounds.append(288 * cap**2 * learner.logarithm / instance.gap**2 + 1)
    slope = fit_slope(gaps, means)
    in_time = all(last <= bound for last, bound in zip(latest, bounds, strict=True))
    loose = float(np.median(np.array(bounds) / np.array(means)))
    return Finding(
        claim="elimination",
        place="Lemma 6",
        stated="only the best policy is left after 288 D_K^2 L / gap^2 + 1 tasks",
        measured=(
            f"{'always' if right else 'NOT always'} the best one alone, after "
            f"{means[0]:,.0f} ± {errors[0]:,.0f} to {means[-1]:,.0f} ± {errors[-1]:,.0f} tasks; "
            f"exponent of the gap {slope}; the bound is {loose:,.0f} times too large"
        ),
        holds=right and in_time and abs(slope.exponent + 2.0) < 0.2,
        figures={
            "gaps": gaps,
            "tasks": means,
            "errors": errors,
            "latest": latest,
            "bounds": bounds,
            "exponent": slope.exponent,
            "exponent_error": slope.error,
            "looseness": loose,
        },
        words=(
            "Halving the difference between two policies makes it four times as long to tell them "
            "apart. The printed constant is very safe: reality is hundreds of times faster."
        ),
        charts=(
            Chart(
                "Tasks until one policy is left",
                "gap between the two best ROIs",
                "tasks",
                (
                    Line("measured", gaps, means, errors),
                    Line("the lemma's bound", gaps, bounds, dashed=True),
                ),
            ),
        ),
    )
