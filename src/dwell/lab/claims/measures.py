"""Appendix D, "Choice of Performance Measure": which ratio to maximise."""

from math import log, sqrt

import numpy as np

from dwell.chart import Chart, Line
from dwell.families import hoeffding
from dwell.lab.claims.finding import Effort, Finding, decades
from dwell.laws import Signs
from dwell.objectives import g1, g2, g3, within_budget
from dwell.outcomes import scan
from dwell.policies import AnyPolicy, Policies
from dwell.priors import Atoms
from dwell.table import Table, exact
from dwell.world import World

WORLD = World(Atoms([-1, 0, 1]), Signs())


def check(effort: Effort) -> Finding:
    """g1 and g2 tend to the ROI, g3 ranks the worst policy first, Wald's identity holds."""
    caps = [16, 32, 64, 128, 256]
    # The longer a policy may run, the sooner it decides where all samples agree: after 14, 13, …
    policies = Policies(
        _deciding_after(samples, cap) for samples, cap in zip(range(14, 9, -1), caps, strict=True)
    )
    table = exact(policies, WORLD)
    tasks, budgets = decades(0, 8), decades(3, 9)[::2]
    by_tasks = np.array([g1(table, n) for n in tasks])
    by_samples = np.array([g2(table, n) for n in budgets])
    off = [float(np.abs(last / table.roi - 1).max()) for last in (by_tasks[-1], by_samples[-1])]
    ratio = g3(table)
    first, best = int(np.argmax(ratio)), table.best
    wald = _wald(table, effort)
    return Finding(
        claim="measures",
        place='Appendix D, "Choice of Performance Measure"',
        stated="g1 and g2 tend to the ROI; g3 prefers a policy that is far from the best",
        measured=(
            f"g1 and g2 within {max(off):.0e} of the ROI; g3 puts cap {caps[first]} first, whose "
            f"ROI is {table.roi[first] / table.roi[best]:.0%} of the best (cap {caps[best]}); "
            f"Wald's identity off by {wald:.1f} standard errors"
        ),
        holds=max(off) < 1e-6 and first == int(np.argmin(table.roi)) and abs(wald) < 4.0,
        figures={
            "caps": caps,
            "roi": table.roi.tolist(),
            "g3": ratio.tolist(),
            "g1": {str(n): row.tolist() for n, row in zip(tasks, by_tasks, strict=True)},
            "g2": {str(n): row.tolist() for n, row in zip(budgets, by_samples, strict=True)},
            "wald_standard_errors": wald,
        },
        words=(
            "Average what a programme earns and what it costs, then divide. Averaging the return "
            "of single tests instead hides the long tests that earn nothing, and picks the policy "
            "that has the most of them."
        ),
        charts=(
            Chart(
                "Two ways to rate the same policies on values -1, 0, 1",
                "cap",
                "per sample",
                (
                    Line("ROI: ratio of expectations", caps, table.roi.tolist()),
                    Line("g3: expectation of ratios", caps, ratio.tolist(), dashed=True),
                ),
            ),
        ),
    )


def _deciding_after(samples: int, cap: int) -> AnyPolicy:
    """The paper's policy with the band that samples which all agree leave after so many."""
    c = sqrt((samples - 0.5) / log(cap * 100 / 0.5))
    return hoeffding([cap], c=c, tasks=100, delta=0.5)[0]


def _wald(table: Table, effort: Effort) -> float:
    """By how many standard errors E[sum of rewards up to task N] misses E[N] E[reward].

    N is the task in which a budget of samples is reached, and that task counts in full.
    """
    index, budget, programmes = 0, 1_000, effort.pick(2_000, 50_000)
    cap = table.policies.caps[index]
    values, samples = WORLD.sample(programmes * budget // 10, cap, rng=effort.seed)
    outcomes = scan(samples, table.policies[index])
    durations = outcomes.durations[:, 0].reshape(programmes, -1)
    rewards = (values * outcomes.decisions[:, 0]).reshape(programmes, -1)
    last = (np.cumsum(durations, axis=1) >= budget).argmax(axis=1)
    totals = np.cumsum(rewards, axis=1)[np.arange(programmes), last]
    expected = within_budget(table.profile(index), budget).tasks * table.reward[index]
    return float((totals.mean() - expected) / (totals.std(ddof=1) / programmes**0.5))
