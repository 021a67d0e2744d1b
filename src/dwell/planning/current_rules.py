"""Current rules: what people use, with the usual parameters, on given terms."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import ceil, nextafter, sqrt

import numpy as np

from dwell import rules
from dwell.families import fixed
from dwell.planning.option import Option, judged
from dwell.planning.terms import Terms
from dwell.policy import Policy
from dwell.priors import Normal

_ALPHA, _POWER, _SURE, _GROUPS = 0.05, 0.8, 0.95, 5
# The slope that shipit found for its method 52, at errors of 8 and 10 times the prior's sd.
_SLOPE = 2.75
_STREAMS, _IDEAS = 20, 300


@dataclass(frozen=True, slots=True)
class Sized:
    """A rule as a policy that fits the terms, and what to say of how it was made to."""

    title: str
    policy: Policy
    note: str = ""


def options(terms: Terms, names: tuple[str, ...]) -> tuple[list[Option], list[str]]:
    """What rules earn, and which were left out."""
    found, left_out = [], []
    for name in names:
        if name == "fdr":
            found.append(_false_discovery(terms))
        elif name in _PLAIN:
            made = _PLAIN[name](terms)
            found.append(judged(terms, name, made.title, made.policy, made.note))
        elif (prior := terms.normal) is not None:
            made = _BY_SPREAD[name](terms, prior)
            found.append(judged(terms, name, made.title, made.policy, made.note))
        else:
            left_out.append(name)
    notes = []
    if left_out:
        notes.append(f"all ideas are worth the same, so that {', '.join(left_out)} have no meaning")
    return found, notes


def _to_the_end(terms: Terms) -> Sized:
    policy = fixed(terms.longest, threshold=nextafter(0.0, 1.0))
    return Sized(f"{terms.period(terms.longest)}, ship if above 0", policy)


def _significant(sided: int) -> Callable[[Terms], Sized]:
    def made(terms: Terms) -> Sized:
        policy = rules.fixed_test(terms.longest, sd=terms.unit_sd, alpha=_ALPHA, sided=sided)
        side = "one-sided" if sided == 1 else "two-sided"
        return Sized(f"{terms.period(terms.longest)}, p < 0.05 {side}", policy)

    return made


def _group_sequential(spending: rules.Spending, title: str) -> Callable[[Terms], Sized]:
    def made(terms: Terms) -> Sized:
        spaced = [ceil(k * terms.longest / _GROUPS) for k in range(1, _GROUPS + 1)]
        looks = np.array(sorted({max(look, terms.first) for look in spaced}))
        critical = rules.z_boundaries(looks / terms.longest, alpha=_ALPHA, spending=spending)
        upper = np.full(terms.longest, np.inf)
        upper[looks - 1] = critical * terms.unit_sd * np.sqrt(looks)
        policy = Policy(np.append(-upper[:-1], upper[-1]), upper)
        return Sized(f"{title}, {len(looks)} looks", policy)

    return made


def _powered(terms: Terms, prior: Normal) -> Sized:
    size = rules.powered_size(prior.sd, sd=terms.unit_sd, alpha=_ALPHA, power=_POWER)
    looks, note = _fitting(terms, size, "the powered test")
    policy = rules.fixed_test(looks, sd=terms.unit_sd, alpha=_ALPHA)
    return Sized(f"powered test, {terms.period(looks)}", policy, note)


def _msprt(terms: Terms, prior: Normal) -> Sized:
    policy = rules.msprt(terms.longest, sd=terms.unit_sd, spread=prior.sd, alpha=_ALPHA)
    return Sized("mSPRT, always-valid p < 0.05", _at_looks(policy, terms))


def _posterior(terms: Terms, prior: Normal) -> Sized:
    policy = rules.posterior(terms.longest, prior=prior, sd=terms.unit_sd, probability=_SURE)
    return Sized("posterior 95 % sure", _at_looks(policy, terms))


def _test_and_roll(terms: Terms, prior: Normal) -> Sized:
    # A sample is a pair of customers, one for each arm; so is a unit, of many of them.
    population = 2 * max(1, round(terms.samples_per_year / terms.unit_samples))
    size = rules.rollout_size(
        population, prior_sd=prior.sd / sqrt(2.0), noise_sd=terms.unit_sd / sqrt(2.0)
    )
    looks, note = _fitting(terms, size, "Test & Roll")
    policy = fixed(looks, threshold=nextafter(0.0, 1.0))
    return Sized(f"Test & Roll, {terms.period(looks)}", policy, note)


def _shifted_linear(terms: Terms, prior: Normal) -> Sized:
    policy = rules.shifted_linear(
        terms.longest,
        prior=prior,
        sd=terms.unit_sd,
        stop=_SLOPE,
        ship=_SLOPE,
        ship_from=prior.sd + prior.mean / _SLOPE,
    )
    title = "shifted linear (shipit 52)"
    return Sized(title, _at_looks(policy, terms), _crossed(terms, policy, title))


def _index(terms: Terms, prior: Normal) -> Sized:
    policy = rules.index_rule(terms.longest, prior=prior, sd=terms.unit_sd)
    title = "index rule (shipit 71)"
    return Sized(title, _at_looks(policy, terms), _crossed(terms, policy, title))


def _false_discovery(terms: Terms) -> Option:
    found = rules.fdr_programme(
        terms.unit_world,
        terms.longest,
        tasks=_IDEAS,
        streams=_STREAMS,
        alpha=_ALPHA,
        setup_cost=terms.unit_setup,
        rng=0,
    )
    return Option(
        name="fdr",
        title=f"{terms.period(terms.longest)}, online FDR 5 %",
        policy=None,
        reward=found.reward,
        samples=float(terms.longest * terms.unit_samples),
        roi=found.roi / terms.unit_samples,
        roi_error=found.roi_error / terms.unit_samples,
        accept_rate=found.accept_rate,
        wrong_share=found.false_share,
        note=f"online FDR is simulated: {_STREAMS} programmes of {_IDEAS} ideas, which leave its "
        f"ROI a standard error of {found.roi_error / terms.unit_samples:.1g}",
    )


def _fitting(terms: Terms, looks: int, rule: str) -> tuple[int, str]:
    """A number of looks that the terms allow, and what was done to it."""
    if looks > terms.longest:
        wanted = terms.period(looks)
        return (
            terms.longest,
            f"{rule} wants {wanted}, and is truncated to {terms.period(terms.longest)}",
        )
    return max(looks, terms.first), ""


def _crossed(terms: Terms, policy: Policy, title: str) -> str:
    if policy.cap > terms.first:
        return ""
    return f"the limits of {title} have crossed by {terms.when(terms.first)}, when it decides"


def _at_looks(policy: Policy, terms: Terms) -> Policy:
    """The policy without the looks that are not made.

    If all are too early, it decides at the first that is not, by the sum by which it would have
    decided.
    """
    if policy.cap < terms.first:
        return fixed(terms.first, threshold=float(policy.upper[-1]))
    looks = np.append(terms.look_units[terms.look_units < policy.cap], policy.cap)
    lower, upper = np.full(policy.cap, -np.inf), np.full(policy.cap, np.inf)
    lower[looks - 1], upper[looks - 1] = policy.lower[looks - 1], policy.upper[looks - 1]
    return Policy(lower, upper)


_PLAIN: Mapping[str, Callable[[Terms], Sized]] = {
    "p05-two-sided": _significant(2),
    "p05-one-sided": _significant(1),
    "obrien-fleming": _group_sequential("obrien_fleming", "O'Brien-Fleming"),
    "pocock": _group_sequential("pocock", "Pocock"),
    "to-the-end": _to_the_end,
}
_BY_SPREAD: Mapping[str, Callable[[Terms, Normal], Sized]] = {
    "powered": _powered,
    "msprt": _msprt,
    "posterior": _posterior,
    "test-and-roll": _test_and_roll,
    "shifted-linear": _shifted_linear,
    "index": _index,
}
RULES = (*_PLAIN, *_BY_SPREAD, "fdr")
