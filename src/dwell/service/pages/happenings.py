"""What happened, in words."""

from typing import NamedTuple

from dwell.service.followed import Kind, Note

_SAID: dict[Kind, str] = {
    "began": "began",
    "ship": "crossed its ship limit",
    "drop": "crossed its drop limit",
    "capped": "reached its cap below the limit",
    "taught": "was decided while nothing is shipped",
    "held": "is on hold",
    "cleared": "was cleared",
    "abandoned": "was abandoned",
    "shipped": "was recorded as shipped",
    "dropped": "was recorded as dropped",
    "restated": "had a day restated",
    "finished": "finished, and is learned from",
}


class Happening(NamedTuple):
    """Something that happened, to be shown.

    Attributes:
        at: When.
        test: To which test.
        text: What.
    """

    at: float
    test: str
    text: str


def told(note: Note) -> Happening:
    """A note in words.

    Example:
        >>> told(Note(0.0, "abandoned", "blue", "called off")).text
        'was abandoned: called off'
    """
    more = f": {note.text}" if note.text else ""
    return Happening(note.at, note.test, f"{_SAID[note.kind]}{more}")
