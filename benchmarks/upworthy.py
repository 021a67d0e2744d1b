"""Ladder on real headline tests: `python -m benchmarks.upworthy upworthy_pairs.csv`.

The file holds one pair of arms per test and row, in order of time, with the columns `test,
test_week, n_c, x_c, n_t, x_t`: impressions and clicks of control and treatment. It is made from
Matias, Munger, Aubin Le Quere, Ebersole (2021), The Upworthy Research Archive, Scientific Data
8:195, CC BY 4.0 (exploratory part; filtered and paired), and is no part of this repository.

A replay takes the tests in the order of the file. The clicks of each arm are put in random order
and paired: an observation is a click of the treatment minus one of the control, -1, 0 or 1, and
there are as many as the shorter arm has impressions. Given the counts, every order is equally
likely if visitors are exchangeable, so a replay is as good as the order that was not recorded.

The rules, alike for all:
- The last fifth of each test is for scoring only: what is accepted earns the mean of these
  observations, whoever accepts it. Nobody sees them before.
- A test costs 1000 and its samples; those that Ladder takes after an acceptance count as well.
- A test ends with the four fifths before. A policy that wants to go on then rejects. Where fewer
  samples are left after an acceptance than Ladder wants, it gets those, one at least: their mean
  is unbiased too.

So all tests serve, with all caps. Policies are those of the suite's `headlines`, caps 64 to 4096.
Their width assumes a click rate of 1.2 %, which is the archive's: known beforehand, as a publisher
knows it, but known from these data.

The best fixed policy is the one with the highest ROI over the same replays, in hindsight. Standard
errors are over replays of the same tests: they do not say what other tests would give.
"""

import argparse
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np
from rich.console import Console
from rich.table import Table

from dwell import Ladder, Policies, scan
from dwell.arrays import BoolArray, Durations, FloatArray, IntArray
from dwell.lab.suite import suite
from dwell.learners.design import Design
from dwell.outcomes import Outcomes
from dwell.records import Records

SCORED = 0.2  # the last part of each test, for scoring only
NORMAL_QUANTILE = 1.959964  # two-sided, 5 %


@dataclass(frozen=True, slots=True)
class Tests:
    """The tests, in order of time: an entry each.

    Attributes:
        week: When it was, as year and week.
        arms: Impressions and clicks of control and of treatment.
        lengths: How many pairs of observations there are.
        usable: How many of them come before those that only score.
    """

    week: IntArray
    arms: tuple[tuple[IntArray, IntArray], tuple[IntArray, IntArray]]
    lengths: IntArray
    usable: IntArray

    @classmethod
    def read(cls, path: Path) -> "Tests":
        """The tests of a file, in its order."""
        rows = np.loadtxt(path, delimiter=",", skiprows=1, dtype=np.int64)
        _, week, control, control_clicks, treatment, treatment_clicks = rows.T
        lengths = np.minimum(control, treatment)
        arms = (control, control_clicks), (treatment, treatment_clicks)
        usable = lengths - np.ceil(SCORED * lengths).astype(np.int64)
        return cls(week, arms, lengths, usable)

    def __len__(self) -> int:
        return len(self.lengths)


class Replay:
    """All tests once, the observations of each in a random order."""

    def __init__(self, tests: Tests, rng: np.random.Generator):
        ends = np.cumsum(tests.lengths)
        starts = ends - tests.lengths
        observations = np.zeros(ends[-1], dtype=np.int8)
        control, treatment = (_clicks(tests, arm, starts, rng) for arm in tests.arms)
        observations[treatment] += 1
        observations[control] -= 1
        # Where each test stands in the line of observations, and sums up to each of them.
        self._starts, self._usable = starts, tests.usable
        self._sums = np.concatenate([[0], np.cumsum(observations, dtype=np.int32)])
        self._observations = observations
        scored = tests.lengths - tests.usable
        self.score: FloatArray = (self._sums[ends] - self._sums[ends - scored]) / scored

    def outcomes(self, policies: Policies, first: int, last: int) -> Outcomes:
        """What policies do on tests `first` to `last`; a test that ends undecided is rejected."""
        # At least one sample is left for an estimate.
        lengths = self._usable[first:last] - 1
        begins = self._starts[first:last]
        line = np.concatenate(
            [self._observations[b : b + n] for b, n in zip(begins, lengths, strict=True)]
        )
        outcomes = scan(line, policies, lengths)
        return Outcomes(outcomes.durations, np.maximum(outcomes.decisions, 0))

    def records(self, design: Design, first: int, last: int) -> Records:
        """What tests `first` to `last` teach about the policies of a design."""
        assert len(design.policies.chains) == 1
        outcomes = self.outcomes(design.policies, first, last)
        # Policies that differ only in their caps accept at the same moment, if at all.
        stops = outcomes.durations[:, -1].astype(np.int64)
        accepted = outcomes.decisions[:, -1] == 1
        after = np.where(accepted, np.minimum(design.extras, self._usable[first:last] - stops), 0)
        estimates = None
        if design.extras:
            begins = self._starts[first:last] + stops
            sums = self._sums[begins + after] - self._sums[begins]
            estimates = (sums / np.maximum(after, 1))[:, None]
        return Records(outcomes.durations, outcomes.decisions, estimates, stops + after)

    def whole(self) -> tuple[IntArray, IntArray]:
        """Sums and sums of squares of all that a test has but for what only scores."""
        begins, ends = self._starts, self._starts + self._usable
        squares = np.concatenate([[0], np.cumsum(np.abs(self._observations), dtype=np.int32)])
        return self._sums[ends] - self._sums[begins], squares[ends] - squares[begins]


def _clicks(
    tests: Tests, arm: tuple[IntArray, IntArray], starts: IntArray, rng: np.random.Generator
) -> IntArray:
    """Where the clicks of an arm fall in the line of all observations."""
    found: list[IntArray] = []
    for impressions, clicks, start, length in zip(*arm, starts, tests.lengths, strict=True):
        places = rng.choice(impressions, clicks, replace=False, shuffle=False)
        found.append(start + places[places < length])
    return np.concatenate(found)


class Score(NamedTuple):
    """What a rule came to in one replay.

    Attributes:
        roi: Reward per cost.
        accept_rate: The share of tests that it accepts.
        samples: The samples that it takes, per test.
    """

    roi: float
    accept_rate: float
    samples: float

    @classmethod
    def of(
        cls,
        accepted: BoolArray,
        samples: IntArray | Durations,
        score: FloatArray,
        setup_cost: float,
    ) -> "Score":
        """The score of decisions."""
        cost = float(samples.mean()) + setup_cost
        roi = float((accepted * score).mean()) / cost
        return cls(roi, float(accepted.mean()), float(samples.mean()))


@dataclass(frozen=True, slots=True)
class LadderRun:
    """Ladder in one replay.

    Attributes:
        score: What it came to.
        chosen: The policy that it has chosen in the end; None while everything is rejected.
        rejecting: In which share of the tests it rejected everything.
        eliminated: How many policies it has eliminated.
    """

    score: Score
    chosen: int | None
    rejecting: float
    eliminated: int


def run_ladder(replay: Replay, policies: Policies, setup_cost: float) -> LadderRun:
    """Let Ladder run through the tests; it is told nothing but the records that it plans for."""
    learner = Ladder(policies, setup_cost=setup_cost)
    tests = len(replay.score)
    accepted, samples = np.zeros(tests, dtype=np.bool_), np.zeros(tests, dtype=np.int64)
    done = rejecting = 0
    while done < tests:
        design = learner.begin(tests - done)
        assert design is not None  # Ladder never runs out of designs
        last = done + design.tasks
        records = replay.records(design, done, last)
        accepted[done:last] = design.accepted(records)
        samples[done:last] = records.drawn
        rejecting += 0 if design.accepts else last - done
        assert learner.learn(design, records) == last - done
        done = last
    known = learner.knowledge()
    score = Score.of(accepted, samples, replay.score, setup_cost)
    eliminated = len(policies) - len(known.candidates)
    return LadderRun(score, known.chosen, rejecting / tests, eliminated)


def score_rules(
    replay: Replay, tests: Tests, policies: Policies, setup_cost: float
) -> dict[str, Score]:
    """Rules that never learn: every policy, and two that use all there is."""
    outcomes = replay.outcomes(policies, 0, len(tests))
    scores = {
        f"cap {cap}": Score.of(
            outcomes.decisions[:, k] == 1, outcomes.durations[:, k], replay.score, setup_cost
        )
        for k, cap in enumerate(policies.caps)
    }
    sums, squares = replay.whole()
    variance = squares - sums**2 / tests.usable
    rules = {
        "run to the end, sum > 0": sums > 0,
        "run to the end, p < 0.05": sums > NORMAL_QUANTILE * np.sqrt(variance),
    }
    for name, accepted in rules.items():
        scores[name] = Score.of(accepted, tests.usable, replay.score, setup_cost)
    return scores


def replays(tests: Tests, count: int, seed: int) -> Iterator[Replay]:
    for number, child in enumerate(np.random.SeedSequence(seed).spawn(count), start=1):
        print(f"\rreplay {number} of {count}", end="", file=sys.stderr, flush=True)
        yield Replay(tests, np.random.default_rng(child))
    print(file=sys.stderr)


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.upworthy",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("path", type=Path, help="upworthy_pairs.csv")
    parser.add_argument("--shuffles", type=int, default=50, help="replays, at least 2")
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    if arguments.shuffles < 2:
        parser.error(f"--shuffles must be at least 2, got {arguments.shuffles}")
    headlines = suite()[-1]
    policies, setup_cost = headlines.policies, headlines.setup_cost
    tests = Tests.read(arguments.path)
    ladders: list[LadderRun] = []
    rules: dict[str, list[Score]] = {}
    for replay in replays(tests, arguments.shuffles, arguments.seed):
        ladders.append(run_ladder(replay, policies, setup_cost))
        for name, score in score_rules(replay, tests, policies, setup_cost).items():
            rules.setdefault(name, []).append(score)
    scores = {name: np.array(found) for name, found in rules.items()}
    console = Console(width=100)
    _say_what_was_run(console, tests, policies)
    console.print(_table({"Ladder": np.array([run.score for run in ladders]), **scores}, policies))
    _say_what_ladder_did(console, ladders, policies)


def _say_what_was_run(console: Console, tests: Tests, policies: Policies) -> None:
    backward = int((np.diff(tests.week) < 0).sum())
    too_short = {cap: int((tests.usable <= cap).sum()) for cap in policies.caps}
    console.print(
        f"{len(tests)} tests, all used, in the order of the file: weeks {tests.week[0]} to "
        f"{tests.week[-1]}, {backward} rows in an earlier week than the row before.\n"
        f"{tests.lengths.sum()} observations, {tests.usable.sum()} to decide by, the others to "
        "score with.\n"
        "Tests that end before a cap: "
        + ", ".join(f"{count} ({cap})" for cap, count in too_short.items() if count)
    )


def _table(scores: dict[str, FloatArray], policies: Policies) -> Table:
    """A row per rule, with mean and standard error over replays; ROI in millionths."""
    fixed = [f"cap {cap}" for cap in policies.caps]
    best = max(fixed, key=lambda name: scores[name][:, 0].mean())
    in_each = np.max([scores[name][:, 0] for name in fixed], axis=0)
    table = Table("rule", title="Reward per cost on samples that no decision saw")
    for heading in ("ROI, millionths", "share of best", "accepts, %", "samples"):
        table.add_column(heading, justify="right")
    for name, entries in scores.items():
        roi, accept_rate, samples = entries.T
        table.add_row(
            f"{name}, best fixed policy" if name == best else name,
            _with_error(1e6 * roi, ".3f"),
            _share(roi, scores[best][:, 0]),
            _with_error(100.0 * accept_rate, ".2f"),
            _with_error(samples, ".0f"),
        )
    table.add_row(
        "each replay's own best cap",
        _with_error(1e6 * in_each, ".3f"),
        _share(in_each, scores[best][:, 0]),
    )
    return table


def _with_error(entries: FloatArray, form: str) -> str:
    return f"{entries.mean():{form}} +- {_error(entries):{form}}"


def _share(roi: FloatArray, best: FloatArray) -> str:
    """The ratio of the means, and its standard error: both come from the same replays."""
    share = roi.mean() / best.mean()
    return f"{share:.3f} +- {_error(roi - share * best) / abs(best.mean()):.3f}"


def _error(entries: FloatArray) -> float:
    return float(entries.std(ddof=1) / np.sqrt(len(entries)))


def _say_what_ladder_did(console: Console, ladders: list[LadderRun], policies: Policies) -> None:
    ends = Counter(run.chosen for run in ladders)
    named = [
        f"{count} x {'reject everything' if k is None else f'cap {policies.caps[k]}'}"
        for k, count in ends.most_common()
    ]
    console.print(
        f"Ladder's choice at the end: {', '.join(named)}.\n"
        "Tests during which it rejected everything: "
        f"{_with_error(100.0 * np.array([run.rejecting for run in ladders]), '.1f')} %.\n"
        f"Policies eliminated: {np.mean([run.eliminated for run in ladders]):.1f} of "
        f"{len(policies)}."
    )


if __name__ == "__main__":
    main()
