"""`dwell programme create`: from nothing, from past tests or from the terms of a plan."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import click

from dwell.cli.command import Command, flag
from dwell.cli.logs import past_tests_options
from dwell.cli.options import (
    cap,
    caps,
    forget_option,
    json_option,
    law,
    not_negative,
    one_of,
    option,
    positive,
    prior,
    stacked,
    whole,
)
from dwell.cli.output import note, print_json
from dwell.cli.programme.group import STORE, programme
from dwell.errors import InvalidInput, NotOrdered

if TYPE_CHECKING:
    from dwell.arrays import DateArray
    from dwell.history.reading.summaries import Summaries
    from dwell.laws import Law
    from dwell.learners.past_sums import PastSums

_START = (
    *past_tests_options("Past tests to start from"),
    option(
        "--prior",
        prior,
        metavar="TEXT",
        help="How ideas' values are spread, as in `dwell plan`, instead of past tests.",
    ),
    option("--prior-tests", whole, default="20", help="As how many past tests it counts."),
)
_LOOKS = (
    option("--min-samples", whole, default="1", help="Not to look at a test before it has these."),
    option("--min-days", partial(whole, least=0), default="0", help="Nor before so many days."),
    flag("--full-weeks", help="And then only when whole weeks are over."),
    option(
        "--silence-days",
        positive,
        default="4",
        help="After so many days without data a test is listed as stalled.",
    ),
)
_LEARNER = (
    option(
        "--learner",
        one_of("empirical-bayes", "ladder", "fixed"),
        metavar="NAME",
        help="empirical-bayes, ladder or fixed.  [default: ladder with --caps, else "
        "empirical-bayes]",
    ),
    option(
        "--law",
        law,
        metavar="TEXT",
        help="Signs, Lift(base_rate) or Gaussian(sd).  [default: what past tests say]",
    ),
    option("--cap", cap, help="The most samples of a test.  [default: of 9 in 10 past tests]"),
    option("--traffic-per-day", whole, help="Or else how many samples a day brings …"),
    option("--max-days", whole, help="… and how many days a test runs at most."),
    option(
        "--caps",
        caps,
        metavar="LIST",
        help="The most samples that each policy may draw, for ladder and fixed: 1,2,4 or 1:256:x2. "
        "With --law and --cap instead, ladder's policies are rules of two limits at five scales.",
    ),
    option("--setup-cost", not_negative, default="20", help="What a test costs besides samples."),
    forget_option,
)


def _with_options(function: Any) -> Any:
    for options, title in (
        ((json_option,), "Output"),
        ((STORE,), "The programme"),
        (_LOOKS, "When tests are looked at"),
        (_START, "What it starts from"),
        (_LEARNER, "The learner"),
    ):
        function = stacked(function, options, title)
    return function


@programme.command(cls=Command)
@_with_options
@click.argument("name", metavar="NAME")
def create(name: str, store: str, as_json: bool, **given: Any) -> None:
    """Create a programme.

    Its learner starts from nothing; or from past tests, which also say what samples are like and
    how long tests run; or from the terms of a plan: a prior, traffic and days. It says which
    policies it chooses among, and what it starts from; the log keeps both.

    \b
    Examples:
      dwell programme create checkout --law "Lift(0.1)" --cap 20000
      dwell programme create checkout --from tests.csv --setup-cost 2000
      dwell programme create search --prior "Normal(0, 0.005)" \\
        --law "Gaussian(0.16)" --traffic-per-day 1000 --max-days 28
      dwell programme create search --caps 1:256:x2 --store sqlite:///tests.db
    """  # noqa: D301 - click knows text to keep as it is by a real backspace
    from dwell.programme.programme import Programme
    from dwell.report.programme import choice_sentence

    settings = {
        each: given.pop(each) for each in ("min_samples", "min_days", "full_weeks", "silence_days")
    }
    created = Programme.create(store, name, **_learner(**given), **settings)
    sentence = choice_sentence(created)
    if as_json:
        learner, start = type(created.learner()).__name__, created.start
        print_json(
            {
                "programme": name,
                "learner": learner,
                "past_tests": 0 if start is None else start.tests,
                "left_out": 0 if start is None else start.left_out,
                "sentence": sentence,
            }
        )
    else:
        click.echo(sentence)


def _learner(
    *,
    learner: str | None,
    law: Law | None,
    cap: int | None,
    caps: tuple[int, ...] | None,
    setup_cost: float,
    traffic_per_day: int | None,
    max_days: int | None,
    prior: Any,
    prior_tests: int,
    forget: bool | None,
    **log: Any,
) -> dict[str, Any]:
    """What a programme is created with."""
    from dwell.families import hoeffding
    from dwell.learners.past_sums import PastSums
    from dwell.learners.warming import usual_cap
    from dwell.programme.events import Start

    told = _past(**log)
    if told is not None and prior is not None:
        raise InvalidInput("give --from or --prior, not both")
    cap = _cap(cap, traffic_per_day, max_days)
    chooses = learner in ("ladder", "fixed") or (learner is None and caps is not None)
    if chooses and forget is not None:
        raise InvalidInput("--forget means something to empirical-bayes only; leave it out")
    made = {"learner": learner, "law": law, "cap": cap, "setup_cost": setup_cost, "drift": forget}
    if prior is not None:
        if chooses or law is None or cap is None:
            raise InvalidInput(
                "--prior needs --law, and --cap or --traffic-per-day and --max-days: the learner "
                "computes its boundaries from them"
            )
        past = PastSums.of_prior(prior, prior_tests, cap, law)
        return made | {"past": past, "start": Start(tests=len(past), prior=str(prior))}
    if told is not None:
        law, past, began = _under_law(told, law)
        if chooses:
            return _taught(learner, caps, setup_cost, past, log)
        start = Start(tests=len(past), source=_name(**log))
        from_past = {"past": past, "past_began": began, "start": start}
        return made | {"law": law, "cap": cap or usual_cap(past), **from_past}
    if caps is None and law is None:
        raise InvalidInput(
            "say what a sample is like by --law and --cap, which past tests to start from by "
            "--from, or which caps to choose among by --caps"
        )
    policies = None if caps is None else hoeffding(caps, c=0.5, tasks=10_000, delta=0.05)
    return made | {"policies": policies}


def _cap(cap: int | None, traffic_per_day: int | None, max_days: int | None) -> int | None:
    if (traffic_per_day is None) != (max_days is None):
        raise InvalidInput("give both --traffic-per-day and --max-days, or --cap")
    if traffic_per_day is None or max_days is None:
        return cap
    if cap is not None:
        raise InvalidInput("give --cap, or --traffic-per-day and --max-days, not both")
    return traffic_per_day * max_days


def _past(
    *, source: str | None, query: str | None, database: str | None, **how: Any
) -> Summaries | None:
    from dwell.history.reading.summaries import summaries

    if source is not None and query is not None:
        raise InvalidInput("give --from or --query, not both")
    if source is None and query is None:
        for each, value in (("database", database), *how.items()):
            if value is not None:
                raise InvalidInput(f"--{each} needs past tests to start from: give --from FILE")
        return None
    found = summaries(_source(source, query, database), **how)
    for sentence in found.notes:
        note(sentence)
    return found


def _source(source: str | None, query: str | None, database: str | None) -> object:
    from dwell.history.reading.sources import Query

    return source if query is None else Query(query, database)


def _name(*, source: str | None, **_: object) -> str:
    return "a query" if source is None else source


def _under_law(told: Summaries, law: Law | None) -> tuple[Law, PastSums, DateArray | None]:
    """What samples look like, if nobody said it, and past tests as sums of such, in order."""
    import numpy as np

    from dwell.laws import Gaussian, Lift
    from dwell.learners.past_sums import PastSums

    if law is None and told.base_rate is not None and 0.0 < told.base_rate < 1.0:
        law = Lift(float(f"{told.base_rate:.3g}"))
    elif law is None and told.sd is not None:
        law = Gaussian(float(f"{told.sd:.3g}"))
    if law is None:
        raise InvalidInput("past tests do not say how noisy one sample is: give --law")
    if told.began is None:
        return law, PastSums.of_effects(told.effects, told.standard_errors, law), None
    order = np.argsort(told.began, kind="stable")
    effects, errors = told.effects[order], told.standard_errors[order]
    return law, PastSums.of_effects(effects, errors, law, in_order=True), told.began[order]


def _taught(
    learner: str | None,
    caps: tuple[int, ...] | None,
    setup_cost: float,
    past: PastSums,
    log: dict[str, Any],
) -> dict[str, Any]:
    """A learner that has taken past tests one by one; they are sorted if need be."""
    from dwell.families import hoeffding
    from dwell.history.reading.log import Log
    from dwell.history.reading.single_tests import single_tests
    from dwell.learners.ladder import Ladder
    from dwell.learners.warming import caps_for, warm
    from dwell.programme.events import Start

    if learner == "fixed":
        raise InvalidInput("the learner fixed learns nothing from past tests; leave --from out")
    how = {"columns": log["columns"] or {}, "arms": log["arms"], "cumulative": log["cumulative"]}
    tests = Log(_source(log["source"], log["query"], log["database"]), **how)
    policies = hoeffding(caps or caps_for(past), c=0.5, tasks=10_000, delta=0.05)
    made = Ladder(policies, setup_cost=setup_cost)
    try:
        found = warm(made, single_tests(tests))
    except NotOrdered:
        made = Ladder(policies, setup_cost=setup_cost)
        found = warm(made, single_tests(replace(tests, sort=True)))
    start = Start(tests=found.tests, source=_name(**log), left_out=found.left_out)
    return {"learner": made, "start": start}
