"""Lemmas 2 and 3 and Theorem 4: ESC and ESC-CAPE."""

from math import ceil, log, log2

import numpy as np

from dwell.chart import Chart, Line
from dwell.families import Countable
from dwell.lab.claims.finding import Effort, Finding, clopper_pearson, decades, fit_slope
from dwell.lab.replicate import Summary
from dwell.laws import Signs
from dwell.learners.esc import Esc
from dwell.learners.esc_cape import EscCape
from dwell.priors import Atoms
from dwell.table import best_of
from dwell.world import World

DELTA = 0.05
FAMILY = Countable(c=0.5, tasks=10_000, delta=DELTA)
# Ideas worth 0 take long to test, ideas worth 1 pay: so ESC finds an end soon.
WORLD = World(Atoms([0, 1], [0.2, 0.8]), Signs())


def check(effort: Effort) -> Finding:
    """What ESC finds and costs, and how fast the regret of ESC-CAPE falls."""
    tasks = 10**6
    runs = effort.runs(Esc(FAMILY, tasks=tasks, delta=DELTA), WORLD, tasks, effort.pick(40, 400))
    searches = [run.learner for run in runs if isinstance(run.learner, Esc)]
    best = best_of(FAMILY, WORLD)
    found = [search.state.found for search in searches]
    enough = sum(each is not None and each >= best.k for each in found)
    share = enough / len(searches)
    low, high = clopper_pearson(enough, len(searches))
    costs = [search.state.samples for search in searches]
    bounds = [most_samples(search) for search in searches if search.state.found is not None]
    affordable = len(bounds) == len(searches) and all(np.array(costs) <= np.array(bounds))

    sizes = decades(6, effort.pick(9, 11))
    summaries = [
        Summary.of(
            effort.runs(EscCape(FAMILY, tasks=size, delta=DELTA), WORLD, size, effort.pick(2, 6))
        )
        for size in sizes
    ]
    regret = [summary.regret for summary in summaries]
    errors = [summary.roi_error for summary in summaries]
    slope = fit_slope(sizes[-3:], regret[-3:])
    return Finding(
        claim="countable",
        place="Lemmas 2 and 3, Theorem 4",
        stated=(
            f"ESC's K reaches every best policy in a share of at least {1 - DELTA:g} of the runs, "
            "at bounded cost; the regret of ESC-CAPE falls as N^(-1/3)"
        ),
        measured=(
            f"share {share:.4f} [{low:.4f}, {high:.4f}], samples at most "
            f"{max(np.array(costs) / np.array(bounds)) if bounds else float('nan'):.0%} of their "
            f"bound; exponent {slope} over the last two decades"
        ),
        holds=share >= 1 - DELTA and affordable and abs(slope.exponent + 1.0 / 3.0) <= 0.05,
        figures={
            "share": share,
            "share_interval": [low, high],
            "best": best.k,
            "found": sorted({each or 0 for each in found}),
            "samples": float(np.mean(costs)),
            "samples_bound": float(np.mean(bounds)) if bounds else None,
            "tasks": sizes,
            "regret": regret,
            "error": errors,
            "exponent": slope.exponent,
            "exponent_error": slope.error,
        },
        words=(
            "Without a longest policy in mind one can still find out how long is too long, but it "
            "takes millions of tests before the search pays for itself."
        ),
        charts=(
            Chart(
                "Regret of ESC-CAPE over the number of tasks",
                "tasks",
                "regret",
                (
                    Line("ESC-CAPE", sizes, regret, errors),
                    Line(
                        "slope -1/3",
                        sizes,
                        [regret[-1] * (sizes[-1] / size) ** (1 / 3) for size in sizes],
                        dashed=True,
                    ),
                ),
            ),
        ),
    )


def most_samples(search: Esc) -> float:
    """Lemma 3: 2 j1 D_K ceil(ln(j1 (j1 + 1) / delta) / (2 eps^2))."""
    level = round(log2(search.state.found or 1))
    cap = search.family.cap(search.state.found or 1)
    tasks = ceil(log(level * (level + 1) / search.delta) / (2.0 * search.accuracy**2))
    return 2.0 * level * cap * tasks
