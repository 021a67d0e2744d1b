"""Creation: the first event of a programme, with the learner that it begins with."""

from typing import Any

import msgspec
import numpy as np
from numpy.typing import ArrayLike

from dwell import __version__, checks
from dwell.errors import InvalidInput
from dwell.laws import Gaussian, Law
from dwell.learners.empirical_bayes import EmpiricalBayes
from dwell.learners.learner import Learner
from dwell.learners.past_sums import PastSums
from dwell.learners.registry import LEARNERS, arguments_of, kind_of, make
from dwell.programme.commands import checked_name
from dwell.programme.events import Created, Settings, Start
from dwell.usual_class import quarters, scales


def creation(
    *,
    at: float,
    name: str,
    learner: str | Learner | None,
    choices: dict[str, Any],
    setup_cost: float,
    settings: Settings,
    start: Start | None,
    past_began: ArrayLike | None = None,
) -> Created:
    """The event that creates a programme.

    Args:
        at: When it is created.
        name: Its name.
        learner: A learner, or a learner's name, or None for the default.
        choices: What a learner that goes by a name is made with; None where nothing was given.
        setup_cost: What each task costs besides its samples.
        settings: What can be set anew later.
        start: What the learner knows already, if that is not said by the choice `past`.
        past_began: When the past tests began, as dates.
    """
    given = {key: value for key, value in choices.items() if value is not None}
    if start is None and isinstance(past := given.get("past"), PastSums):
        start = Start(tests=len(past))
    if not isinstance(learner, Learner):
        learner = _made(learner, given, setup_cost, settings.min_samples)
    elif given:
        raise InvalidInput(
            f"{next(iter(given))} belongs to the learner that was given; leave it out"
        )
    if past_began is not None:
        began = _dates(learner, past_began)
        start = msgspec.structs.replace(start or Start(tests=0), began=began)
    written = learner.to_dict()
    if written["learner"] not in {entry.kind for entry in LEARNERS.values()}:
        raise InvalidInput(
            f"a programme's learner must be one of {', '.join(LEARNERS)}, got "
            f"{checks.shown(written['learner'])}"
        )
    return Created(
        at=at,
        name=checked_name("the name of a programme", name),
        learner=written,
        settings=settings,
        dwell=__version__,
        start=start,
    )


def _dates(learner: Learner, began: ArrayLike) -> dict[int, float]:
    """When those past tests began that a change of the pool may begin with."""
    past = learner.past if isinstance(learner, EmpiricalBayes) else None
    if past is None or not past.in_order:
        raise InvalidInput(
            "past_began needs past tests in the order in which they began: give past, a PastSums "
            "made with in_order=True"
        )
    try:
        dates = np.asarray(began, dtype="datetime64[us]")
    except (TypeError, ValueError):
        raise InvalidInput(
            f"past_began must be dates such as 2026-03-31, got {checks.shown(began)}"
        ) from None
    if dates.shape != (len(past),) or not (dates[1:] >= dates[:-1]).all():
        raise InvalidInput(
            f"past_began must be {len(past)} dates in order, one for each past test, got "
            f"{checks.shown(began)}"
        )
    seconds = dates.astype(np.int64) / 1e6
    return {number: float(seconds[number]) for number in sorted(learner.state.turning_points)}


def _made(name: str | None, given: dict[str, Any], setup_cost: float, min_samples: int) -> Learner:
    """A learner by its name, with what it needs and nothing that it has no use for."""
    chosen = ("empirical-bayes" if "law" in given else "ladder") if name is None else name
    known = arguments_of(chosen)
    if "drift" in given and "drift" not in known:
        raise InvalidInput(
            f"drift means nothing to the learner {chosen}, which fits no pool; leave it out"
        )
    if "policies" in known and given.keys() == {"law", "cap"}:
        given = _usual(chosen, **given)
    for each in given:
        if each not in known:
            raise InvalidInput(f"{each} means nothing to the learner {chosen}; leave it out")
    for needed in ("policies", "law", "cap"):
        if needed in known and needed not in given:
            raise InvalidInput(f"the learner {chosen} needs {needed}; give it")
    if "tasks" in known:
        raise InvalidInput(
            f"the learner {chosen} needs a number of tasks: make it yourself and give that"
        )
    if "min_samples" in known and min_samples > 1:  # then its limits are the best of those allowed
        given = {**given, "min_samples": min_samples}
    return make(chosen, **given, setup_cost=setup_cost)


def _usual(name: str, law: Law, cap: int) -> dict[str, Any]:
    """The usual policies under a law for a learner that chooses, and the bound of samples."""
    if not isinstance(law, Law):
        raise InvalidInput(f"law must be Signs, Lift or Gaussian, got {checks.shown(law)}")
    policies = scales(quarters(cap), sd=law.deviation)
    if not isinstance(law, Gaussian) or "bound" not in arguments_of(name):
        return {"policies": policies}
    return {"policies": policies, "bound": kind_of(name).BOUND_DEVIATIONS * law.deviation}
