"""Families of policies: the paper's class and the plain ones beside it.

Paper: eq. (4). alpha_d = c sqrt(ln(K N / delta) / d) bounds the mean of d samples, so
d alpha_d bounds their sum; K is the largest cap and N the number of tasks.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from dwell import checks
from dwell.arrays import FloatArray, IntArray
from dwell.errors import InvalidInput
from dwell.policies import Policies
from dwell.policy import Policy


def hoeffding(
    caps: Iterable[int], *, c: float, tasks: float, delta: float, min_samples: int = 1
) -> Policies:
    """The paper's class: stop as soon as the mean leaves a Hoeffding band, or at the cap.

    Args:
        caps: The caps D_1 <= D_2 <= … of the policies, one policy each.
        c: The width of the band.
        tasks: How many tasks there will be (N).
        delta: The confidence parameter.
        min_samples: The policies do not look before they have drawn this many.

    Example:
        >>> hoeffding(caps=[1, 2, 4], c=0.35, tasks=10_000, delta=0.05)[-1]
        Policy(lower=[-1.29, -1.825, -2.235, 2.581], upper=[1.29, 1.825, 2.235, 2.581])
    """
    checked = checked_caps(caps)
    largest = checked[-1]
    tasks, delta = checks.count("tasks", tasks), checks.probability("delta", delta)
    samples = np.arange(1, largest + 1, dtype=np.float64)
    logarithm = np.log(largest) + np.log(tasks) - np.log(delta)
    bound = _band(c, samples, np.full(largest, logarithm))
    return _truncations(bound, checked, min_samples)


def banded(caps: Iterable[int], *, z: float, sd: float, min_samples: int = 1) -> Policies:
    """Stop as soon as the sum is z standard errors from 0, or at the cap.

    Unlike the paper's, these bands know how noisy a sample is: they fit data on any scale.

    Args:
        caps: The caps D_1 <= D_2 <= … of the policies, one policy each.
        z: The width of the band in standard errors.
        sd: The standard deviation of one sample.
        min_samples: The policies do not look before they have drawn this many.

    Example:
        >>> banded([2, 4], z=2, sd=0.5, min_samples=2)[-1]
        Policy(lower=[-inf, -1.414, -1.732, 2], upper=[inf, 1.414, 1.732, 2])
    """
    checked = checked_caps(caps)
    z, sd = checks.positive("z", z), checks.positive("sd", sd)
    bound = z * sd * np.sqrt(np.arange(1.0, checked[-1] + 1.0))
    return _truncations(bound, checked, min_samples)


def shrinking(length: int, looks: IntArray, *, ship: float, drop: float, sd: float) -> Policy:
    """Two limits in standard errors that shrink evenly to 0; then what is above 0 is accepted.

    Args:
        length: After how many samples they have.
        looks: After how many samples the policy looks, in increasing order; it does at `length`.
        ship: The upper limit before the first sample, in standard errors above 0.
        drop: The lower one, in standard errors below 0.
        sd: The standard deviation of one sample.

    Example:
        >>> shrinking(4, np.arange(1, 5), ship=2, drop=1, sd=1)
        Policy(lower=[-0.75, -0.7071, -0.433, 4.941e-324], upper=[1.5, 1.414, 0.866, 4.941e-324])
    """
    width = (1.0 - looks / length) * sd * np.sqrt(looks)
    lower, upper = np.full(length, -np.inf), np.full(length, np.inf)
    lower[looks - 1], upper[looks - 1] = -drop * width, ship * width
    # Only what is above 0 is accepted at the end.
    lower[-1] = upper[-1] = np.nextafter(0.0, 1.0)
    return Policy(lower, upper)


def _truncations(bound: FloatArray, caps: list[int], min_samples: int) -> Policies:
    """The policies with boundaries at -bound and bound, looked at from `min_samples` on."""
    bound[: checked_min_samples(min_samples, caps) - 1] = np.inf
    longest = Policy(-bound, bound)
    return Policies(longest.truncated(cap) for cap in caps)


def checked_min_samples(min_samples: int, caps: list[int]) -> int:
    """The least number of samples of policies, if it is a count and their caps allow it."""
    min_samples = checks.count("min_samples", min_samples)
    if min_samples > caps[0]:
        raise InvalidInput(
            f"min_samples must be at most the smallest cap, {caps[0]}, got {min_samples}"
        )
    return min_samples


def dropped_in_words(drop: float, shown: str) -> str:
    """What a lower limit drops, next to an upper one that is said to be above 0.

    Args:
        drop: The limit, in standard errors below 0.
        shown: Its size, as it is to be shown.

    Example:
        >>> dropped_in_words(-0.5, "0.5")
        'what is not even 0.5 above'
    """
    if drop > 0.0:
        return f"what is {shown} below"
    return "what is not above 0" if drop == 0.0 else f"what is not even {shown} above"


def limits_in_words(drop: float, ship_shown: str, drop_shown: str) -> str:
    """What two limits ship and drop.

    Args:
        drop: The lower one, in standard errors below 0.
        ship_shown: The size of the upper one, as it is to be shown …
        drop_shown: … and that of the lower one.

    Example:
        >>> limits_in_words(0.0, "2", "0")
        'ship what is 2 standard errors above 0, and drop what is not above 0'
    """
    errors = "standard error" if ship_shown == "1" else "standard errors"
    dropped = dropped_in_words(drop, drop_shown)
    return f"ship what is {ship_shown} {errors} above 0, and drop {dropped}"


@dataclass(frozen=True, slots=True)
class Countable:
    """Countably many policies, k = 1, 2, …, made on demand: what ESC searches.

    The band has ln(d (d + 1) N / delta) in place of ln(K N / delta): there is no largest cap.

    Args:
        c: The width of the band.
        tasks: How many tasks there will be (N).
        delta: The confidence parameter.
        step: Policy k has the cap D_k = step * k.

    Example:
        >>> family = Countable(c=0.35, tasks=10_000, delta=0.05)
        >>> family.policy(3)
        Policy(lower=[-1.257, -1.852, 2.324], upper=[1.257, 1.852, 2.324])
        >>> family.first(256).caps[-1]
        256
    """

    c: float
    tasks: int
    delta: float
    step: int = 1

    def __post_init__(self) -> None:
        object.__setattr__(self, "c", checks.positive("c", self.c))
        object.__setattr__(self, "tasks", checks.count("tasks", self.tasks))
        object.__setattr__(self, "delta", checks.probability("delta", self.delta))
        object.__setattr__(self, "step", checks.count("step", self.step))

    def cap(self, k: int) -> int:
        """D_k, the cap of policy k."""
        return self.step * checks.count("k", k)

    def reaches(self, k: int) -> bool:
        """Whether policy k is short enough to be made."""
        return self.cap(k) <= checks.LONGEST_CAP

    def policy(self, k: int) -> Policy:
        """Policy k, counted from 1."""
        cap = self.cap(k)
        if not self.reaches(k):
            raise InvalidInput(
                f"policy k can be made up to cap {checks.LONGEST_CAP}, got k={k}, cap {cap}"
            )
        samples = np.arange(1, cap + 1, dtype=np.float64)
        logarithms = np.log(samples) + np.log(samples + 1)
        logarithms += np.log(self.tasks) - np.log(self.delta)
        bound = _band(self.c, samples, logarithms)
        return Policy(-bound, bound)

    def first(self, count: int) -> Policies:
        """Policies 1 to `count`."""
        count = checks.count("count", count)
        longest = self.policy(count)
        return Policies(longest.truncated(self.cap(k)) for k in range(1, count + 1))


@dataclass(frozen=True, slots=True)
class Every:
    """Every policy there is, up to a cap: what a learner searches that computes its boundaries.

    Args:
        cap: The most samples of a test.
    """

    cap: int


def fixed(n: int, threshold: float = 0.0) -> Policy:
    """Always draw n samples; accept if and only if their sum is at least `threshold`.

    Example:
        >>> fixed(3, threshold=1)
        Policy(lower=[-inf, -inf, 1], upper=[inf, inf, 1])
    """
    unseen = np.full(checks.cap("n", n) - 1, np.inf)
    threshold = checks.finite("threshold", threshold)
    return Policy(np.append(-unseen, threshold), np.append(unseen, threshold))


def first_sample() -> Policy:
    """Draw one sample and accept if it is positive.

    Example:
        >>> first_sample()
        Policy(lower=[4.941e-324], upper=[4.941e-324])
    """
    return Policy([0.0], [np.nextafter(0.0, 1.0)])


def _band(c: float, samples: FloatArray, logarithms: FloatArray) -> FloatArray:
    """The bound d alpha_d on the sum of d samples.

    Where it is a whole number up to rounding it is made that number: a sum of +-1 that ties with
    the bound then accepts, as it does on paper.
    """
    bound = checks.positive("c", c) * np.sqrt(samples * logarithms)
    whole = np.rint(bound)
    return np.where(np.abs(bound - whole) <= 1e-12 * bound, whole, bound)


def checked_caps(caps: Iterable[int]) -> list[int]:
    """The caps of a class, if there are any and they are in order."""
    if not isinstance(caps, Iterable):
        raise InvalidInput(f"caps must be a sequence of whole numbers, got {checks.shown(caps)}")
    checked = [checks.cap("each cap", cap) for cap in caps]
    if not checked:
        raise InvalidInput("caps must hold at least one cap, got none")
    for earlier, later in pairwise(checked):
        if later < earlier:
            raise InvalidInput(f"caps must be sorted, got {later} after {earlier}")
    return checked
