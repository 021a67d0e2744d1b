"""Theorem 1 in practice: from how many tasks on CAPE eliminates anything at all."""

from math import log10

from dwell.chart import HeatMap
from dwell.families import hoeffding
from dwell.lab.claims.finding import Effort, Finding, decades
from dwell.lab.replicate import Summary
from dwell.lab.theory import regret_bound, roi_gap
from dwell.laws import Signs
from dwell.learners.cape import Cape
from dwell.priors import Atoms
from dwell.table import exact
from dwell.world import World

# Rare wins: most ideas do a little harm, one in ten is worth much.
WORLD = World(Atoms([-0.05, 0.6], [0.9, 0.1]), Signs())


def check(effort: Effort) -> Finding:
    """Over longest caps and numbers of tasks: does any elimination test run, and what is earned?"""
    longest = [4, 8, 16, 32, 64, 128, 256]
    sizes = decades(3, effort.pick(7, 9))
    shares, vacuous, promised = [], [], []
    needed: dict[int, int] = {}
    for cap in longest:
        policies = hoeffding(
            [2**power for power in range(cap.bit_length())], c=0.35, tasks=10_000, delta=0.05
        )
        needed[cap] = Cape(policies, tasks=10**18, announce=False).guarantee.needed_tasks
        row = []
        for tasks in sizes:
            learner = effort.cape(policies, tasks=tasks, announce=False)
            replications = effort.pick(6, 40) if tasks < 10**8 else effort.pick(2, 6)
            row.append(Summary.of(effort.runs(learner, WORLD, tasks, replications)).share)
            if tasks < needed[cap]:
                promised.append(regret_bound(learner, roi_gap(exact(policies, WORLD))))
        shares.append(row)
        vacuous.append([tasks < needed[cap] for tasks in sizes])
    factors = [needed[cap] / cap**3 for cap in longest]
    late = all(factor > 1.0 for factor in factors)
    return Finding(
        claim="guarantee",
        place="Theorem 1, Algorithm 1 line 3",
        stated="the rate holds as soon as N >= D_K^3, up to logarithms",
        measured=(
            "the logarithms decide: no elimination test runs before N = "
            f"{min(factors):,.0f} to {max(factors):,.0f} times D_K^3 "
            f"(10^{log10(needed[16]):.1f} tasks for caps up to 16, "
            f"10^{log10(needed[256]):.1f} for caps up to 256); below, CAPE explores and commits, "
            f"earns {min(map(min, shares)):.0%} of the best ROI at worst, and its regret bound is "
            f"{min(promised):.1f} at least, where no ROI exceeds 1"
        ),
        correction=(
            f"N has to be {min(factors):,.0f} to {max(factors):,.0f} times D_K^3 before the rate "
            "says anything"
        ),
        holds=late and min(promised) > 1.0,
        figures={
            "longest_caps": longest,
            "tasks": sizes,
            "needed_tasks": {str(cap): tasks for cap, tasks in needed.items()},
            "needed_per_cubed_cap": factors,
            "share_of_best_roi": shares,
            "least_vacuous_bound": min(promised),
        },
        words=(
            "With tests of up to 256 samples CAPE's promise begins at billions of tests; no "
            "company has that many. Before, it explores, at twice the longest test per idea, and "
            "then commits to the policy that might be best. While its intervals are wide that is "
            "the shortest one, which in this world ships nothing: up to a million tests CAPE earns "
            "a small part of what it could."
        ),
        charts=(
            HeatMap(
                "What CAPE earns of the best ROI",
                "tasks",
                "longest cap",
                [f"10^{round(log10(tasks))}" for tasks in sizes],
                [str(cap) for cap in longest],
                shares,
                [
                    [
                        f"{share:.2f}{'' if empty else ' ✓'}"
                        for share, empty in zip(*pair, strict=True)
                    ]
                    for pair in zip(shares, vacuous, strict=True)
                ],
                caption=(
                    "✓ marks where an elimination test can run. Rare wins: values -0.05 (nine in "
                    "ten) and 0.6; caps 1, 2, 4, … up to the longest."
                ),
            ),
        ),
    )
