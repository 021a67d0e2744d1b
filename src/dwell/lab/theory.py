"""What the paper promises: CAPE's explicit regret bounds.

Paper: Lemmas 7 and 8, with the constant 288 of Lemma 6, from which Lemma 7 follows.
Both hold with a set-up cost as well, which only makes every ratio smaller.

| paper | here |
|---|---|
| Delta | gap |
| D_K | cap |
| 288 (D_K / Delta)^2 ln(4 K N_ex / delta) + 1 | enough |
"""

from math import inf, sqrt

from dwell.learners.cape import Cape
from dwell.table import Table


def roi_gap(table: Table) -> float:
    """By how much the best policy's ROI exceeds that of every other; infinite if it is alone.

    Example:
        >>> from dwell import Atoms, Signs, World, exact, hoeffding
        >>> policies = hoeffding(caps=[2, 4, 4], c=0.35, tasks=10_000, delta=0.05)
        >>> round(roi_gap(exact(policies, World(Atoms([-1, 0, 1]), Signs()))), 4)
        0.0238
    """
    by_policy = dict(zip(table.policies, table.roi.tolist(), strict=True))
    ranked = sorted(by_policy.values(), reverse=True)
    return ranked[0] - ranked[1] if len(ranked) > 1 else inf


def regret_bound(learner: Cape, gap: float) -> float:
    """What CAPE's regret is at most, with probability at least 1 - delta.

    Args:
        learner: CAPE, with its policies, number of tasks and exploration cap.
        gap: By how much the best policy's ROI exceeds the second best.

    Example:
        >>> from dwell import Cape, hoeffding
        >>> policies = hoeffding(caps=[1, 2], c=0.35, tasks=10**9, delta=0.05)
        >>> learner = Cape(policies, tasks=10**9)
        >>> round(regret_bound(learner, gap=0.2), 6), round(regret_bound(learner, gap=0.01), 6)
        (0.00272, 0.04188)
    """
    # Observations in [-bound, bound] are bound times ones in [-1, 1], and so is every ROI.
    unit, cap = learner.bound, learner.policies.caps[-1]
    enough = 288.0 * (cap * unit / gap) ** 2 * learner.logarithm + 1.0 if gap > 0.0 else inf
    if enough <= learner.exploration_cap:  # Lemma 7: one candidate is left in time
        return unit * (2 * cap + 1) * enough / learner.tasks
    explored = learner.exploration_cap  # Lemma 8: explore, then commit
    error = (cap + 1) * sqrt(8.0 * learner.logarithm / explored)
    return unit * (error + (2 * cap + 1) * explored / learner.tasks)
