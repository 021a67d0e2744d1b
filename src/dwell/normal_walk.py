"""Where and when a policy stops if samples are normal: what the walk over its looks needs.

The figures of a policy are integrals over the running sum at its looks. As a function of the sum at
one look, the density changes on the scale of the step that led there, and what happens at the next
look on the scale sd / scale of the step that follows: given s, the next sum is normal around
scale * s + shift. Panels are a multiple of the smaller of the two.
"""

from collections.abc import Iterable
from functools import cache
from itertools import pairwise

import numpy as np
from scipy import special

from dwell.arrays import FloatArray, IntArray
from dwell.beliefs import Belief
from dwell.errors import InvalidInput
from dwell.kernels.walk import walk_gaussian
from dwell.policy import Policy

PANEL = 3.0
# So many standard deviations hold all mass but 1e-19 of it.
REACH = 9.0
# Beyond so many, the normal law is 0 in floating point.
FARTHEST = 38.0
_MANY_PANELS, _MOST_PANELS = 256, 2**20
_SECONDS_PER_PANEL = 3e-6
_PART = 2**20  # points: about a second's work, after which a walk can be interrupted
_legendre = cache(special.roots_legendre)  # to find them takes as long as a short walk


def walk_normal(
    policy: Policy, belief: Belief, noise: float, reach: float = REACH, panel: float = PANEL
) -> FloatArray:
    """A row per number of samples: to stop then, to accept then, the value accepted then.

    Args:
        policy: The policy.
        belief: What the sum says about the value.
        noise: The standard deviation of one sample.
        reach: How many standard deviations count.
        panel: The width of a panel, in units of the scale on which things change.
    """
    looks = 1 + np.flatnonzero(np.isfinite(policy.lower) | np.isfinite(policy.upper))
    lower, upper = policy.lower[looks - 1], policy.upper[looks - 1]
    steps = _steps(belief, noise, np.concatenate([[0], looks[:-1]]), looks)
    means = np.column_stack([belief.intercept[looks], belief.slope[looks]])
    center = looks * belief.intercept[0]
    spread = _spread(belief, noise, looks)
    ranges = np.column_stack(
        [np.maximum(lower, center - REACH * spread), np.minimum(upper, center + reach * spread)]
    )
    ranges[-1] = 0.0  # nobody goes on
    # On the axis of the sum at a look: see the module's docstring.
    scales = np.minimum(steps[:-1, 2], steps[1:, 2] / steps[1:, 0])
    widths = panel * np.append(scales, 1.0)
    sure = np.column_stack([lower, upper])
    fates = np.repeat(np.arange(len(looks))[:, None], 2, axis=1)
    for look in np.flatnonzero(ranges[:, 1] - ranges[:, 0] > _MANY_PANELS * widths):
        later = looks[look + 1 :]
        onward = _steps(belief, noise, np.full(len(later), looks[look]), later)
        for side, nearer in ((0, np.maximum), (1, np.minimum)):
            edge, after = _sure(onward, lower[look + 1 :], upper[look + 1 :], side, reach + 1.0)
            if ranges[look, 0] < edge < ranges[look, 1]:
                sure[look, side], fates[look, side] = edge, look + 1 + after
                ranges[look, side] = nearer(ranges[look, side], edge)
    panels = np.ceil(np.maximum(ranges[:, 1] - ranges[:, 0], 0.0) / widths)
    _refuse_wide(looks, panels, panels * widths / noise)
    nodes, weights = _legendre(10)
    parts = np.cumsum(panels * len(nodes)) // _PART
    found = np.zeros((len(looks), 3))
    # Before the first sample the sum is 0: one point that carries all mass.
    points, mass = np.zeros(1), np.ones(1)
    for start, end in pairwise([0, *(1 + np.flatnonzero(np.diff(parts))), len(looks)]):
        points, mass = walk_gaussian(
            lower,
            upper,
            steps,
            means,
            sure,
            fates,
            ranges,
            panels.astype(np.int64),
            reach,
            (1.0 + nodes) / 2.0,
            weights / 2.0,
            int(start),
            int(end),
            points,
            mass,
            found,
        )
        if not len(points):
            break
    stops = np.zeros((policy.cap, 3))
    stops[looks - 1] = found
    return stops


def expected_seconds(policy: Policy, parts: Iterable[Belief], noise: float) -> float:
    """About how long the walks under all parts of a prior take, on a usual machine.

    Where nearly all tasks stop early, they take less.
    """
    looks = 1 + np.flatnonzero(np.isfinite(policy.lower) | np.isfinite(policy.upper))
    seconds = 0.0
    for part in parts:
        steps = _steps(part, noise, looks[:-1], looks[1:])
        center, spread = looks * part.intercept[0], REACH * _spread(part, noise, looks)
        low = np.maximum(policy.lower[looks - 1], center - spread)[:-1]
        high = np.minimum(policy.upper[looks - 1], center + spread)[:-1]
        scales = np.minimum(noise * np.sqrt(looks[1:] - looks[:-1]), steps[:, 2] / steps[:, 0])
        seconds += _SECONDS_PER_PANEL * float(np.ceil(np.maximum(high - low, 0.0) / scales).sum())
    return seconds


def reach_of(policy: Policy, parts: Iterable[Belief], noise: float) -> float:
    """How many standard deviations count: more where acceptances lie beyond what usually counts.

    Then all that a policy earns comes from there, however little it is.
    """
    looks = 1 + np.flatnonzero(np.isfinite(policy.upper))
    nearest = min(
        float(
            np.min(
                (policy.upper[looks - 1] - looks * part.intercept[0]) / _spread(part, noise, looks)
            )
        )
        for part in parts
    )
    return min(max(REACH, nearest + 5.0), FARTHEST)


def _spread(part: Belief, noise: float, looks: IntArray) -> FloatArray:
    """The standard deviation of the sum, value included."""
    spread: FloatArray = np.sqrt(looks * noise**2 + looks**2 * part.variance[0])
    return spread


def _refuse_wide(looks: IntArray, panels: FloatArray, ranges: FloatArray) -> None:
    widest = int(panels.argmax())
    if panels[widest] > _MOST_PANELS:
        raise InvalidInput(
            f"after {looks[widest]:,} samples the running sum may be anywhere in a range of "
            f"{ranges[widest]:.2g} times the noise of a sample, too wide to integrate over; choose "
            "a prior with a smaller sd, or a narrower band"
        )


def _steps(belief: Belief, noise: float, before: IntArray, after: IntArray) -> FloatArray:
    """Given the sum so far, the sum later is normal: a row of scale, shift and sd each."""
    samples = after - before
    return np.column_stack(
        [
            1.0 + samples * belief.slope[before],
            samples * belief.intercept[before],
            np.sqrt(samples * noise**2 + samples**2 * belief.variance[before]),
        ]
    )


def _sure(
    onward: FloatArray, lower: FloatArray, upper: FloatArray, side: int, reach: float
) -> tuple[float, int]:
    """The sum from which a task is sure to be decided at a later look, and that look.

    Far out on one side, it is the first look with a boundary on that side; until then the task
    must be sure not to cross the other.
    """
    scale, shift, sd = onward.T
    ours, theirs, sign = (upper, lower, 1.0) if side else (lower, upper, -1.0)
    last = int(np.isfinite(ours).argmax())
    crossed = (ours[last] + sign * reach * sd[last] - shift[last]) / scale[last]
    safe = (theirs[:last] + sign * reach * sd[:last] - shift[:last]) / scale[:last]
    safe = safe[np.isfinite(safe)]
    every = np.append(safe, crossed)
    return float(every.max() if side else every.min()), last
