"""A dry run over a log, told to people and to programs."""

from dataclasses import asdict

from dwell.history.inspection import Inspection
from dwell.report.tables import Grid


def lines(found: Inspection) -> tuple[str, ...]:
    """What was understood of a log.

    Args:
        found: What the dry run found.

    Example:
        >>> from dwell.history.quality import Quality
        >>> lines(Inspection("raw", {"test": "id", "value": "value"}, quality=Quality(rows=9)))[1]
        'Columns: test (id), value'
    """
    quality = found.quality
    columns = (
        name if name == title else f"{name} ({title})" for name, title in found.columns.items()
    )
    order = "come in order" if found.ordered else "have to be sorted first"
    return (
        f"Form: {found.form or 'could not be told'}",
        f"Columns: {', '.join(columns) or 'could not be told'}",
        f"Rows that can be used: {quality.rows:,}; tests: {quality.tests:,}; samples: "
        f"{quality.samples:,}",
        f"Order: {f'rows {order}' if quality.rows else 'could not be told'}",
        "Problems: " + ("none" if not found.problems else f"{len(found.problems)}, as follows"),
    )


def grid(found: Inspection) -> Grid:
    """What is wrong, a row per problem.

    Args:
        found: What the dry run found.
    """
    cells = (
        (
            problem.sentence,
            "refused" if problem.fatal else "noted",
            f"{problem.count:,}",
            ", ".join(f"{row:,}" for row in problem.rows)
            + (", …" if problem.count > len(problem.rows) > 0 else ""),
        )
        for problem in found.problems
    )
    header = ("what is wrong, where it is first", "it is", "times", "first rows")
    return Grid(header, tuple(cells), left=2, shares=(3, 0, 0, 1))


def about(found: Inspection) -> dict[str, object]:
    """The same for programs.

    Args:
        found: What the dry run found.
    """
    return {
        "usable": found.usable,
        "form": found.form,
        "columns": dict(found.columns),
        "ordered": found.ordered,
        **asdict(found.quality),
        "sample_ratio_p_value": found.quality.sample_ratio_p_value,
        "problems": [asdict(problem) for problem in found.problems],
    }
