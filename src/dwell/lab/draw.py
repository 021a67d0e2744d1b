"""Draw tasks a block at a time: enough to keep the kernels busy, little enough for the cache."""

import numpy as np

from dwell.arrays import FloatArray, Samples
from dwell.laws import Law
from dwell.learners.learner import Plan
from dwell.records import Records, unfinished, until_stopped

_BLOCK_SAMPLES = 2**20
_MOST_SAMPLES = 2**24
_FIRST_SAMPLES = 64


def block_size(plan: Plan) -> int:
    """How many tasks to draw at a time."""
    at_once = plan.samples if plan.oversamples else min(plan.samples, _FIRST_SAMPLES)
    return max(1, _BLOCK_SAMPLES // at_once)


def run_until_stopped(
    law: Law, values: FloatArray, plan: Plan, rng: np.random.Generator
) -> Records:
    """Records of tasks that end where the plan's policies have stopped.

    Few tasks come anywhere near a long cap. So all tasks draw a few samples, those that have not
    stopped draw as many again, and so on.
    """
    most = plan.samples
    samples = law.sample(values, min(most, _FIRST_SAMPLES), rng)
    records = until_stopped(samples, plan.policies, plan.extras)
    if most <= _FIRST_SAMPLES:
        return records
    going = np.flatnonzero(unfinished(records, samples.shape[1]))
    samples = samples[going]
    while len(going):
        more = min(samples.shape[1], most - samples.shape[1])
        # Tasks that go on in great numbers for long are taken a part at a time.
        part = max(1, _MOST_SAMPLES // (samples.shape[1] + more))
        kept: list[Samples] = []
        left = []
        for start in range(0, len(going), part):
            rows = going[start : start + part]
            longer = np.hstack([samples[start : start + part], law.sample(values[rows], more, rng)])
            renewed = until_stopped(longer, plan.policies, plan.extras)
            records.replace(rows, renewed)
            wanting = unfinished(renewed, longer.shape[1])
            left.append(rows[wanting])
            kept.append(longer[wanting])
        going, samples = np.concatenate(left), np.concatenate(kept)
    return records
