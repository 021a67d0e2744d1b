"""Views: how results show themselves.

A result is found here by its name, so that the view of one loads nothing that others need.
"""

from importlib import import_module
from typing import Any

from dwell.report.views.view import View

_VIEWS = {
    "dwell.table.Table": "exact.TableView",
    "dwell.optimum.Optimum": "exact.OptimumView",
    "dwell.lab.run.Run": "simulation.RunView",
    "dwell.lab.replicate.Summary": "simulation.SummaryView",
    "dwell.planning.comparison.Plan": "planning.PlanView",
    "dwell.fitting.prior.FittedPrior": "planning.PriorView",
    "dwell.report.evaluation.report.Report": "evaluation.ReportView",
    "dwell.learners.learner.Knowledge": "learned.KnowledgeView",
    "dwell.learners.pool_knowledge.PoolKnowledge": "learned.PoolView",
    "dwell.programme.programme.Programme": "programme.ProgrammeView",
    "dwell.programme.task.Task": "programme.TaskView",
}


def view_of(result: object) -> View[Any]:
    """How a result shows itself."""
    names = (f"{kind.__module__}.{kind.__qualname__}" for kind in type(result).__mro__)
    module, name = next(_VIEWS[each] for each in names if each in _VIEWS).split(".")
    view: View[Any] = getattr(import_module(f"{__name__}.{module}"), name)(result)
    return view
