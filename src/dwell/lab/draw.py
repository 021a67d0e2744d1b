"""Draw tasks a block at a time: enough to keep the kernels busy, little enough for the cache."""

import numpy as np

from dwell.arrays import FloatArray, Samples
from dwell.laws import Law
from dwell.learners.learner import Plan
from dwell.outcomes import scan
from dwell.policies import Policies
from dwell.records import Records

_BLOCK_SAMPLES = 2**20
_MOST_SAMPLES = 2**24
_FIRST_SAMPLES = 64


def block_size(plan: Plan) -> int:
    """How many tasks to draw at a time."""
    at_once = plan.samples if plan.oversamples else min(plan.samples, _FIRST_SAMPLES)
    return max(1, _BLOCK_SAMPLES // at_once)


def run_until_stopped(
    law: Law, values: FloatArray, policies: Policies, rng: np.random.Generator
) -> Records:
    """Records of tasks that end where the last policy stops.

    Few tasks come anywhere near a long cap. So all tasks draw a few samples, those that have not
    stopped draw as many again, and so on.
    """
    cap = policies.caps[-1]
    samples = law.sample(values, min(cap, _FIRST_SAMPLES), rng)
    outcomes = scan(samples, policies)
    durations, decisions = outcomes.durations, outcomes.decisions
    going = np.flatnonzero(decisions[:, -1] < 0)
    samples = samples[going]
    while len(going):
        more = min(samples.shape[1], cap - samples.shape[1])
        # Tasks that go on in great numbers for long are taken a part at a time.
        part = max(1, _MOST_SAMPLES // (samples.shape[1] + more))
        kept: list[Samples] = []
        left = []
        for start in range(0, len(going), part):
            rows = going[start : start + part]
            longer = np.hstack([samples[start : start + part], law.sample(values[rows], more, rng)])
            outcomes = scan(longer, policies)
            durations[rows], decisions[rows] = outcomes.durations, outcomes.decisions
            unfinished = outcomes.decisions[:, -1] < 0
            left.append(rows[unfinished])
            kept.append(longer[unfinished])
        going, samples = np.concatenate(left), np.concatenate(kept)
    return Records(durations, decisions, None, durations[:, -1].astype(np.int64))
