"""What `evaluate` advises, on tests that it has not seen: `python -m benchmarks.unseen [path]`.

With a path to `upworthy_pairs.csv` (see `benchmarks.upworthy`) its tests are cut in random halves:
a rule is chosen by `dwell.evaluate` on one, and scored here on the other. Without, on made-up
histories: chosen on a log of 100 or 1,000 tests, scored on 5,000 others of the same world, whose
values are known.

The scores share no code with `evaluate`: clicks are put in orders of their own, sums and noise are
formed in plain NumPy, and what is shipped earns the difference of the rates of all later users.
Rules see the first four fifths of a test, ship what is ahead where those end, and pay for what they
see. Within each family the rule is chosen as `evaluate` chooses among all. The best in hindsight is
the rule with the highest score on the very tests that score it.
"""

import argparse
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from math import isinf
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pyarrow as pa

from dwell import Atoms, Gaussian, Normal, World, evaluate
from dwell.arrays import BoolArray, FloatArray, IntArray
from dwell.history.datasets.synthetic_log import generate
from dwell.history.replay.evaluation import evaluated
from dwell.priors import Prior
from dwell.report.evaluation.report import Report
from dwell.sparse_policy import SparsePolicy
from dwell.two_limits import TwoLimits

SETUPS = (0, 100, 1_000, 10_000)
SHARE = 0.2  # of each test, for scoring only
FAMILIES: dict[str, Callable[[TwoLimits], bool]] = {
    "bands, undecided dropped": lambda rule: isinf(rule.at_cap) and not rule.looks_once,
    "bands with a first look": lambda rule: (
        rule.shape == "constant" and not rule.looks_once and not isinf(rule.at_cap)
    ),
    "shrinking limits": lambda rule: rule.shape == "shrinking",
    "fixed sizes": lambda rule: rule.looks_once and not rule.at_cap,
    "fixed size + threshold": lambda rule: rule.looks_once and rule.at_cap > 0.0,
    "group-sequential": lambda rule: rule.shape == "root",
}
_SAMPLES = 1_000
_ORDERS = 3
_OTHERS = 5_000
PRIORS: dict[str, Prior] = {
    "normal": Normal(-0.02, 0.1),
    "fat-tailed": Atoms(
        [-1.0, -0.3, -0.1, -0.03, 0.0, 0.03, 0.1, 0.3, 1.0],
        [0.005, 0.03, 0.12, 0.2, 0.3, 0.2, 0.11, 0.03, 0.005],
    ),
    "rare wins": Atoms([-0.03, 0.3], [0.96, 0.04]),
    "mostly null": Atoms([-0.1, 0.0, 0.1], [0.1, 0.85, 0.05]),
    "even": Atoms([-0.1, 0.1]),
}


@dataclass(frozen=True, slots=True)
class Seen:
    """Tests at looks, a row each; the last look is where what may be seen ends.

    Attributes:
        samples: The samples at each look; the last repeats where there are no more.
        ahead: Standard errors above 0.
        earned: What is earned by shipping then.
        last: The look at which each test ends.
    """

    samples: IntArray
    ahead: FloatArray
    earned: FloatArray
    last: IntArray

    def sums(self, rule: TwoLimits, looks: IntArray) -> tuple[float, float]:
        """What a rule earns in all tests, and how many samples it draws."""
        tests = np.arange(len(self.last))
        ends: BoolArray = np.arange(self.samples.shape[1]) == self.last[:, None]
        due = np.isin(self.samples, looks)
        over = self.samples >= rule.cap
        width = np.ones(self.samples.shape)
        if rule.shape == "shrinking":
            width = np.maximum(1.0 - self.samples / rule.cap, 0.0)
        elif rule.shape == "root":
            width = np.sqrt(rule.cap / self.samples)
        with np.errstate(invalid="ignore"):  # infinite limits of no width are not looked at
            up, down = rule.ship * width, -rule.drop * width
        decided = np.where(over, self.ahead > rule.at_cap, self.ahead > rule.at_end)
        forced = over | ends
        shipped = np.where(forced, decided, due & (self.ahead >= up))
        stop = (forced | (due & ((self.ahead >= up) | (self.ahead <= down)))).argmax(axis=1)
        ships = shipped[tests, stop]
        return float((ships * self.earned[tests, stop]).sum()), float(
            self.samples[tests, stop].sum()
        )


def counted(rows: IntArray, grid: IntArray, rng: np.random.Generator) -> Seen:
    """Tests known by users and ones of both arms, each in a few orders that are drawn here."""
    rows = np.repeat(rows, _ORDERS, axis=0)
    lengths = np.minimum(rows[:, 0], rows[:, 2])
    visible = lengths - np.ceil(SHARE * lengths).astype(np.int64)
    samples = np.minimum(grid, visible[:, None])
    before = np.empty((2, *samples.shape))
    for arm, (users, ones) in enumerate(((rows[:, 0], rows[:, 1]), (rows[:, 2], rows[:, 3]))):
        left_users, left_ones, had = users.copy(), ones.copy(), np.zeros(len(rows), dtype=np.int64)
        for look in range(samples.shape[1]):
            more = samples[:, look] - (samples[:, look - 1] if look else 0)
            drawn = rng.hypergeometric(left_ones, left_users - left_ones, more)
            had += drawn
            left_users, left_ones = left_users - more, left_ones - drawn
            before[arm, :, look] = had
    rate = np.maximum(before.sum(axis=0), 1.0) / (2.0 * samples)
    error = np.sqrt(2.0 * rate * (1.0 - rate) / samples)
    lead = (before[1] - before[0]) / samples
    ahead = np.divide(lead, error, out=np.zeros_like(lead), where=error > 0.0)
    rest = [
        (ones[:, None] - had) / (users[:, None] - samples)
        for users, ones, had in (
            (rows[:, 0], rows[:, 1], before[0]),
            (rows[:, 2], rows[:, 3], before[1]),
        )
    ]
    return Seen(samples, ahead, rest[1] - rest[0], (samples < visible[:, None]).sum(axis=1))


def sampled(world: World, tests: int, grid: IntArray, rng: np.random.Generator) -> Seen:
    """Tests of a known world: what is shipped earns its value."""
    visible = round(_SAMPLES * (1.0 - SHARE))
    values = world.sample_values(tests, rng)
    samples = np.broadcast_to(np.minimum(grid, visible), (tests, len(grid)))
    steps = np.diff(samples, axis=1, prepend=0)
    sums = np.cumsum(rng.normal(values[:, None] * steps, np.sqrt(steps)), axis=1)
    ahead = sums / np.sqrt(samples)
    earned = np.broadcast_to(values[:, None], ahead.shape)
    return Seen(samples, ahead, earned, (samples < visible).sum(axis=1))


def shares(
    report: Report, seen: Callable[[IntArray], Seen]
) -> Iterator[tuple[int, dict[str, float]]]:
    """For each set-up cost, ROIs by how the rule was chosen."""
    policies = [each for each in report.found.policies if isinstance(each, SparsePolicy)]
    rules = [each.rule for each in report.replayed.candidates if each.rule is not None]
    grid = np.unique(np.concatenate([each.looks for each in policies]))
    there = seen(grid)
    sums = np.array(
        [there.sums(rule, each.looks) for rule, each in zip(rules, policies, strict=True)]
    )
    longest = TwoLimits.fixed(int(grid[-1]))
    ends = {
        "to the end": there.sums(longest, grid[-1:]),
        "to the end, p < 0.05": there.sums(TwoLimits.fixed(longest.cap, 1.959964), grid[-1:]),
    }
    for setup in SETUPS:
        found = evaluated(report.replayed.replay, report.replayed.current, setup_cost=setup)
        rois = 1e6 * sums[:, 0] / (sums[:, 1] + setup * len(there.last))
        by = {"evaluate": 0.0 if found.best is None else float(rois[found.best])}
        for family, belongs in FAMILIES.items():
            members = np.array([k for k, rule in enumerate(rules) if belongs(rule)])
            if len(members):
                by[family] = float(rois[members[found.ranking[members].argmax()]])
        for name, (earned, paid) in ends.items():
            by[name] = 1e6 * earned / (paid + setup * len(there.last))
        yield setup, by | {"best in hindsight": float(rois.max())}


def halves(path: Path, splits: int, seed: int) -> Iterator[dict[int, dict[str, float]]]:
    """Chosen on a half of the tests, scored on the other."""
    rows = np.loadtxt(path, delimiter=",", skiprows=1, dtype=np.int64)[:, 2:]
    for number, child in enumerate(np.random.SeedSequence(seed).spawn(splits), start=1):
        print(f"\rsplit {number} of {splits}", end="", file=sys.stderr, flush=True)
        rng = np.random.default_rng(child)
        order = rng.permutation(len(rows))
        one, other = order[: len(rows) // 2], order[len(rows) // 2 :]
        columns = dict(zip(("n_c", "x_c", "n_t", "x_t"), rows[one].T, strict=True))
        report = evaluate(pa.table({"test": one, **columns}), setup_cost=SETUPS[2])
        yield dict(shares(report, lambda grid: counted(rows[other], grid, rng)))  # noqa: B023 - it is called before these change
    print(file=sys.stderr)


def made_up(
    prior: Prior, tests: int, repeats: int, seed: int
) -> Iterator[dict[int, dict[str, float]]]:
    """Chosen on made-up tests, scored on others of the same world."""
    world = World(prior, Gaussian(1.0))
    for repeat in range(repeats):
        rng = np.random.default_rng([seed, repeat])
        with TemporaryDirectory() as folder:
            log = Path(folder, "log.parquet")
            generate(
                log,
                form="raw",
                tests=tests,
                length=_SAMPLES,
                prior=prior,
                law=Gaussian(1.0),
                seed=seed + repeat,
            )
            report = evaluate(log, setup_cost=SETUPS[2])
        yield dict(shares(report, lambda grid: sampled(world, _OTHERS, grid, rng)))  # noqa: B023 - it is called before these change


def told(title: str, found: list[dict[int, dict[str, float]]]) -> None:
    """A table: mean ROIs over splits, their standard errors, and shares of the best family."""
    print(f"\n{title}: ROI in millionths, +- its standard error over {len(found)} splits")
    for setup in SETUPS:
        means = {
            name: np.array([each[setup].get(name, 0.0) for each in found])
            for name in found[0][setup]
        }
        best = max(float(means[name].mean()) for name in FAMILIES if name in means)
        print(f"  set-up {setup:,}")
        for name, rois in means.items():
            error = rois.std(ddof=1) / np.sqrt(len(rois)) if len(rois) > 1 else 0.0
            share = f"{rois.mean() / best:8.3f}" if best > 0.0 else "       -"
            print(f"    {name:<26} {rois.mean():>10.4f} +- {error:.4f} {share}")


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.unseen",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("path", type=Path, nargs="?", help="upworthy_pairs.csv; else made-up tests")
    parser.add_argument("--splits", type=int, default=50)
    parser.add_argument("--tests", type=int, nargs="*", default=[100, 1_000], help="made-up ones")
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    if arguments.path is not None and not arguments.path.exists():
        print(f"{arguments.path} is not there: nothing is scored on it")
    elif arguments.path is not None:
        told("Unseen halves", list(halves(arguments.path, arguments.splits, arguments.seed)))
    else:
        for name, prior in PRIORS.items():
            for tests in arguments.tests:
                runs = list(made_up(prior, tests, arguments.splits, arguments.seed))
                told(f"Made up, {name}, {tests:,} tests", runs)


if __name__ == "__main__":
    main()
