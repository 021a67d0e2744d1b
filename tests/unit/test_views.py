"""Results show themselves: in a few lines, in a notebook, as data and as figures."""

import json
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import plotly
import plotly.graph_objects as go
import pyarrow as pa
import pytest

import dwell
from dwell import Batch, InvalidInput
from dwell.report.views import _VIEWS, view_of

SIGNS = dwell.World(dwell.Atoms([-1, 0, 1]), dwell.Signs())
THREE = dwell.hoeffding(caps=[1, 4, 16], c=0.35, tasks=10_000, delta=0.05)


def _summary() -> dwell.Summary:
    return dwell.Summary.of(
        list(dwell.replicate(_ladder(), SIGNS, tasks=50, replications=3, rng=1))
    )


def _ladder() -> dwell.Ladder:
    return dwell.Ladder(THREE, setup_cost=20.0)


def _plan() -> dwell.Plan:
    world = dwell.World(dwell.Normal(-0.002, 0.01), dwell.Gaussian(0.4))
    terms = dwell.Terms(world=world, setup_cost=2000.0, traffic_per_day=1000, max_days=3)
    return dwell.plan(terms, rules=["p05-two-sided"])


def _prior() -> dwell.FittedPrior:
    effects = np.random.default_rng(0).normal(0.0, 0.1, 60)
    return dwell.fit_prior(effects, np.full(60, 0.05))


def _log() -> pa.Table:
    rng = np.random.default_rng(0)
    n = rng.integers(200, 400, 60)
    rates = np.clip(0.3 + rng.normal(0.0, 0.1, 60), 0.0, 1.0)
    arms = {"x_c": rng.binomial(n, 0.3), "x_t": rng.binomial(n, rates)}
    return pa.table({"test": np.arange(60), "n_c": n, "n_t": n, **arms})


@cache
def _programme() -> dwell.Programme:
    created = dwell.Programme.create("memory:", "checkout", law=dwell.Lift(0.1), cap=500)
    blue = created.begin("blue <b>")
    blue.tell(control=Batch(30, 3), treatment=Batch(30, 3))
    created.begin("red")
    return created


def _learned() -> dwell.EmpiricalBayes:
    run = dwell.simulate(dwell.EmpiricalBayes(dwell.Signs(), cap=16), SIGNS, tasks=20, rng=0)
    assert isinstance(run.learner, dwell.EmpiricalBayes)
    return run.learner


RESULTS: dict[str, Callable[[], Any]] = {
    "Table": lambda: dwell.exact(THREE, SIGNS),
    "Optimum": lambda: dwell.oracle(SIGNS, cap=16, setup_cost=1.0),
    "Run": lambda: dwell.simulate(_ladder(), SIGNS, tasks=50, rng=0),
    "Run, computing its limits": lambda: dwell.simulate(
        dwell.EmpiricalBayes(dwell.Signs(), cap=16), SIGNS, tasks=20, rng=0
    ),
    "Summary": _summary,
    "Plan": _plan,
    "FittedPrior": _prior,
    "Report": lambda: dwell.evaluate(_log(), setup_cost=100.0),
    "Report without a set-up cost": lambda: dwell.evaluate(_log()),
    "Knowledge": lambda: dwell.simulate(_ladder(), SIGNS, tasks=50, rng=0).known,
    "Knowledge of no policies": lambda: _learned().knowledge(),
    "PoolKnowledge": lambda: _learned().pool_knowledge(),
    "Programme": _programme,
    "Programme without tests": lambda: dwell.Programme.create(
        "memory:", "empty", policies=dwell.fixed(1, 1)
    ),
    "Task": lambda: _programme().task("blue <b>"),
    "Task without data": lambda: _programme().task("red"),
}


@pytest.fixture(scope="module", params=RESULTS, ids=list(RESULTS))
def result(request: pytest.FixtureRequest) -> Any:
    return RESULTS[request.param]()


def test_every_kind_of_result_is_tried() -> None:
    names = {name.rsplit(".", 1)[1] for name in _VIEWS}
    assert {name.split()[0].rstrip(",") for name in RESULTS} == names


def test_it_says_its_answer_in_a_few_lines(result: Any) -> None:
    said = repr(result)
    assert said == str(result)
    assert 10 < len(said) < 1_500
    assert said.count("\n") < 6
    assert "object at" not in said


def test_a_notebook_shows_it_without_scripts_or_anything_from_elsewhere(result: Any) -> None:
    html = result._repr_html_()
    assert html.startswith('<div class="dwell-result">')
    assert len(html) < 40_000
    assert not [word for word in ("<script", "http:", "https:", "url(", "<b>") if word in html]


def test_its_figures_are_plain_data(result: Any) -> None:
    fields = result.to_dict()
    assert json.loads(json.dumps(fields, allow_nan=False)) == fields
    assert fields


@pytest.mark.parametrize("backend", ["pandas", "polars", "pyarrow"])
def test_its_rows_are_a_data_frame(result: Any, backend: str) -> None:
    frame = result.to_frame(backend)
    assert type(frame).__module__.split(".")[0] == backend
    assert frame.shape[0] == len(view_of(result).rows())


def test_its_figures_have_titles(result: Any) -> None:
    figures = result.figures
    assert result.figure() == next(iter(figures.values()))
    for name, figure in figures.items():
        assert isinstance(figure, go.Figure)
        assert name
        assert figure.layout.title.text


def test_its_figures_need_no_stylesheet(result: Any) -> None:
    for figure in result.figures.values():
        assert "var(--" not in figure.to_json()


def test_figures_are_dark_where_plotly_is(monkeypatch: pytest.MonkeyPatch) -> None:
    table = dwell.exact(THREE, SIGNS)
    light = table.figure().layout.paper_bgcolor
    monkeypatch.setattr(plotly.io.templates, "default", "plotly_dark")
    assert (light, table.figure().layout.paper_bgcolor) == ("#ffffff", "#171a1d")


def test_a_backend_that_is_not_known_is_refused() -> None:
    with pytest.raises(
        InvalidInput, match="backend must be one of pandas, polars, pyarrow, got 'R'"
    ):
        dwell.exact(THREE, SIGNS).to_frame("R")
