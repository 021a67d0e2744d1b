"""Forms: which columns a log may have, and what the log's own names for them are."""

from collections.abc import Mapping, Sequence
from typing import Literal, get_args

from dwell import checks
from dwell.errors import InvalidInput

Form = Literal["counts", "batches", "two-arm", "raw"]
# Tried in this order where the form is not given.
COLUMNS: dict[Form, tuple[str, ...]] = {
    "counts": ("test", "n_c", "x_c", "n_t", "x_t"),
    "batches": ("test", "period", "n", "mean", "variance"),
    "two-arm": ("test", "arm", "order", "outcome"),
    "raw": ("test", "order", "value"),
}
_OPTIONAL: dict[Form, tuple[str, ...]] = {"batches": ("arm",)}
FORMS: tuple[Form, ...] = get_args(Form)


def understood(
    titles: Sequence[str], form: Form | None, columns: Mapping[str, str], name: str
) -> tuple[Form, dict[str, str]]:
    """The form of a log, and its title for each column of that form.

    Args:
        titles: The titles of the log's columns.
        form: Its form; None to tell it by the columns.
        columns: Titles that differ from our names: `{"value": "revenue"}`.
        name: What to call the log where it is refused.

    Example:
        >>> understood(["Test", "order", "revenue"], None, {"value": "revenue"}, "log.csv")
        ('raw', {'test': 'Test', 'order': 'order', 'value': 'revenue'})
    """
    if form is not None and form not in FORMS:
        raise InvalidInput(f"form must be one of {', '.join(FORMS)}, got {checks.shown(form)}")
    ours = {column for known in FORMS for column in _all(known)}
    for column, title in columns.items():
        if column not in ours:
            raise InvalidInput(
                f"columns must map names among {', '.join(sorted(ours))}, got "
                f"{checks.shown(column)}"
            )
        if title not in titles:
            raise InvalidInput(
                f"{name} must have the column {checks.shown(title)}, which {column} is mapped to, "
                f"got {_listed(titles)}"
            )
    found = {_plain(title): title for title in reversed(titles)} | dict(columns)
    for candidate in FORMS if form is None else (form,):
        if all(column in found for column in COLUMNS[candidate]):
            mapping = {column: found[column] for column in _all(candidate) if column in found}
            for title in mapping.values():
                if list(titles).count(title) > 1:
                    raise InvalidInput(
                        f"{name} must have one column {checks.shown(title)}, got "
                        f"{list(titles).count(title)}"
                    )
            return candidate, mapping
    wanted = FORMS if form is None else (form,)
    choices = "; or ".join(", ".join(COLUMNS[candidate]) for candidate in wanted)
    raise InvalidInput(
        f"{name} must have the columns {choices}, got {_listed(titles)}: map names that differ by "
        "columns"
    )


def _all(form: Form) -> tuple[str, ...]:
    return COLUMNS[form] + _OPTIONAL.get(form, ())


def _plain(title: str) -> str:
    return title.strip().lower()


def _listed(titles: Sequence[str]) -> str:
    return checks.shown(", ".join(titles)) if titles else "none"
