"""Users of two arms, cut into short stretches of time that have both arms."""

from dwell.arrays import Decisions, IntArray
from dwell.kernels.compile import compiled


@compiled
def cut(
    sides: Decisions, starts: IntArray, least: IntArray, most: IntArray, stretches: IntArray
) -> int:
    """Number stretches: each ends once it has enough users of both arms.

    A stretch that grows too long without one of the arms is given up. What is left at the end of a
    test joins its last stretch, if that does not become too long.

    Args:
        sides: 1 for treated users, 0 for others, in the order of time, one test after another.
        starts: Where each test's users start; one more entry marks the end of the last.
        least: How many users of each arm a stretch has, by test.
        most: How many users it has at most.
        stretches: Filled with the number of each user's stretch; -1 for users without one.

    Returns:
        How many stretches there are.
    """
    count = 0
    for test in range(len(starts) - 1):
        first, last = starts[test], -1  # where the stretch begins; the last one that was finished
        last_start = first
        treated = 0
        for i in range(starts[test], starts[test + 1]):
            treated += sides[i]
            size = i + 1 - first
            fewer = min(treated, size - treated)
            ends = i + 1 == starts[test + 1]
            if fewer >= least[test] or (fewer > 0 and (size >= most[test] or ends)):
                number = count
                if ends and fewer < least[test] and last >= 0 and i + 1 - last_start <= most[test]:
                    number = last
                else:
                    count += 1
                for j in range(first, i + 1):
                    stretches[j] = number
                if number != last:
                    last_start = first
                last, first, treated = number, i + 1, 0
            elif size >= most[test] or ends:
                number = -1
                if last >= 0 and i + 1 - last_start <= most[test]:
                    number = last
                for j in range(first, i + 1):
                    stretches[j] = number
                first, treated = i + 1, 0
    return count
