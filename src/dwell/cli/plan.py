"""`dwell plan`: the most that testing can earn, and what current rules leave on the table."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click

from dwell.cli.command import Command, flag
from dwell.cli.files import files_in, refuse_inputs
from dwell.cli.logs import past_tests_options
from dwell.cli.options import (
    law,
    not_negative,
    one_of,
    option,
    output_options,
    positive,
    prior,
    stacked,
    whole,
)
from dwell.cli.output import Outputs, note, print_grid, progress, wrapped
from dwell.errors import InvalidInput, NothingWorthTesting
from dwell.parsing import parse_prior

if TYPE_CHECKING:
    from dwell.history.reading.summaries import Summaries
    from dwell.planning import Fitted, Terms
    from dwell.planning.past import Fit
    from dwell.report.plan.text import Basis

_PRIOR, _SD = "Normal(-0.0003, 0.0045)", 0.16
_MONEY = ("--value-of-lift", "--price-per-sample")


def _rules(_: str, text: str) -> tuple[str, ...]:
    from dwell.planning import rule_names

    return rule_names(part.strip() for part in text.split(","))


def _days(name: str, text: str) -> int:
    return whole(name, text, least=0)


_IDEAS = (
    option(
        "--prior",
        prior,
        metavar="TEXT",
        help="How ideas' values are spread: Normal(mean, sd), StudentT(mean, scale, df) for fat "
        f"tails, Atoms(value:weight, …) or Beta(a, b).  [default: {_PRIOR}]",
    ),
    *past_tests_options("Fit the prior to past tests instead"),
    option(
        "--fit",
        one_of("normal", "t", "npmle"),
        metavar="KIND",
        help="What to fit: normal, t for fat tails, or npmle, a prior of any shape; the plan says "
        "which the tests support.  [default: normal]",
    ),
    flag(
        "--all-tests",
        help="Fit it to all tests, though the pool of ideas has changed since the first.",
    ),
)
_SAMPLES = (
    option(
        "--sd",
        positive,
        help="The standard deviation of one sample, a treated user's outcome minus an untreated "
        f"one's.  [default: {_SD}, or what past tests say]",
    ),
    option(
        "--law",
        law,
        metavar="TEXT",
        help="What a sample looks like: Gaussian(sd), the same as --sd; for tests of few samples "
        "also Signs or Lift(base_rate).",
    ),
    option("--traffic-per-day", whole, default="1000", help="How many samples a day brings."),
    option(
        "--min-days",
        _days,
        help="No policy looks before.  [default: 1; 0 where policies look after every sample]",
    ),
    option("--max-days", whole, default="28", help="No test runs longer."),
)
_COSTS = (
    option(
        "--setup-cost",
        not_negative,
        default="1000",
        help="What each test costs besides its samples, in samples.",
    ),
    option("--price-per-sample", not_negative, default="0.001", help="In money."),
    option(
        "--value-of-lift",
        positive,
        default="100_000",
        help="What a value of 1 earns in a year, in money.",
    ),
)
_COMPARED = (
    option(
        "--rules",
        _rules,
        metavar="LIST",
        help="Which rules to compare with, by name.  [default: all]",
    ),
)


def _with_options(command: Any) -> Any:
    command = stacked(output_options()(command), _COMPARED, "Current rules")
    command = stacked(stacked(command, _COSTS, "What tests cost and earn"), _SAMPLES, "Samples")
    return stacked(command, _IDEAS, "What ideas are worth")


@click.command(cls=Command)
@_with_options
def plan(rules: tuple[str, ...] | None, outputs: Outputs, **given: Any) -> None:
    """Find the most that testing can earn, and what current rules leave on the table.

    Compares the best policy there is, a simple one that people can explain and current rules, all
    by exact figures. ROI is the value of what is shipped per sample, set-up included. A year
    has as many samples as its traffic brings; tests follow one another. Leaves with exit code 3 if
    nothing is worth testing.

    \b
    Rules:
      p05-two-sided, p05-one-sided  test to the end, ship what is significant
      obrien-fleming, pocock        group-sequential tests with 5 looks
      to-the-end                    test to the end, ship what is above 0
      powered                       sized to find the prior's sd with 80 % power
      msprt                         mixture SPRT: always-valid p-values
      posterior                     stop when 95 % sure
      test-and-roll                 sized for a year's traffic
      shifted-linear, index         methods 52 and 71 of shipit
      fdr                           online control of false discoveries, simulated

    \b
    Examples:
      dwell plan
      dwell plan --prior "Normal(-0.001, 0.01)" --sd 0.3 --setup-cost 5000
      dwell plan --from tests.csv --fit npmle --plot plan.html
      dwell plan --rules p05-two-sided,msprt --json
      dwell plan --law Signs --prior "Beta(2, 3)" --max-days 5 --traffic-per-day 9
    """  # noqa: D301 - click knows text to keep as it is by a real backspace
    from dwell.planning import RULES
    from dwell.planning import plan as made
    from dwell.report.plan.about import about
    from dwell.report.plan.rows import limits, option_rows
    from dwell.report.plan.text import limits_grid, lines, ranking_grid, rests_on

    refuse_inputs(outputs.files, (given["source"], given["database"], *files_in(given["query"])))
    terms, basis = _terms(**given)
    with _whatever_it_rests_on(basis), progress("computing the plan"):
        found = made(terms, RULES if rules is None else rules)

    def page() -> str:
        from dwell.report.plan.page import plan_page

        return plan_page(found, basis)

    rows, told = option_rows(found), about(found, basis)
    outputs.write(told, rows, page)
    if not outputs.as_json:
        wrapped([*lines(found, basis.assumed), rests_on(terms, basis)])
    outputs.show(told, rows, ranking_grid(rows))
    if not outputs.as_json:
        assert found.best.policy is not None  # the best is a policy
        print_grid(limits_grid(limits(terms, found.best.policy)))
    for sentence in (*basis.notes, *found.notes):
        note(sentence)


@contextmanager
def _whatever_it_rests_on(basis: Basis) -> Iterator[None]:
    """Where nothing is worth testing, say what that rests on: past tests, prices nobody gave."""
    try:
        yield
    except NothingWorthTesting as answer:
        for sentence in basis.notes:
            note(sentence)
        options = [option for option in _MONEY if option in basis.assumed]
        if "costs" not in str(answer) or not options:
            raise
        raise NothingWorthTesting(f"{answer} (assumed: give {' and '.join(options)})") from None


def _terms(
    *,
    prior: Any,
    fit: Fit | None,
    sd: float | None,
    law: Any,
    min_days: int | None,
    source: str | None,
    query: str | None,
    database: str | None,
    columns: dict[str, str] | None,
    arms: tuple[str, ...] | None,
    cumulative: bool | None,
    all_tests: bool,
    **rest: Any,
) -> tuple[Terms, Basis]:
    """The terms that the options make, and what they rest on."""
    from dwell.laws import Gaussian
    from dwell.planning import Terms
    from dwell.report.plan.text import Basis
    from dwell.world import World

    _refuse_both("--prior", prior, "--from", source)
    _refuse_both("--prior", prior, "--query", query)
    _refuse_both("--from", source, "--query", query)
    _refuse_both("--law", law, "--sd", sd)
    if database is not None and query is None:
        raise InvalidInput("--database needs a --query that says what to read from it")
    past = None
    if source is not None or query is not None:
        told = _past(source, query, database, columns=columns, arms=arms, cumulative=cumulative)
        sd = sd or told.sd
        if law is None and sd is None:
            name = "the query" if source is None else source
            raise InvalidInput(f"{name} does not say how noisy one sample is: give --sd")
        past = _fitted(told, fit, all_tests)
    else:
        for name, value in (
            ("--fit", fit),
            ("--columns", columns),
            ("--arms", arms),
            ("--cumulative", cumulative),
            ("--all-tests", all_tests or None),
        ):
            if value is not None:
                raise InvalidInput(f"{name} needs past tests to fit a prior to: give --from FILE")
    values = past.prior if past else prior or parse_prior(_PRIOR)
    world = World(values, law or Gaussian(sd or _SD))
    basis = Basis(past, _assumed(prior=prior or past, sd=law or sd))
    if min_days is None:
        min_days = 1 if isinstance(world.law, Gaussian) else 0
    return Terms(world=world, min_days=min_days, **rest), basis


def _past(source: str | None, query: str | None, database: str | None, **how: Any) -> Summaries:
    from dwell.history.reading.sources import Query
    from dwell.history.reading.summaries import summaries

    return summaries(source if query is None else Query(query, database), **how)


def _fitted(told: Summaries, fit: Fit | None, all_tests: bool) -> Fitted:
    from dataclasses import replace

    from dwell.planning import PastTests, fitted

    past = PastTests(told.effects, told.standard_errors, told.sd, told.began)
    found = fitted(past, fit or "normal", all_tests=all_tests)
    return replace(found, notes=(*told.notes, *found.notes))


def _assumed(**known: object) -> tuple[str, ...]:
    """The options that were not given, and whose defaults make a difference to the plan."""
    context = click.get_current_context()
    named = ("setup_cost", "traffic_per_day", "max_days", "price_per_sample", "value_of_lift")
    default = click.core.ParameterSource.DEFAULT
    left = [name for name in named if context.get_parameter_source(name) is default]
    unknown = [name for name, value in known.items() if value is None]
    return tuple("--" + name.replace("_", "-") for name in (*unknown, *left))


def _refuse_both(one: str, given: object, other: str, also: object) -> None:
    if given is not None and also is not None:
        raise InvalidInput(f"give {one} or {other}, not both")
