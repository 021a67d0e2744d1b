"""Candidates: policies to try on a history of any scale."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import nextafter

import numpy as np

from dwell import checks
from dwell.errors import InvalidInput
from dwell.families import banded, fixed
from dwell.policies import AnyPolicy, Policies
from dwell.rules import group_sequential

_WIDTHS = (0.5, 1.0, 1.5, 2.0, 2.5, 3.0)
_CAPS = 12
_LOOKS = 5


@dataclass(frozen=True, slots=True)
class Candidate:
    """A policy that people can talk about.

    Attributes:
        name: What it is called in tables.
        policy: The policy.
        advice: What it tells a team to do.
        width: How many standard errors its band is wide; None if it has no such band.
    """

    name: str
    policy: AnyPolicy
    advice: str
    width: float | None = None


def candidates(longest: int, *, sd: float, min_samples: int = 1) -> tuple[Candidate, ...]:
    """Bands of several widths, fixed sizes and group-sequential tests, in order of their caps.

    Caps are spaced evenly on a log scale.

    Args:
        longest: The longest policy draws so many samples: of a test, policies see all but one.
        sd: The standard deviation of one sample.
        min_samples: No policy looks before it has drawn this many.

    Example:
        >>> found = candidates(399, sd=0.2, min_samples=10)
        >>> len(found), found[0].name, found[-1].name
        (91, 'fixed 10', '5 looks to 399')
    """
    longest = checks.cap("the longest test", longest)
    sd, min_samples = checks.positive("sd", sd), checks.count("min_samples", min_samples)
    if longest < min_samples:
        raise InvalidInput(
            f"min_samples must be below the length of the longest test, {longest + 1}, got "
            f"{min_samples}"
        )
    caps = sorted({int(cap) for cap in np.geomspace(min_samples, longest, _CAPS).round()})
    above_zero = nextafter(0.0, 1.0)
    found = [
        Candidate(
            f"fixed {cap}",
            fixed(cap, above_zero),
            f"draw {cap:,} samples, then ship what is ahead and drop the rest",
        )
        for cap in caps
    ]
    for width in _WIDTHS:
        bands = banded(caps, z=width, sd=sd, min_samples=min_samples)
        for cap, band in zip(caps, bands, strict=True):
            advice = (
                f"stop as soon as a test is {width:g} standard error{'s' * (width != 1.0)} ahead "
                f"(ship) or behind (drop), and drop what is undecided after {cap:,} samples"
            )
            found.append(Candidate(f"band {width:g} to {cap}", band, advice, width))
    for cap in caps:
        if cap >= _LOOKS * min_samples:
            policy = group_sequential(_LOOKS, cap, sd=sd)
            advice = (
                f"look {_LOOKS} times on the way to {cap:,} samples and stop at O'Brien-Fleming "
                "limits (5 %, two-sided); drop what is undecided then"
            )
            found.append(Candidate(f"{_LOOKS} looks to {cap}", policy, advice))
    return tuple(sorted(found, key=lambda candidate: candidate.policy.cap))


def named(
    policies: AnyPolicy | Iterable[AnyPolicy] | Mapping[str, AnyPolicy],
) -> tuple[Candidate, ...]:
    """Given policies as candidates: by their own names, or by their caps.

    Example:
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
