"""Rules of two limits on past tests, which are known at a few looks.

A test is brought to its looks once: after how many samples each is, by how many standard errors the
test is ahead then, and the mean of all that comes after. All rules then run on these few numbers.
The last look is where the part of a test ends that rules may see.
"""

import numpy as np

from dwell.arrays import FloatArray, IntArray
from dwell.kernels.compile import compiled

CONSTANT, SHRINKING, ROOT = 0, 1, 2  # limits: as they are; to 0 at the cap; by the root of cap / d


@compiled
def prepare(
    count: int,
    drawn: IntArray,
    sizes: IntArray,
    shapes: IntArray,
    frame: IntArray,
    widths: FloatArray,
) -> None:
    """What follows for rules from when a test is looked at, in whatever order its outcomes are.

    Args:
        count: How many looks the test has.
        drawn: The samples at each of them.
        sizes: A row per rule: its first look, its cap, and its row among the shapes.
        shapes: How limits change, a row each: the kind of shape, the cap, and the samples from look
            to look, 0 to make all of them.
        frame: Filled, by rule: the first look that it makes, the look at which it decides at the
            latest, and 1 if what may be seen ends there.
        widths: Filled, by shape and look, with what limits are multiplied by; infinite at a look
            that is not made.
    """
    for k in range(len(sizes)):
        first, last = 0, 0
        while first < count - 1 and drawn[first] < sizes[k, 0]:
            first += 1
        last = first
        while last < count - 1 and drawn[last] < sizes[k, 1]:
            last += 1
        frame[k, 0], frame[k, 1] = first, last
        frame[k, 2] = 1 if drawn[last] < sizes[k, 1] else 0
    for row in range(len(shapes)):
        kind, cap, step = shapes[row]
        steps = 0
        for look in range(count):
            width = 1.0
            if kind == SHRINKING:
                width = 1.0 - drawn[look] / cap
            elif kind == ROOT:
                width = np.sqrt(cap / drawn[look])
            if step > 0:
                if drawn[look] // step == steps:
                    width = np.inf
                steps = drawn[look] // step
            widths[row, look] = width


@compiled
def decide(
    drawn: IntArray,
    ahead: FloatArray,
    rest: FloatArray,
    sizes: IntArray,
    limits: FloatArray,
    frame: IntArray,
    widths: FloatArray,
    found: FloatArray,
) -> None:
    """Run all rules on one test, or on one order of its outcomes.

    Args:
        drawn: The samples at each look.
        ahead: Standard errors above 0.
        rest: The mean of what comes after.
        sizes: Of rules, as in `prepare`.
        limits: A row per rule, in standard errors: to ship, to drop; ship what is above this at the
            cap, and where a test ends before.
        frame: What `prepare` filled …
        widths: … and this as well.
        found: Filled, a row per rule, with 1 if it ships; samples drawn; what it earns; 1 if what
            may be seen ended first.
    """
    for k in range(len(sizes)):
        ship, drop, row = limits[k, 0], -limits[k, 1], sizes[k, 2]
        look, last = frame[k, 0], frame[k, 1]
        ships, ended = 0.0, 0.0
        while look < last:
            width = widths[row, look]
            if ahead[look] >= ship * width:
                ships = 1.0
                break
            if ahead[look] <= drop * width:
                break
            look += 1
        if look == last:
            ended = frame[k, 2]
            ships = 1.0 if ahead[look] > limits[k, 3 if ended else 2] else 0.0
        found[k, 0], found[k, 1], found[k, 3] = ships, drawn[look], ended
        found[k, 2] = rest[look] if ships else 0.0


@compiled
def look_at_samples(
    samples: FloatArray,
    starts: IntArray,
    visible: IntArray,
    grid: IntArray,
    variance: float,
    weight: float,
    sizes: IntArray,
    shapes: IntArray,
    limits: FloatArray,
    found: FloatArray,
    measured: FloatArray,
) -> None:
    """Rules on tests that are known sample by sample.

    Args:
        samples: The tests' samples, one test after another.
        starts: Where each test begins in `samples`; one more entry marks the end of the last.
        visible: How many samples of each test rules may see.
        grid: After how many samples there are looks.
        variance: The variance of a sample in all tests …
        weight: … which counts as much as so many samples of the test.
        sizes: Of rules, as in `prepare` …
        shapes: … how their limits change …
        limits: … and the limits.
        found: Filled with what `decide` says: by test, rule and figure.
        measured: Filled with the mean of all samples of each test, and the variance of one.
    """
    drawn = np.empty(len(grid) + 1, np.int64)
    ahead, rest = np.empty(len(grid) + 1), np.empty(len(grid) + 1)
    frame, widths = np.empty((len(sizes), 3), np.int64), np.empty((len(shapes), len(grid) + 1))
    for test in range(len(starts) - 1):
        start, length = starts[test], starts[test + 1] - starts[test]
        seen, squares, mean, count = 0.0, 0.0, 0.0, 0
        for i in range(length):
            sample = samples[start + i]
            seen += sample
            # Welford's update: what is squared is no larger than the noise.
            off = sample - mean
            mean += off / (i + 1)
            squares += off * (sample - mean)
            due = count < len(grid) and grid[count] == i + 1
            if i + 1 <= visible[test] and (due or i + 1 == visible[test]):
                drawn[count] = i + 1
                noise = (squares + weight * variance) / (i + weight)
                ahead[count] = seen / np.sqrt(noise * (i + 1))
                rest[count] = seen
                count += 1
        for look in range(count):
            rest[look] = (seen - rest[look]) / (length - drawn[look])
        measured[test, 0] = seen / length
        measured[test, 1] = (squares + weight * variance) / (length - 1 + weight)
        prepare(count, drawn, sizes, shapes, frame, widths)
        decide(drawn, ahead, rest, sizes, limits, frame, widths, found[test])


@compiled
def look_at_periods(
    sums: FloatArray,
    counts: IntArray,
    variances: FloatArray,
    starts: IntArray,
    visible: IntArray,
    grid: IntArray,
    variance: float,
    weight: float,
    sizes: IntArray,
    shapes: IntArray,
    limits: FloatArray,
    found: FloatArray,
    measured: FloatArray,
) -> None:
    """Rules on tests that are known by sums over periods: a look is made where its period ends.

    Args:
        sums: The sum of each period's samples, one test after another.
        counts: How many samples it has.
        variances: The variance of one of them.
        starts: Where each test's periods begin; one more entry marks the end of the last.
        visible: How many periods of each test rules may see.
        grid: After how many samples there are looks.
        variance: The variance of a sample in all tests …
        weight: … which counts as much as so many samples of the test.
        sizes: Of rules, as in `prepare` …
        shapes: … how their limits change …
        limits: … and the limits.
        found: Filled with what `decide` says: by test, rule and figure.
        measured: Filled with the mean of all samples of each test, and the variance of one.
    """
    drawn = np.empty(len(grid) + 1, np.int64)
    ahead, rest = np.empty(len(grid) + 1), np.empty(len(grid) + 1)
    frame, widths = np.empty((len(sizes), 3), np.int64), np.empty((len(shapes), len(grid) + 1))
    for test in range(len(starts) - 1):
        first = starts[test]
        seen, squares, samples, count, due = 0.0, 0.0, 0, 0, 0
        for period in range(first, starts[test + 1]):
            seen += sums[period]
            squares += counts[period] * variances[period]
            samples += counts[period]
            number = period - first + 1
            before = due
            while due < len(grid) and grid[due] <= samples:
                due += 1
            if number <= visible[test] and (due > before or number == visible[test]):
                drawn[count] = samples
                noise = (squares + weight * variance) / (samples + weight)
                ahead[count] = seen / np.sqrt(noise * samples)
                rest[count] = seen
                count += 1
        for look in range(count):
            rest[look] = (seen - rest[look]) / (samples - drawn[look])
        measured[test, 0] = seen / samples
        measured[test, 1] = (squares + weight * variance) / (samples + weight)
        prepare(count, drawn, sizes, shapes, frame, widths)
        decide(drawn, ahead, rest, sizes, limits, frame, widths, found[test])
