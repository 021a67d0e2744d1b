"""What no command shows whole: the theory, single figures, progress and dying workers."""

import io
import os
import sys
from dataclasses import replace
from math import inf, log, sqrt

import click
import numpy as np
import pytest

import dwell
from dwell.cli.output import progress
from dwell.cli.running import executor_of
from dwell.lab.theory import regret_bound, roi_gap
from dwell.report.charts import boundaries
from dwell.report.simulation import simulated_row


def cape(tasks: int, bound: float = 1.0) -> dwell.Cape:
    policies = dwell.hoeffding([1, 2], c=0.35, tasks=tasks, delta=0.05)
    return dwell.Cape(policies, tasks=tasks, bound=bound, announce=False)


def test_a_wide_gap_gives_the_bound_of_elimination() -> None:
    """Lemma 7, with the constant 288."""
    logarithm = log(4 * 2 * 10**6 / 0.05)
    enough = 288 * (2 / 0.2) ** 2 * logarithm + 1
    assert regret_bound(cape(10**9), gap=0.2) == pytest.approx(5 * enough / 10**9)


@pytest.mark.parametrize("gap", [0.0, 0.001])
def test_a_narrow_gap_gives_the_bound_of_committing(gap: float) -> None:
    """Lemma 8, also where two policies are equally good."""
    logarithm = log(4 * 2 * 10**6 / 0.05)
    expected = 3 * sqrt(8 * logarithm / 10**6) + 5 * 10**6 / 10**9
    assert regret_bound(cape(10**9), gap=gap) == pytest.approx(expected)


def test_the_bound_scales_with_the_observations() -> None:
    """Twice as large observations and gaps mean twice the regret."""
    for gap in (0.001, 0.2):
        assert regret_bound(cape(10**9, bound=2.0), gap=2 * gap) == pytest.approx(
            2 * regret_bound(cape(10**9), gap=gap)
        )


def test_a_policy_without_rivals_has_an_infinite_gap() -> None:
    """There is nothing to tell it from."""
    world = dwell.World(dwell.Atoms([1.0]), dwell.Signs())
    assert roi_gap(dwell.exact(dwell.first_sample(), world)) == inf


def test_a_rows_note_is_about_the_choice_that_it_shows() -> None:
    """Where rejecting everything is the commonest end, it says why, though most runs chose."""
    policies = dwell.hoeffding([1, 2, 4], c=0.35, tasks=100, delta=0.05)
    world = dwell.World(dwell.Atoms([-1.0]), dwell.Signs())
    rejecting = dwell.simulate(dwell.Ladder(policies), world, tasks=1, rng=0)
    choosing = [
        replace(rejecting, known=replace(rejecting.known, chosen=index, note=""))
        for index in range(3)
    ]
    row = simulated_row("ladder", [*choosing, rejecting, rejecting], tasks=1)
    assert (row.chosen_cap, row.chosen_share, row.regret_bound) == (None, 0.4, None)
    assert row.note.endswith("everything is rejected")


def test_boundaries_that_are_not_looked_at_are_not_drawn() -> None:
    """Lines go from look to look; where one of the two cannot be crossed it has a gap."""
    figure = boundaries(dwell.Policy([-inf, -inf, -1, -inf, 1], [inf, 2, inf, inf, 1]))
    assert [list(line.x) for line in figure.data] == [[2, 3, 5]] * 2
    assert [list(line.y) for line in figure.data] == [[2.0, None, 1.0], [None, -1.0, 1.0]]


@pytest.mark.parametrize("seed", range(5))
def test_boundaries_for_signs_are_drawn_smoothly_and_stop_the_same_sums(seed: int) -> None:
    """Of all boundaries that stop the same sums, those that jump least from look to look."""
    best = dwell.oracle(dwell.World(dwell.Beta(2 + seed, 5), dwell.Signs()), 40, 5.0).policy
    plain, smooth = boundaries(best), boundaries(best, signs=True)
    jumps = []
    for above, drawn, line in ((True, smooth, 0), (False, smooth, 1), (True, plain, 0)):
        given = best.upper if above else best.lower
        counts, edges = drawn.data[line].x[:-1], drawn.data[line].y[:-1]
        for count, edge in zip(counts, edges, strict=True):
            sums = np.arange(-count, count + 1, 2)
            stop = given[count - 1]
            stopped = sums >= stop if above else sums <= stop
            missing = np.zeros(len(sums), dtype=np.bool_)
            found = missing if edge is None else sums >= edge if above else sums <= edge
            assert found.tolist() == stopped.tolist()
        crossed = [edge for edge in edges if edge is not None]
        jumps.append(np.abs(np.diff(crossed)).sum())
    assert jumps[0] <= jumps[2]


def test_a_terminal_gets_a_bar(monkeypatch: pytest.MonkeyPatch) -> None:
    """On a terminal progress is drawn, not written as a line."""

    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    with progress("simulating 2 runs", 2) as advance:
        advance()
        advance()
    assert "simulating 2 runs" in terminal.getvalue()
    assert "simulating 2 runs…" not in terminal.getvalue()


def test_a_worker_that_dies_is_an_error_in_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    """A process that the system kills, for want of memory say, leaves no traceback."""
    monkeypatch.setattr(os, "cpu_count", lambda: 2)

    def lose_a_worker() -> None:
        with executor_of(2) as executor:
            assert executor is not None
            executor.submit(os._exit, 1).result()

    with pytest.raises(click.ClickException, match="use fewer --workers"):
        lose_a_worker()
