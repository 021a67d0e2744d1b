"""Lemma 5: all of CAPE's bounds hold at once."""

import numpy as np

from dwell.lab.claims.finding import Effort, Finding, clopper_pearson
from dwell.lab.claims.instances import Instance, all_lose, separated, three_points
from dwell.records import Records
from dwell.table import exact

DELTA = 0.05


def check(effort: Effort) -> Finding:
    """The share of runs in which every bound holds after every task."""
    runs, tasks = effort.pick(200, 2000), effort.pick(400, 1000)
    rng = np.random.default_rng(effort.seed)
    shares: dict[str, tuple[float, float, float]] = {}
    deepest = 0.0
    for instance in (separated(0.5), three_points(), all_lose()):
        worst = [worst_share_of_width(instance, tasks, rng, effort) for _ in range(runs)]
        held = sum(share <= 1.0 for share in worst)
        shares[instance.name] = (held / runs, *clopper_pearson(held, runs))
        deepest = max(deepest, *worst)
    least = min(share for share, _, _ in shares.values())
    return Finding(
        claim="bounds",
        place="Lemma 5",
        stated=f"all bounds hold at once in a share of at least {1 - DELTA:g} of the runs",
        measured=(
            f"{least:.4f} in the worst of {len(shares)} instances, {runs:,} runs each "
            f"(95 % interval from {min(low for _, low, _ in shares.values()):.4f}); the farthest "
            f"miss of any mean was {deepest:.0%} of its bound's width"
        ),
        holds=least >= 1 - DELTA,
        figures={"runs": runs, "shares": shares, "farthest": deepest},
        words=(
            "The intervals that CAPE shows can be trusted, and they are far wider than they would "
            "need to be: that is why it learns slowly."
        ),
    )


def worst_share_of_width(
    instance: Instance, tasks: int, rng: np.random.Generator, effort: Effort
) -> float:
    """How far any mean strays from the truth in one run, as a share of its bound's width."""
    policies = instance.policies
    learner = effort.cape(policies, tasks=tasks, exploration_cap=tasks, delta=DELTA, announce=False)
    samples = instance.world.sample(tasks, 2 * policies.caps[-1], rng)[1]
    truth = exact(policies, instance.world)
    blocks: list[Records] = []
    start = 0
    while learner.exploring:
        design = learner.begin(tasks - start)
        assert design is not None
        records = design.record(samples[start:, : design.samples].copy())
        taken = learner.learn(design, records)
        blocks.append(records.first(taken))
        start += taken
    worst = 0.0
    for k, cap in enumerate(policies.caps):
        # Policy k is recorded while there is a candidate at least as long.
        seen = [block for block in blocks if block.durations.shape[1] > k]
        n = np.arange(1, 1 + sum(len(block) for block in seen))
        error = np.sqrt(learner.logarithm / (2 * n))
        rewards = np.concatenate([np.asarray(block.rewards)[:, k] for block in seen])
        stray = np.abs(np.cumsum(rewards) / n - truth.reward[k]) / (2 * error)
        worst = max(worst, float(stray.max()))
        if cap > 1:
            durations = np.concatenate([block.durations[:, k] for block in seen])
            stray = np.abs(np.cumsum(durations) / n - truth.cost[k]) / ((cap - 1) * error)
            worst = max(worst, float(stray.max()))
    return worst
