"""`simulate` with a thousand times as many tasks, explored for as long."""

from collections.abc import Iterator

from benchmarks.duel import Asked, Duel
from benchmarks.work import THREE_POINTS
from dwell import Cape, Run, hoeffding, simulate
from dwell.table import _stops

_POLICIES = hoeffding(caps=[1, 2, 4, 8], c=0.35, tasks=10_000, delta=0.05)


def run(learner: Cape) -> Run:
    _stops.cache_clear()  # the expectation after the exploration is to be computed, not looked up
    return simulate(learner, THREE_POINTS, tasks=learner.tasks, rng=1)


def duels() -> Iterator[Duel]:
    many, few = (Cape(_POLICIES, tasks=tasks, exploration_cap=20_000) for tasks in (10**12, 10**9))
    yield Duel(
        name="simulate/10^12-vs-10^9",
        ours=lambda: run(many),
        rival=lambda: run(few),
        work=1,
        unit="run",
        asked=Asked(1.2, of="time"),
    )
