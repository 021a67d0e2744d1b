"""Plans and evaluations, made by a process of their own: the other side of `workers`.

A line of JSON comes in for each call, and lines go out: how far it is, then what was found or what
is wrong. Whatever somebody sends to be evaluated, it cannot take more memory than this process may,
nor more time than it is left, nor break the service.
"""

import json
import resource
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple, TextIO

from dwell.errors import DwellError

MEMORY = 4 * 2**30
_MOST_VALUES = 2**26
# As in `dwell plan`.
_PRIOR, _SD = "Normal(-0.0003, 0.0045)", 0.16
_TERMS: dict[str, Any] = {
    "setup_cost": 1000.0,
    "traffic_per_day": 1000,
    "max_days": 28,
    "price_per_sample": 0.001,
    "value_of_lift": 100_000.0,
}
Advance = Callable[[float], None]


class Found(NamedTuple):
    """What a call found.

    Attributes:
        document: The JSON that the command prints.
        page: Draws the page that the command draws.
    """

    document: str
    page: Callable[[], str]


def plan(asked: dict[str, Any], _: Advance) -> Found:
    """A plan on the terms that were asked for; None for what was not given.

    Args:
        asked: The options of `dwell plan` by their names, texts as people type them.
    """
    from dwell.errors import InvalidInput
    from dwell.laws import Gaussian
    from dwell.parsing import parse_law, parse_prior
    from dwell.planning import RULES, Terms
    from dwell.planning import plan as planned
    from dwell.report.encode import document
    from dwell.report.plan.about import about
    from dwell.report.plan.page import plan_page
    from dwell.report.plan.rows import option_rows
    from dwell.report.plan.text import Basis
    from dwell.world import World

    if asked["law"] is not None and asked["sd"] is not None:
        raise InvalidInput("give law or sd, not both")
    law = Gaussian(asked["sd"] or _SD) if asked["law"] is None else parse_law(asked["law"])
    world = World(parse_prior(asked["prior"] or _PRIOR), law)
    given = {"prior": asked["prior"], "sd": asked["law"] or asked["sd"]}
    given |= {name: asked[name] for name in _TERMS}
    assumed = tuple("--" + name.replace("_", "-") for name in given if given[name] is None)
    least = asked["min_days"]
    terms = Terms(
        world=world,
        min_days=int(isinstance(law, Gaussian)) if least is None else least,
        **{name: given[name] if given[name] is not None else _TERMS[name] for name in _TERMS},
    )
    found, basis = planned(terms, asked["rules"] or RULES), Basis(None, assumed)
    told = document({**about(found, basis), "rows": option_rows(found)})
    return Found(told, lambda: plan_page(found, basis))


def evaluate(asked: dict[str, Any], advance: Advance) -> Found:
    """An evaluation of a log; None for what was not given.

    Args:
        asked: The options of `dwell evaluate` by their names, texts as people type them, and the
            path of the log.
        advance: Told the share of the work that is done.
    """
    from dwell import parsing
    from dwell.history.reading.log import Log
    from dwell.history.replay.current_rule import parse_current
    from dwell.report.encode import document
    from dwell.report.evaluation.page import page_of
    from dwell.report.evaluation.report import evaluate as evaluated
    from dwell.report.evaluation.rows import about, rows

    given = {name: value for name, value in asked.items() if value is not None}
    read = {
        "columns": parsing.titles_of_columns,
        "bounds": parsing.bounds,
        "arms": parsing.labels_of_arms,
        "since": parsing.day,
        "current": parse_current,
    }
    given |= {name: parse(name, given[name]) for name, parse in read.items() if name in given}
    how = ("form", "columns", "bounds", "arms", "cumulative", "since", "seed")
    path = Path(given.pop("path"))
    require_few_values(path)
    log = Log(path, **{name: given.pop(name) for name in how if name in given})
    report = evaluated(log, advance=advance, **given)
    return Found(
        document({**about(report), "rows": rows(report)}),
        lambda: page_of(report),
    )


def require_few_values(path: Path) -> None:
    """Refuse a Parquet file of more values than anybody would send as text.

    A column of equal values takes a few bytes, however many there are: its size says nothing.
    """
    import pyarrow as pa
    from pyarrow import parquet

    from dwell.errors import InvalidInput

    if path.suffix != ".parquet":
        return
    try:
        footer = parquet.read_metadata(path)
    except (pa.ArrowException, OSError):
        return  # whoever reads it says what is wrong
    values = footer.num_rows * footer.num_columns
    if values > _MOST_VALUES:
        raise InvalidInput(
            f"the log must have at most {_MOST_VALUES:,} values here, rows times columns, got "
            f"{values:,}; send one of fewer tests, or use `dwell evaluate`"
        )


CALLS: dict[str, Callable[[dict[str, Any], Advance], Found]] = {"plan": plan, "evaluate": evaluate}


def answered(line: str, advance: Advance) -> dict[str, Any]:
    """What a call comes to: a document and perhaps a page, or what is wrong.

    Args:
        line: The call, as `workers` writes it.
        advance: Told the share of the work that is done.
    """
    call = json.loads(line)
    asked = call["asked"]
    try:
        found = CALLS[call["call"]](asked, advance)
        page = found.page() if call["page"] else None
        answer: dict[str, Any] = {"document": found.document, "page": page}
    except DwellError as error:
        answer = {"error": type(error).__name__, "detail": str(error)}
    except MemoryError:
        answer = {"error": "MemoryError", "detail": "it takes too much memory"}
    answer["memory"] = 1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    path = asked.get("path")
    # Where the log lies for the time being is no concern of whoever sent it.
    return {
        name: value.replace(path, "the log") if path and isinstance(value, str) else value
        for name, value in answer.items()
    }


def main(lines: TextIO, answers: TextIO) -> None:
    """Answer calls until there are no more.

    Args:
        lines: Where they come from.
        answers: Where answers go.
    """

    def say(said: dict[str, Any]) -> None:
        print(json.dumps(said), file=answers, flush=True)

    for line in lines:
        say(answered(line, lambda share: say({"share": share})))


if __name__ == "__main__":
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    answers_go_to = sys.stdout
    sys.stdout = sys.stderr  # whatever prints something by itself does not answer
    main(sys.stdin, answers_go_to)
