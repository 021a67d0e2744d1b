"""Looks: after how many tests a change of the pool is looked for."""

STEP, _MANY = 5, 500  # after every few tests, and less often once there are many


def step_after(tests: int) -> int:
    """After how many further tests a change is looked for again.

    Example:
        >>> step_after(0), step_after(1_200)
        (5, 15)
    """
    return STEP * (1 + tests // _MANY)


def first_since_last(look: int) -> int:
    """The first number of tests after the look before this one."""
    return look - step_after(look - 1) + 1


def last_before_next(look: int) -> int:
    """The last number of tests before the look after this one."""
    return look + step_after(look) - 1
