"""Cumulative statistics: periods that have all users since the first, not their own.

Of n users with mean m and variance v, of whom n' were there before with m' and v', the others have
the mean m + (m - m') n' / (n - n'); and squared deviations add up, with those between the two.
"""

import numpy as np

from dwell.arrays import IntArray
from dwell.history.reading.rows import Rows
from dwell.history.reading.validation import Validator

_ROUNDING = 1e-6  # of a sum of squares: what may be missing since figures were rounded


def own_periods(rows: Rows, series: IntArray, validator: Validator) -> Rows:
    """Periods with their own users, of periods with all users so far.

    Args:
        rows: Periods with the columns n, mean and variance, one series after another.
        series: Which series each is of.
        validator: What is told of rows that cannot be.
    """
    n, mean, variance = rows["n"], rows["mean"], rows["variance"]
    follows = np.diff(series, prepend=-1) == 0
    squares = np.where(n > 1.0, (n - 1.0) * np.where(n > 1.0, variance, 0.0), 0.0)
    n_before, mean_before, squares_before = (
        np.where(follows, np.roll(column, 1), 0.0) for column in (n, mean, squares)
    )
    own = n - n_before
    with np.errstate(over="ignore", invalid="ignore"):  # what is not finite is refused where used
        own_mean = mean + (mean - mean_before) * n_before / np.maximum(own, 1.0)
        between = n_before * own / n * (own_mean - mean_before) ** 2
        own_squares = squares - squares_before - between
    impossible = (own < 0.0) | ((own_squares < -_ROUNDING * squares) & (own > 0.0))
    if impossible.any():
        reader = validator.reader
        place = int(np.flatnonzero(impossible)[0])
        fault = "fewer users" if own[place] < 0.0 else "less variance"
        reader.faults.add(
            "cumulative periods must grow",
            rows["row"][impossible],
            f"a cumulative period must have all that the one before has, got {fault} in row "
            f"{rows['row'][place]} of {reader.source.name}: leave cumulative out if periods have "
            "users of their own",
        )
    own_variance = np.maximum(own_squares, 0.0) / np.maximum(own - 1.0, 1.0)
    changed = {
        "n": np.maximum(own, 0.0),
        "mean": own_mean,
        "variance": np.where(own > 1.0, own_variance, np.nan),
    }
    return rows | changed


def looks_cumulative(rows: Rows, series: IntArray) -> tuple[int, int]:
    """How many tests have three periods or more, and how many of these look cumulative.

    A test does if its numbers of users never fall and its means move as little as means of nearly
    the same users do: by a likelihood, of moves with variance v (1/a - 1/b) against v (1/a + 1/b)
    for a users and then b.

    Args:
        rows: Periods with the columns n, mean and variance, one series after another.
        series: Which series each is of.
    """
    if not len(series):
        return 0, 0
    lengths = np.bincount(series)
    follows = np.diff(series) == 0
    before, after = rows["n"][:-1][follows], rows["n"][1:][follows]
    spreads = np.stack([rows["variance"][:-1][follows], rows["variance"][1:][follows]])
    spread = np.nanmax(np.append(spreads, np.zeros((1, spreads.shape[1])), axis=0), axis=0)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        moves = (rows["mean"][1:] - rows["mean"][:-1])[follows] ** 2
        nested, apart = spread * (1.0 / before - 1.0 / after), spread * (1.0 / before + 1.0 / after)
        gain = 0.5 * (np.log(apart / nested) - moves * (1.0 / nested - 1.0 / apart))
    gain = np.where(after == before, np.where(moves == 0.0, 0.0, -np.inf), gain)
    gain = np.where(after < before, -np.inf, np.where(spread > 0.0, gain, 0.0))
    gain = np.where(np.isnan(gain), -np.inf, gain)  # of moves that are too large to be squared
    _, test_of_row = np.unique(rows["test"], return_inverse=True)
    tests = int(test_of_row.max()) + 1
    gains = np.bincount(test_of_row[1:][follows], np.maximum(gain, -1e300), tests)
    several = np.bincount(test_of_row, lengths[series] >= 3, tests) > 0
    return int(several.sum()), int((several & (gains > 0.0)).sum())
