"""Contestants: the learners that are compared on the suite, by name."""

from collections.abc import Callable

from dwell.lab.suite import DELTA, Instance
from dwell.learners.baselines import ExploreThenCommit, Fixed
from dwell.learners.cape import Cape
from dwell.learners.cape_sharp import CapeSharp
from dwell.learners.ladder import Ladder
from dwell.learners.learner import Learner

# Makes a learner for an instance and a number of tasks. Observations of the suite lie in [-1, 1].
Contestant = Callable[[Instance, int], Learner]

CONTESTANTS: dict[str, Contestant] = {
    "ladder": lambda instance, _: Ladder(
        instance.policies, delta=DELTA, setup_cost=instance.setup_cost
    ),
    "cape": lambda instance, tasks: Cape(
        instance.policies,
        tasks=tasks,
        delta=DELTA,
        setup_cost=instance.setup_cost,
        announce=False,  # a guarantee that is vacuous at these sizes is no news here
    ),
    "cape-sharp": lambda instance, tasks: CapeSharp(
        instance.policies, tasks=tasks, delta=DELTA, setup_cost=instance.setup_cost
    ),
    "etc": lambda instance, tasks: ExploreThenCommit(
        instance.policies, tasks=tasks, delta=DELTA, setup_cost=instance.setup_cost
    ),
    "longest": lambda instance, _: Fixed(instance.policies, setup_cost=instance.setup_cost),
}
