"""How long should we dwell on each idea before we ship it or drop it?

`dwell` learns, over a stream of tests, the stopping policy that earns the most per unit of testing.
Names are loaded when they are first used, so that importing the package costs nothing.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dwell import estimate as estimate
    from dwell import rules as rules
    from dwell.errors import CannotWrite as CannotWrite
    from dwell.errors import DwellError as DwellError
    from dwell.errors import InvalidInput as InvalidInput
    from dwell.errors import LooksAhead as LooksAhead
    from dwell.errors import MissingExtra as MissingExtra
    from dwell.errors import NothingWorthTesting as NothingWorthTesting
    from dwell.errors import NotOrdered as NotOrdered
    from dwell.errors import UncertainPrior as UncertainPrior
    from dwell.errors import VacuousGuarantee as VacuousGuarantee
    from dwell.families import Countable as Countable
    from dwell.families import banded as banded
    from dwell.families import first_sample as first_sample
    from dwell.families import fixed as fixed
    from dwell.families import hoeffding as hoeffding
    from dwell.fitting.counts import Lifts as Lifts
    from dwell.fitting.counts import effects_from_counts as effects_from_counts
    from dwell.fitting.prior import FittedPrior as FittedPrior
    from dwell.fitting.prior import fit_prior as fit_prior
    from dwell.history.reading.log import Log as Log
    from dwell.history.reading.sources import Query as Query
    from dwell.history.replay.current_rule import AtEnd as AtEnd
    from dwell.lab.replicate import Summary as Summary
    from dwell.lab.replicate import replicate as replicate
    from dwell.lab.run import Run as Run
    from dwell.lab.run import simulate as simulate
    from dwell.laws import Gaussian as Gaussian
    from dwell.laws import Lift as Lift
    from dwell.laws import Signs as Signs
    from dwell.learners.baselines import ExploreThenCommit as ExploreThenCommit
    from dwell.learners.baselines import Fixed as Fixed
    from dwell.learners.cape import Cape as Cape
    from dwell.learners.cape_sharp import CapeSharp as CapeSharp
    from dwell.learners.esc import Esc as Esc
    from dwell.learners.esc_cape import EscCape as EscCape
    from dwell.learners.ladder import Ladder as Ladder
    from dwell.objectives import g1 as g1
    from dwell.objectives import g2 as g2
    from dwell.objectives import g3 as g3
    from dwell.optimum import Optimum as Optimum
    from dwell.optimum import oracle as oracle
    from dwell.outcomes import Outcomes as Outcomes
    from dwell.outcomes import scan as scan
    from dwell.policies import Policies as Policies
    from dwell.policy import Policy as Policy
    from dwell.priors import Atoms as Atoms
    from dwell.priors import Beta as Beta
    from dwell.priors import Normal as Normal
    from dwell.report.evaluation.report import Report as Report
    from dwell.report.evaluation.report import evaluate as evaluate
    from dwell.rule import Rule as Rule
    from dwell.table import Table as Table
    from dwell.table import best_of as best_of
    from dwell.table import exact as exact
    from dwell.world import World as World

__version__ = "0.1.0"

_HOMES = {
    "errors": [
        "CannotWrite",
        "DwellError",
        "InvalidInput",
        "LooksAhead",
        "MissingExtra",
        "NotOrdered",
        "NothingWorthTesting",
        "UncertainPrior",
        "VacuousGuarantee",
    ],
    "families": ["Countable", "banded", "first_sample", "fixed", "hoeffding"],
    "fitting.counts": ["Lifts", "effects_from_counts"],
    "fitting.prior": ["FittedPrior", "fit_prior"],
    "history.replay.current_rule": ["AtEnd"],
    "history.reading.log": ["Log"],
    "history.reading.sources": ["Query"],
    "lab.replicate": ["Summary", "replicate"],
    "lab.run": ["Run", "simulate"],
    "laws": ["Gaussian", "Lift", "Signs"],
    "learners.baselines": ["ExploreThenCommit", "Fixed"],
    "learners.cape": ["Cape"],
    "learners.cape_sharp": ["CapeSharp"],
    "learners.esc": ["Esc"],
    "learners.esc_cape": ["EscCape"],
    "learners.ladder": ["Ladder"],
    "objectives": ["g1", "g2", "g3"],
    "optimum": ["Optimum", "oracle"],
    "outcomes": ["Outcomes", "scan"],
    "policies": ["Policies"],
    "policy": ["Policy"],
    "priors": ["Atoms", "Beta", "Normal"],
    "report.evaluation.report": ["Report", "evaluate"],
    "rule": ["Rule"],
    "table": ["Table", "best_of", "exact"],
    "world": ["World"],
}
_PACKAGES = ["estimate", "rules"]
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}
__all__ = sorted(_HOME_OF)


def __getattr__(name: str) -> object:
    if name in _PACKAGES:
        return import_module(f"dwell.{name}")
    if name not in _HOME_OF:
        raise AttributeError(f"module 'dwell' has no attribute {name!r}")
    value: object = getattr(import_module(f"dwell.{_HOME_OF[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return [*globals(), *_HOME_OF, *_PACKAGES]
