"""A learner as JSON: what it was made with, and its state."""

import json
from typing import Any, ClassVar, Self

import numpy as np

from dwell.errors import InvalidInput
from dwell.families import Countable
from dwell.learners.bounds import Tally
from dwell.policies import Policies


class Stored:
    """Gives a learner `to_json` and `from_json`.

    Attributes:
        SETTINGS: The names of the arguments that it was made with, kept as attributes.
        STATE: The names of the attributes that change as it learns.
    """

    SETTINGS: ClassVar[tuple[str, ...]]
    STATE: ClassVar[tuple[str, ...]]

    @property
    def consistent(self) -> bool:
        """Whether the entries of the state, each of the right form, go together."""
        return True

    def to_json(self) -> str:
        """Everything needed to go on: settings and state."""
        return json.dumps(self.to_dict(), allow_nan=False)

    @classmethod
    def from_json(cls, text: str) -> Self:
        """The learner that `to_json` wrote, ready to go on."""
        try:
            return cls.from_dict(json.loads(text))
        except InvalidInput:
            raise
        except (LookupError, TypeError, AttributeError, ValueError):
            raise InvalidInput(
                f"a {cls.__name__} in JSON is what its to_json wrote, got {text[:60]!r}"
            ) from None

    def to_dict(self) -> dict[str, Any]:
        """The same in types that JSON knows."""
        return {
            "learner": type(self).__name__,
            "settings": {name: _plain(getattr(self, name)) for name in self.SETTINGS},
            "state": {name: _plain(getattr(self, name)) for name in self.STATE},
        }

    @classmethod
    def from_dict(cls, fields: dict[str, Any]) -> Self:
        """The learner that `to_dict` described."""
        if fields["learner"] != cls.__name__:
            raise InvalidInput(
                f"this is the state of a {fields['learner']}, not of a {cls.__name__}"
            )
        learner = cls(**{name: _rich(value) for name, value in fields["settings"].items()})
        for name in cls.STATE:
            value = _rich(fields["state"][name])
            if not _fits(getattr(learner, name), value):
                raise TypeError(f"{name} is not what it was")
            setattr(learner, name, value)
        if not learner.consistent:
            raise ValueError("no learner gets into this state")
        return learner


def _plain(value: Any) -> Any:
    match value:
        case Policies():
            return {"policies": json.loads(value.to_json())}
        case Countable():
            names = ("c", "tasks", "delta", "step")
            return {"countable": {name: getattr(value, name) for name in names}}
        case Tally():
            return {"tally": value.to_dict()}
        case np.ndarray():
            return {"array": value.tolist()}
        case Stored():
            return {"nested": value.to_dict()}
        case _:
            return value


def _rich(value: Any) -> Any:
    match value:
        case {"policies": content}:
            return Policies.from_json(json.dumps(content))
        case {"countable": content}:
            return Countable(**content)
        case {"tally": content}:
            return Tally.from_dict(content)
        case {"array": content}:
            return np.array(content)
        case {"nested": content}:
            return _kind(content["learner"]).from_dict(content)
        case _:
            return value


def _fits(fresh: Any, restored: Any) -> bool:
    """Whether a restored entry of a state has the form of a new learner's."""
    match fresh:
        case np.ndarray():
            return isinstance(restored, np.ndarray) and (restored.shape, restored.dtype) == (
                fresh.shape,
                fresh.dtype,
            )
        case Tally():
            return isinstance(restored, Tally) and all(
                _fits(getattr(fresh, name), getattr(restored, name)) for name in Tally.__slots__
            )
        case None:  # a number, or a learner within the learner
            return restored is None or isinstance(restored, int | float | Stored)
        case _:
            return isinstance(restored, type(fresh))


def _kind(name: str) -> type[Stored]:
    return {kind.__name__: kind for kind in Stored.__subclasses__()}[name]
