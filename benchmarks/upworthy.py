"""Learners on a stream of real headline tests: `python -m benchmarks.upworthy upworthy_pairs.csv`.

The file holds one pair of arms per test and row, with the columns `test, test_week, n_c, x_c, n_t,
x_t`: impressions and clicks of control and treatment. It is made from Matias, Munger, Aubin Le
Quere, Ebersole (2021), The Upworthy Research Archive, Scientific Data 8:195, CC BY 4.0 (exploratory
part; filtered and paired), and is no part of this repository.

A stream takes the tests in random order. The clicks of each arm are put in random order and paired:
an observation is a click of the treatment minus one of the control, -1, 0 or 1, and there are as
many as the shorter arm has impressions. Given the counts, every order is equally likely if visitors
are exchangeable, so a stream is as good as the order that was not recorded.

The rules, alike for all:
- The last fifth of each test is for scoring only: what is accepted earns the mean of these
  observations, whoever accepts it. Nobody sees them before.
- A test is looked at after every 250 pairs, and where the four fifths end: then it is decided.
- A test costs its set-up and its pairs; those that Ladder takes after an acceptance count as well.

EmpiricalBayes and Ladder are told nothing of the archive: they see sums in units of each test's own
noise, which follows from the clicks of both arms so far. Ladder needs policies, and samples after
acceptances. Its usual class is `dwell.scales`; a policy that wants to go on where a test ends
decides as at its cap. Tests end for it a look early, so that some pairs are left: where fewer are
than Ladder wants after an acceptance, it gets those, and so many count as drawn.

The best in hindsight is the member of a family, or of Ladder's classes, with the highest ROI over
all streams. With `--null`
the clicks of each test fall to its arms at random: then nothing earns anything. Standard errors are
over streams of the same tests: they do not say what other tests would give. `--held-out` takes a
half of the tests, the same each time.
"""

import argparse
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.table import Table

from benchmarks.upworthy_rules import Runs, fixed_sizes, plan_family, to_the_end
from benchmarks.upworthy_stream import BATCH, Stream, Tests
from dwell import EmpiricalBayes, Gaussian, Ladder, Policies, hoeffding, quarters, scales
from dwell.arrays import FloatArray, IntArray

SETUP_COSTS = (100, 1_000, 10_000)
AFTER = (100, 300, 1_000, None)  # tests after which ROIs are given; None: all of them
CAP = 6_000  # pairs: few tests are longer

LEARNERS: dict[str, Callable[[int], EmpiricalBayes]] = {
    "EmpiricalBayes": lambda setup: _empirical_bayes(setup, guard=True),
    "EmpiricalBayes, no guard": lambda setup: _empirical_bayes(setup, guard=False),
}
LADDERS: dict[str, Callable[[], Policies]] = {
    "Ladder": lambda: scales(quarters(CAP, least=BATCH), sd=1.0, step=BATCH, min_samples=BATCH),
    "Ladder, the paper's class": lambda: hoeffding(
        [2**power for power in range(6, 13)], c=0.35, tasks=10_000, delta=0.05
    ),
}


FAMILIES: dict[str, Callable[[Stream], Runs]] = {
    "best of plan's family": plan_family,
    "best of Ladder's class": lambda stream: _members(stream, LADDERS["Ladder"]()),
    "best of the paper's class": lambda stream: _members(
        stream, LADDERS["Ladder, the paper's class"]()
    ),
    "best fixed size": fixed_sizes,
}


def _members(stream: Stream, policies: Policies) -> Runs:
    """What each policy of a class earns and draws by itself."""
    drawn, accepted = stream.outcomes(policies, 0, len(stream))
    return {
        f"cap {cap:,}": (accepted[:, k] * stream.score, drawn[:, k])
        for k, cap in enumerate(policies.caps)
    }


def _empirical_bayes(setup: int, *, guard: bool) -> EmpiricalBayes:
    """The learner in units of each test's noise: it is told no scale of effects, no click rate."""
    return EmpiricalBayes(
        Gaussian(1.0), cap=CAP, looks=BATCH, min_samples=BATCH, setup_cost=setup, guard=guard
    )


def run_learner(stream: Stream, learner: EmpiricalBayes) -> tuple[FloatArray, IntArray]:
    """What each test earns and how many pairs it takes."""
    earned, samples = np.zeros(len(stream)), np.zeros(len(stream), dtype=np.int64)
    for test in range(len(stream)):
        batches = stream.batches(test)
        # Verifying takes whole batches: the last one is kept for it.
        ends = int(batches.samples[0]) - (BATCH if learner.guarded else 0)
        design = learner.begin(ends=max(ends, BATCH // 2))
        records = design.record(batches)
        earned[test] = stream.score[test] * float(design.accepted(records)[0])
        samples[test] = records.drawn[0]
        learner.learn(design, records)
    return earned, samples


def run_ladder(stream: Stream, policies: Policies, setup: int) -> tuple[FloatArray, IntArray]:
    """Let Ladder run through the tests; it is told nothing but the records that it plans for."""
    learner = Ladder(policies, setup_cost=setup)
    earned, samples = np.zeros(len(stream)), np.zeros(len(stream), dtype=np.int64)
    done = 0
    while done < len(stream):
        design = learner.begin(len(stream) - done)
        assert design is not None  # Ladder never runs out of designs
        last = done + design.tasks
        records = stream.records(design, done, last)
        earned[done:last] = design.accepted(records) * stream.score[done:last]
        samples[done:last] = records.drawn
        assert learner.learn(design, records) == last - done
        done = last
    return earned, samples


def sums_after(run: tuple[FloatArray, IntArray]) -> FloatArray:
    """Tests, earnings and pairs after 100 tests and so on: a row each."""
    earned, samples = run
    rows = [(len(earned[:n]), earned[:n].sum(), samples[:n].sum()) for n in AFTER]
    return np.array(rows, dtype=np.float64)


def rois(sums: FloatArray, setup: int) -> FloatArray:
    """In millionths, from sums as above, of one stream or many."""
    found: FloatArray = 1e6 * sums[..., 1] / (sums[..., 2] + setup * sums[..., 0])
    return found


def run_streams(
    tests: Tests, count: int, seed: int, null: bool
) -> tuple[dict[str, dict[str, FloatArray]], dict[tuple[str, int], FloatArray]]:
    """Sums of all runs: of rules by family and name, of learners by name and set-up cost."""
    rules: dict[str, dict[str, list[FloatArray]]] = {}
    learners: dict[tuple[str, int], list[FloatArray]] = {}
    for number, child in enumerate(np.random.SeedSequence(seed).spawn(count), start=1):
        print(f"\rstream {number} of {count}", end="", file=sys.stderr, flush=True)
        stream = Stream(tests, np.random.default_rng(child), null)
        for family, members in {**FAMILIES, "plain": to_the_end}.items():
            for name, run in members(stream).items():
                rules.setdefault(family, {}).setdefault(name, []).append(sums_after(run))
        for setup in SETUP_COSTS:
            runs = {name: run_learner(stream, make(setup)) for name, make in LEARNERS.items()}
            runs |= {name: run_ladder(stream, make(), setup) for name, make in LADDERS.items()}
            for name, run in runs.items():
                learners.setdefault((name, setup), []).append(sums_after(run))
    print(file=sys.stderr)
    stacked = {
        family: {name: np.array(found) for name, found in members.items()}
        for family, members in rules.items()
    }
    return stacked, {key: np.array(found) for key, found in learners.items()}


def table(
    setup: int,
    rules: dict[str, dict[str, FloatArray]],
    learners: dict[tuple[str, int], FloatArray],
) -> Table:
    """A row per learner and rule: mean ROI and standard error, and the share of the best."""
    rows = {name: rois(sums, setup) for (name, cost), sums in learners.items() if cost == setup}
    best: FloatArray | None = None
    for family in FAMILIES:
        found = {name: rois(sums, setup) for name, sums in rules[family].items()}
        winner = max(found, key=lambda name: float(found[name][:, -1].mean()))
        rows[f"{family} ({winner})"] = found[winner]
        best = found[winner] if best is None else best
    rows |= {name: rois(sums, setup) for name, sums in rules["plain"].items()}
    assert best is not None
    made = Table("rule", title=f"ROI in millionths, set-up {setup:,}")
    for n in AFTER:
        made.add_column("all tests" if n is None else f"{n:,} tests", justify="right")
    for heading in ("share, 100", "share, all"):
        made.add_column(heading, justify="right")
    for name, roi in rows.items():
        figures = [_with_error(column) for column in roi.T]
        shares = [_share(roi[:, column], best[:, column]) for column in (0, -1)]
        made.add_row(name, *figures, *shares)
    return made


def _with_error(entries: FloatArray) -> str:
    return f"{entries.mean():.4f} +- {_error(entries):.4f}"


def _share(roi: FloatArray, best: FloatArray) -> str:
    """The ratio of the means on the same tests, and its standard error."""
    share = roi.mean() / best.mean()
    return f"{share:.3f} +- {_error(roi - share * best) / abs(best.mean()):.3f}"


def _error(entries: FloatArray) -> float:
    return float(entries.std(ddof=1) / np.sqrt(len(entries)))


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.upworthy",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("path", type=Path, help="upworthy_pairs.csv")
    parser.add_argument("--streams", type=int, default=50, help="at least 2")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument(
        "--held-out", action="store_true", help="a half of the tests, the same each time"
    )
    parser.add_argument("--null", action="store_true", help="clicks fall to arms at random")
    arguments = parser.parse_args()
    if arguments.streams < 2:
        parser.error(f"--streams must be at least 2, got {arguments.streams}")
    tests = Tests.read(arguments.path)
    if arguments.held_out:
        tests = tests.held_out()
    rules, learners = run_streams(tests, arguments.streams, arguments.seed, arguments.null)
    console = Console(width=160)
    console.print(
        f"{len(tests):,} tests of {tests.usable.sum():,} pairs to decide by, and "
        f"{tests.lengths.sum() - tests.usable.sum():,} to score with; {arguments.streams} streams."
    )
    for setup in SETUP_COSTS:
        console.print(table(setup, rules, learners))


if __name__ == "__main__":
    main()
