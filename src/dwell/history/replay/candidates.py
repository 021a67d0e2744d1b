"""Candidates: rules to try on a history of any scale."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import product
from math import inf

import numpy as np

from dwell import checks
from dwell.arrays import IntArray
from dwell.errors import InvalidInput
from dwell.policies import AnyPolicy, Policies
from dwell.sparse_policy import MOST_SAMPLES
from dwell.two_limits import Shape, TwoLimits

# Limits to ship and to drop, in standard errors above and below 0.
_LIMITS: dict[Shape, tuple[tuple[float, float], ...]] = {
    "constant": ((1.0, 0.0), (1.0, 1.0), (2.0, 0.0), (2.0, 1.0), (2.0, 2.0), (3.0, 1.0)),
    "shrinking": ((1.0, 0.0), (1.0, 1.0), (2.0, 0.0), (2.0, 1.0), (2.0, 2.0), (3.0, 1.0)),
}
_REJECTING = (1.0, 1.5, 2.0, 3.0)  # widths of bands that drop what is undecided
_ABOVE = (0.5, 1.0, 1.645)  # of fixed sizes that ship only what is further ahead
_FIRSTS, _CAPS, _SIZES = 5, 9, 20
_GROWTH, _MOST_LOOKS = 1.25, 56
_LOOKS, _OBRIEN_FLEMING = 5, 2.040  # and the constant for 5 looks at 5 %, two-sided


@dataclass(frozen=True, slots=True)
class Candidate:
    """A policy that people can talk about.

    Attributes:
        name: What it is called in tables.
        policy: The policy, on sums.
        advice: What it tells a team to do.
        rule: The rule of two limits, in standard errors; None for a policy that was given.
    """

    name: str
    policy: AnyPolicy
    advice: str
    rule: TwoLimits | None = None

    @property
    def width(self) -> float | None:
        """How far both limits are from 0, if that is the same and constant; None elsewhere."""
        rule = self.rule
        if rule is None or rule.looks_once or rule.shape != "constant" or rule.ship != rule.drop:
            return None
        return rule.ship


def looks(longest: int, least: int = 1) -> IntArray:
    """After how many samples there are looks: each of the first few, then at a growing distance.

    Args:
        longest: The last look comes after so many.
        least: And the first after so many.

    Example:
        >>> looks(40).tolist()
        [1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 15, 18, 22, 27, 33, 40]
    """
    growth = _growth(longest, least)
    found = [least]
    while found[-1] < longest:
        found.append(min(max(found[-1] + 1, int(found[-1] * growth)), longest))
    return np.array(found, dtype=np.int64)


def _growth(longest: int, least: int) -> float:
    """How many times as many samples the next look has."""
    return max(_GROWTH, float((longest / least) ** (1.0 / _MOST_LOOKS)))


def candidates(
    longest: int, *, sd: float, least: int = 1, min_samples: int = 1
) -> tuple[Candidate, ...]:
    """Rules of two limits, fixed sizes and group-sequential tests, in order of their caps.

    Each looks at some of the same looks, which grow by a quarter: so all of them run on a few
    numbers of a test, however long it is.

    Args:
        longest: The longest rule draws so many samples: all that rules see of the longest test.
        sd: The standard deviation of one sample.
        least: What looks several times does not look before this many: of rare outcomes, a mean of
            fewer is that of one event.
        min_samples: No rule looks before it has drawn this many.

    Example:
        >>> found = candidates(399, sd=0.2, min_samples=10)
        >>> len(found), found[0].name, found[-1].name
        (394, 'fixed 10', '5 looks to 399')
    """
    longest = checks.count("the longest test", longest)
    if longest > MOST_SAMPLES:
        raise InvalidInput(f"the longest test must have at most 2^53 samples, got {longest:,}")
    sd, min_samples = checks.positive("sd", sd), checks.count("min_samples", min_samples)
    least = checks.count("least", least)
    if longest < min_samples:
        raise InvalidInput(
            f"min_samples must be at most what rules see of the longest test, {longest}, got "
            f"{min_samples}"
        )
    grid = looks(longest, min_samples)
    growth = _growth(longest, min_samples)
    more = "a quarter" if growth == _GROWTH else f"about {100.0 * (growth - 1.0):.0f} %"
    rhythm = f"whenever there are {more} more"
    rules = sorted(_rules(grid, max(least, min_samples)), key=lambda rule: rule.cap)
    return tuple(
        Candidate(rule.name, rule.policy(grid, sd), rule.words(rhythm), rule)
        for rule in dict.fromkeys(rules)
    )


def _rules(grid: IntArray, least: int) -> list[TwoLimits]:
    longest = int(grid[-1])
    least = int(grid[np.searchsorted(grid, min(least, longest))])
    caps = _spaced(grid, least, longest, _CAPS)
    rules = [TwoLimits.fixed(size) for size in _spaced(grid, int(grid[0]), longest, _SIZES)]
    rules += [TwoLimits.fixed(cap, above) for cap, above in product(caps, _ABOVE)]
    for first, cap in product(_spaced(grid, least, max(longest // 2, least), _FIRSTS), caps):
        if first < cap:
            rules += [
                TwoLimits(first=first, cap=cap, ship=ship, drop=drop, shape=shape)
                for shape, pairs in _LIMITS.items()
                for ship, drop in pairs
            ]
    for cap in caps:
        if cap > least:
            rules += [
                TwoLimits(first=least, cap=cap, ship=width, drop=width, at_cap=inf, at_end=inf)
                for width in _REJECTING
            ]
        if cap >= _LOOKS * least:
            limit = _OBRIEN_FLEMING
            rules.append(
                TwoLimits(
                    first=-(-cap // _LOOKS),
                    cap=cap,
                    ship=limit,
                    drop=limit,
                    shape="root",
                    at_cap=limit,
                    at_end=inf,
                    step=-(-cap // _LOOKS),
                )
            )
    return rules


def _spaced(grid: IntArray, least: int, longest: int, count: int) -> list[int]:
    """Some of the looks, evenly spaced on a log scale; the ends are met."""
    wanted = np.geomspace(least, longest, count)
    places = np.minimum(np.searchsorted(grid, wanted * (1.0 - 1e-9)), len(grid) - 1)
    return sorted({int(grid[place]) for place in places})


def named(
    policies: AnyPolicy | Iterable[AnyPolicy] | Mapping[str, AnyPolicy],
) -> tuple[Candidate, ...]:
    """Given policies as candidates: by their own names, or by their caps.

    Example:
        >>> from dwell import fixed
        >>> [each.name for each in named([fixed(8), fixed(20)])]
        ['policy 1, cap 8', 'policy 2, cap 20']
        >>> [each.name for each in named({"long": fixed(20), "short": fixed(8)})]
        ['short', 'long']
    """
    if isinstance(policies, Mapping):
        by_cap = sorted(policies.items(), key=lambda item: getattr(item[1], "cap", 0))
        names, chosen = [str(name) for name, _ in by_cap], Policies(each for _, each in by_cap)
    else:
        chosen = Policies.of(policies)
        names = [f"policy {k}, cap {cap}" for k, cap in enumerate(chosen.caps, start=1)]
    return tuple(
        Candidate(name, policy, f"run {name}") for name, policy in zip(names, chosen, strict=True)
    )
