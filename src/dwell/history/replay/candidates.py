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
from dwell.sparse_policy import MOST_SAMPLES, SparsePolicy

_WIDTHS = (0.5, 1.0, 1.5, 2.0, 2.5, 3.0)
_CAPS = 12
_LOOKS = 5
_MOST_ENTRIES = checks.LONGEST_CAP
# Of bands where tests are too long for an entry per sample: spaced evenly on a log scale, they are
# less than 1 % apart in the longest there is.
_LOOKS_OF_LONG_BANDS = 2**12


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

    Caps are spaced evenly on a log scale. Where the longest test has over 4,194,304 samples, each
    policy looks at some 4,000 of them at most: so it takes no more memory however long tests are.

    Args:
        longest: The longest policy draws so many samples: of a test, policies see all but one.
        sd: The standard deviation of one sample.
        min_samples: No policy looks before it has drawn this many.

    Example:
        >>> found = candidates(399, sd=0.2, min_samples=10)
        >>> len(found), found[0].name, found[-1].name
        (91, 'fixed 10', '5 looks to 399')
    """
    longest = checks.count("the longest test", longest)
    if longest > MOST_SAMPLES:
        raise InvalidInput(f"the longest test must have at most 2^53 samples, got {longest:,}")
    sd, min_samples = checks.positive("sd", sd), checks.count("min_samples", min_samples)
    if longest < min_samples:
        raise InvalidInput(
            f"min_samples must be below the length of the longest test, {longest + 1}, got "
            f"{min_samples}"
        )
    dense = longest <= _MOST_ENTRIES
    caps = _caps(min_samples, longest)
    above_zero = nextafter(0.0, 1.0)
    found = [
        Candidate(
            f"fixed {cap}",
            fixed(cap, above_zero) if dense else SparsePolicy.fixed(cap, above_zero),
            f"draw {cap:,} samples, then ship what is ahead and drop the rest",
        )
        for cap in caps
    ]
    for width in _WIDTHS:
        bands = banded(caps, z=width, sd=sd, min_samples=min_samples) if dense else None
        for place, cap in enumerate(caps):
            band = bands[place] if bands else _long_band(cap, width * sd, min_samples)
            advice = (
                f"stop as soon as a test is {width:g} standard error{'s' * (width != 1.0)} ahead "
                f"(ship) or behind (drop), and drop what is undecided after {cap:,} samples"
            )
            found.append(Candidate(f"band {width:g} to {cap}", band, advice, width))
    for cap in caps:
        if cap >= _LOOKS * min_samples:
            advice = (
                f"look {_LOOKS} times on the way to {cap:,} samples and stop at O'Brien-Fleming "
                "limits (5 %, two-sided); drop what is undecided then"
            )
            policy = group_sequential(_LOOKS, cap, sd=sd) if dense else _few_looks(cap, sd)
            found.append(Candidate(f"{_LOOKS} looks to {cap}", policy, advice))
    return tuple(sorted(found, key=lambda candidate: candidate.policy.cap))


def _caps(least: int, longest: int) -> list[int]:
    """Evenly spaced on a log scale; the ends are met to the last sample."""
    between = np.geomspace(least, longest, _CAPS)[1:-1].round()
    return sorted({least, longest, *(min(max(int(cap), least), longest) for cap in between)})


def _long_band(cap: int, scale: float, min_samples: int) -> SparsePolicy:
    """A band at so many times the root of the number of samples."""
    spaced = np.geomspace(min_samples, cap, _LOOKS_OF_LONG_BANDS).round().astype(np.int64)
    looks = np.unique(np.append(spaced[spaced < cap], cap))
    bound = scale * np.sqrt(looks)
    return SparsePolicy(looks, -bound, bound)


def _few_looks(cap: int, sd: float) -> SparsePolicy:
    """A group-sequential test; critical values go by the share of the data alone."""
    short = SparsePolicy.of(group_sequential(_LOOKS, _LOOKS, sd=1.0))
    looks = np.array([-(-cap * look // _LOOKS) for look in range(1, _LOOKS + 1)])
    wider = sd * np.sqrt(looks / np.arange(1, _LOOKS + 1))
    return SparsePolicy(looks, short.lower * wider, short.upper * wider)


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
