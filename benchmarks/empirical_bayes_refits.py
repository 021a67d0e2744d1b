"""A run of EmpiricalBayes against 40 refits and a run of Ladder on as many tests.

Its refits are what the run must take; there are 37 in 10,000 tests. The rival refits 40 times at
1,000 tests, as the learner of the run would, and lets Ladder draw, scan and record in the same
world. So ours may spend on drawing, verifying and bookkeeping what Ladder does, and three refits.
"""

from collections.abc import Iterator

from benchmarks.duel import Asked, Duel
from dwell import EmpiricalBayes, Ladder, Signs, simulate
from dwell.lab.suite import Instance, suite

TASKS = 10_000
_CAP, _REFITS, _TESTS_AT_REFIT = 256, 40, 1_000


def duels() -> Iterator[Duel]:
    [mostly_null] = (each for each in suite() if str(each) == "mostly-null, set-up cost 20")
    yield _against_refits("empirical-bayes/refits-and-ladder", mostly_null, guard=True)
    yield _against_refits("empirical-bayes/refits-and-ladder/no-guard", mostly_null, guard=False)


def _against_refits(name: str, instance: Instance, *, guard: bool) -> Duel:
    learner = EmpiricalBayes(
        Signs(), _CAP, setup_cost=instance.setup_cost, guard=guard, drift=False
    )
    fitted = simulate(learner, instance.world, _TESTS_AT_REFIT, rng=0).learner
    assert isinstance(fitted, EmpiricalBayes)
    ladder = Ladder(instance.policies, setup_cost=instance.setup_cost)

    def refits_and_ladder() -> None:
        for _ in range(_REFITS):
            fitted._chooser.begin_round(fitted.state)
            fitted.state.rounds.pop()
        simulate(ladder, instance.world, TASKS, rng=0, sampled=True)

    return Duel(
        name=name,
        ours=lambda: simulate(learner, instance.world, TASKS, rng=0, sampled=True),
        rival=refits_and_ladder,
        work=1,
        unit="run",
        asked=Asked(1.0, of="time"),
    )
