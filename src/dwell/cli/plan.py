"""`dwell plan`: the most that testing can earn, and what current rules leave on the table."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from dwell.cli.files import read_text
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
from dwell.cli.output import note, print_grid, progress, show, wrapped
from dwell.cli.parsing import parse_prior
from dwell.errors import InvalidInput
from dwell.files import write_whole

if TYPE_CHECKING:
    from dwell.planning import Fitted, Plan, Terms

_PRIOR, _SD = "Normal(-0.0003, 0.0045)", 0.16


def _rules(_: str, text: str) -> tuple[str, ...]:
    from dwell.planning import rule_names

    return rule_names(part.strip() for part in text.split(","))


def _days(name: str, text: str) -> int:
    return whole(name, text, least=0)


_OPTIONS = (
    option(
        "--prior",
        prior,
        metavar="TEXT",
        help="How ideas' values are spread: Normal(mean, sd), Atoms(value:weight, …) or "
        f"Beta(a, b).  [default: {_PRIOR}]",
    ),
    option(
        "--from",
        lambda _, text: Path(text),
        "source",
        metavar="FILE.csv",
        help="Fit the prior to past tests instead: a row each, with the columns effect and "
        "standard_error, or n_c, x_c, n_t and x_t (users and conversions of control and "
        "treatment).",
    ),
    option(
        "--fit",
        one_of("normal", "npmle"),
        metavar="KIND",
        help="What to fit: normal, or npmle, a prior of any shape.  [default: normal]",
    ),
    option(
        "--sd",
        positive,
        help="The standard deviation of one sample, a treated user's outcome minus an untreated "
        f"one's.  [default: {_SD}, or what counts in FILE.csv say]",
    ),
    option(
        "--law",
        law,
        metavar="TEXT",
        help="What a sample looks like: Gaussian(sd), the same as --sd; for tests of few samples "
        "also Signs or Lift(base_rate).",
    ),
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
    option("--traffic-per-day", whole, default="1000", help="How many samples a day brings."),
    option(
        "--min-days",
        _days,
        help="No policy looks before.  [default: 1; 0 where policies look after every sample]",
    ),
    option("--max-days", whole, default="28", help="No test runs longer."),
    option(
        "--rules",
        _rules,
        metavar="LIST",
        help="Which rules to compare with, by name.  [default: all]",
    ),
)


def _with_options(command: Any) -> Any:
    return stacked(output_options(command), _OPTIONS)


@click.command
@_with_options
def plan(
    rules: tuple[str, ...] | None, as_json: bool, out: Path | None, plot: Path | None, **given: Any
) -> None:
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
      powered                       sized to find the prior's sd, 80 % power at 5 %
      msprt                         mixture SPRT: always-valid p-values
      posterior                     stop when 95 % sure
      test-and-roll                 sized for a year's traffic
      shifted-linear, index         methods 52 and 71 of shipit
      fdr                           online control of false discoveries, simulated

    \b
    Examples:
      dwell plan
      dwell plan --prior "Normal(-0.001, 0.01)" --sd 0.3 --setup-cost 5000 --max-days 14
      dwell plan --from tests.csv --fit npmle --plot plan.html
      dwell plan --rules p05-two-sided,msprt --json
      dwell plan --law Signs --prior "Beta(2, 3)" --traffic-per-day 50 --max-days 2 --setup-cost 5
    """  # noqa: D301 - click knows text to keep as it is by a real backspace
    from dwell.planning import RULES
    from dwell.planning import plan as made
    from dwell.report.plan.about import about
    from dwell.report.plan.rows import limits, option_rows
    from dwell.report.plan.text import limits_grid, lines, ranking_grid

    terms, past = _terms(**given)
    with progress("computing the plan"):
        found = made(terms, RULES if rules is None else rules)
        page = None if plot is None else _page(found, past)
    rows = option_rows(found)
    if not as_json:
        wrapped(lines(found))
    show(about(found, past), rows, ranking_grid(rows), as_json=as_json, out=out)
    if not as_json:
        assert found.best.policy is not None  # the best is a policy
        print_grid(limits_grid(limits(terms, found.best.policy)))
    for sentence in (*(past.notes if past else ()), *found.notes):
        note(sentence)
    if plot is not None and page is not None:
        write_whole(plot, page, "--plot")


def _page(found: Plan, past: Fitted | None) -> str:
    from dwell.report.plan.page import plan_page

    return plan_page(found, past)


def _terms(
    *,
    prior: Any,
    source: Path | None,
    fit: str | None,
    sd: float | None,
    law: Any,
    min_days: int | None,
    **rest: Any,
) -> tuple[Terms, Fitted | None]:
    """The terms that the options make, and the past that the prior was fitted to."""
    from dwell.laws import Gaussian
    from dwell.planning import PastTests, Terms, fitted
    from dwell.world import World

    _refuse_both("--prior", prior, "--from", source)
    _refuse_both("--law", law, "--sd", sd)
    if fit is not None and source is None:
        raise InvalidInput("--fit needs past tests to fit a prior to: give --from FILE.csv")
    past = None
    if source is not None:
        told = PastTests.from_csv(read_text(source, "--from"), source.name)
        sd = sd or told.sd
        if law is None and sd is None:
            raise InvalidInput(f"{source.name} does not say how noisy one sample is: give --sd")
        past = fitted(told, "npmle" if fit == "npmle" else "normal")
        prior = past.prior
    world = World(prior or parse_prior(_PRIOR), law or Gaussian(sd or _SD))
    if min_days is None:
        min_days = 1 if isinstance(world.law, Gaussian) else 0
    return Terms(world=world, min_days=min_days, **rest), past


def _refuse_both(one: str, given: object, other: str, also: object) -> None:
    if given is not None and also is not None:
        raise InvalidInput(f"give {one} or {other}, not both")
