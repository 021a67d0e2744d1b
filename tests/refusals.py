"""How bad input must be refused: in one sentence that names the value, with no chain of errors."""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from dwell import DwellError, InvalidInput


@contextmanager
def refused(*named: object, kind: type[DwellError] = InvalidInput) -> Iterator[None]:
    """What runs inside is refused in one sentence that names these things."""
    with pytest.raises(kind) as caught:
        yield
    error, sentence = caught.value, str(caught.value)
    assert sentence.strip() == sentence != ""
    assert "\n" not in sentence, f"not one line: {sentence!r}"
    assert ". " not in sentence, f"not one sentence: {sentence!r}"
    for thing in named:
        assert str(thing) in sentence, f"{thing} is not named in {sentence!r}"
    chained = error.__cause__ is not None or error.__context__ is not None
    assert not chained or (error.__cause__ is None and error.__suppress_context__)
