"""How often the ± of an evaluation holds: `python -m benchmarks.coverage [--tests 60 300 3000]`.

Logs are drawn from a known world, the usual rules are run on them, and one is chosen; the interval
of what it earns on tests that it was not chosen by should hold what it truly earns, and that of the
gain over the current rule should hold the gain. What each rule truly earns is known from many more
tests, by their values. Shares of 500 logs have a standard error of 1 %. `none earns` is how often
neither the choice nor the current rule is shown to earn more than 0, which is then the answer: it
should be so where ideas are worth nothing.
"""

import argparse
from math import ceil

import numpy as np

from dwell import AtEnd, Atoms, Gaussian, Normal, Policies, World
from dwell.arrays import FloatArray
from dwell.history.reading.blocks import SampleBlock
from dwell.history.reading.looking import Looking, Noise
from dwell.history.replay.candidates import candidates, looks
from dwell.history.replay.cross_fitting import cross_fitted
from dwell.history.replay.looked_replay import look_at
from dwell.history.replay.promises import promises_of
from dwell.history.replay.scores import AllScores, Scores, error_of, student_quantile

LENGTH = 100
SETUP = 50.0
WORLDS = {
    "normal": World(Normal(-0.05, 0.25), Gaussian(1.0)),
    "mostly null": World(Atoms([-0.3, 0.0, 0.3], [0.1, 0.8, 0.1]), Gaussian(1.0)),
    "all null": World(Atoms([0.0]), Gaussian(1.0)),
}
_TRUTH = 200_000
_AT_ONCE = 2_000


def block_of(samples: FloatArray) -> SampleBlock:
    tests = len(samples)
    return SampleBlock(tuple(map(str, range(tests))), np.full(tests, LENGTH), samples.ravel())


def truth(world: World, looking: Looking) -> tuple[FloatArray, float]:
    """What each rule earns per cost, and what the current rule does."""
    earned, paid = np.zeros((2, len(looking.rules)))
    now, rng = 0.0, np.random.default_rng(99)
    for _ in range(_TRUTH // _AT_ONCE):
        values, samples = world.sample(_AT_ONCE, LENGTH, rng=rng)
        found = block_of(samples).looked(looking)
        earned += values @ found.accepts
        paid += found.drawn.sum(axis=0)
        # Without one sample, as the current rule is scored.
        now += float(values @ (samples[:, 1:].sum(axis=1) > 0.0))
    return earned / (paid + SETUP * _TRUTH), now / _TRUTH / (SETUP + LENGTH)


def held(world: World, tests: int, logs: int, seed: int) -> tuple[FloatArray, float]:
    """How often the intervals of ROI and gain hold, how often nothing earns; ROI told less true."""
    visible = LENGTH - ceil(LENGTH / 5)
    tried = candidates(visible, sd=1.0)
    rules = tuple(each.rule for each in tried if each.rule is not None)
    looking = Looking(rules, looks(visible), Noise(1.0, 1e6))
    policies = Policies(each.policy for each in tried)
    rois, current = truth(world, looking)
    kept, off = np.zeros(3), 0.0
    for rng in np.random.default_rng(seed).spawn(logs):
        _, samples = world.sample(tests, LENGTH, rng=rng)
        block = block_of(samples)
        replay, now = look_at(block, looking, policies), AtEnd().on(block)
        scores = Scores(now.rewards, now.durations.astype(np.float64), None, SETUP)
        found = cross_fitted(AllScores(replay, SETUP), scores, 0.05, promises_of(replay))
        roi = float(rois[list(found.chosen)].mean())
        reach = student_quantile(0.025, tests) * error_of(scores.influence)
        kept += [
            found.roi_low <= roi <= found.roi_high,
            found.gain_low <= roi - current <= found.gain_high,
            found.roi_low <= 0.0 and scores.ratio - reach <= 0.0,
        ]
        off += (found.roi - roi) / logs
    return kept / logs, off


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.coverage", description=__doc__)
    parser.add_argument("--tests", type=int, nargs="*", default=[60, 300, 3_000])
    parser.add_argument("--worlds", nargs="*", choices=WORLDS, default=list(WORLDS))
    parser.add_argument("--logs", type=int, default=500)
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    print(f"{'world':<12} {'tests':>6} {'ROI held':>9} {'gain held':>10} {'none earns':>11} off by")
    for name in arguments.worlds:
        for tests in arguments.tests:
            shares, off = held(WORLDS[name], tests, arguments.logs, arguments.seed)
            of_roi, of_gain, none = shares.tolist()
            row = f"{name:<12} {tests:>6,} {of_roi:>9.1%} {of_gain:>10.1%} {none:>11.1%} {off:.2g}"
            print(row, flush=True)


if __name__ == "__main__":
    main()
