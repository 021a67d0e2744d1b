"""A plan: the most that testing can earn on given terms, and what each way of testing leaves."""

from collections.abc import Iterable
from dataclasses import dataclass

from dwell import checks
from dwell.errors import InvalidInput, NothingWorthTesting
from dwell.planning.band import Band, Bands
from dwell.planning.current_rules import RULES, options
from dwell.planning.option import Option, judged, optimum
from dwell.planning.schedule import DAILY
from dwell.planning.terms import Terms
from dwell.priors import Normal, StudentT
from dwell.shown import Shown


@dataclass(repr=False, frozen=True, slots=True)
class Plan(Shown):
    """Ways of testing, compared.

    Attributes:
        terms: The terms.
        best: The best policy there is.
        simple: The best of a family that people can explain.
        band: That member of the family.
        bands: The family.
        rules: The current rules.
        notes: What else to know.
    """

    terms: Terms
    best: Option
    simple: Option
    band: Band
    bands: Bands
    rules: tuple[Option, ...]
    notes: tuple[str, ...]

    @property
    def ranking(self) -> tuple[Option, ...]:
        """All of them, the highest ROI first."""
        others = sorted((self.simple, *self.rules), key=lambda option: -option.roi)
        return self.best, *others

    def left(self, option: Option) -> float:
        """What an option leaves on the table: the share of the best ROI that it does not earn."""
        return 1.0 - option.roi / self.best.roi


def plan(terms: Terms, rules: str | Iterable[str] = RULES) -> Plan:
    """The best policy, the best simple one and the current rules, on given terms.

    All figures are exact, except those of the rule `fdr`, which is simulated. Raises
    `NothingWorthTesting` if no policy earns what its samples cost.

    Args:
        terms: The world to test in, what tests cost and how long they may run.
        rules: Which current rule or rules to compare, by their names in `dwell.planning.RULES`;
            all of them by default.

    Example:
        >>> import dwell
        >>> world = dwell.World(dwell.Normal(-0.01, 0.05), dwell.Gaussian(1))
        >>> found = dwell.plan(dwell.Terms(world=world, setup_cost=0), ["p05-two-sided"])
        >>> found.band.words(found.terms)
        'Test for 1 day, then ship what is above 0.'
        >>> [(option.name, round(found.left(option), 2)) for option in found.ranking]
        [('best', 0.0), ('simple', 0.0), ('p05-two-sided', 0.96)]
    """
    checks.kind("terms", terms, Terms, "Terms of a world and what tests cost there")
    names = rule_names(rules)
    best = _best(terms)
    if best.roi * terms.value_of_lift <= terms.price_per_sample:
        raise NothingWorthTesting(
            f"nothing is worth testing here: a sample earns {best.roi * terms.value_of_lift:.3g} "
            f"at best, at {terms.value_of_lift:,g} a year for a lift of 1, and costs "
            f"{terms.price_per_sample:g}"
        )
    bands = Bands.of(terms)
    band, _ = bands.best(terms.setup_cost)
    simple = judged(terms, "simple", "best simple rule", band.policy(terms))
    found, left_out = options(terms, names)
    notes = (*_about(terms), *left_out, *(option.note for option in (best, *found) if option.note))
    return Plan(terms, best, simple, band, bands, tuple(found), notes)


def rule_names(asked: str | Iterable[str]) -> tuple[str, ...]:
    """Names of rules, in the order in which they are known.

    Example:
        >>> rule_names("pocock"), rule_names(["msprt", "pocock"])
        (('pocock',), ('pocock', 'msprt'))
    """
    checks.kind("rules", asked, Iterable, "a list of names")
    wanted = [asked] if isinstance(asked, str) else list(asked)
    for name in wanted:
        if name not in RULES:
            raise InvalidInput(
                f"there is no rule {checks.shown(name)}; the rules are {', '.join(RULES)}"
            )
    return tuple(name for name in RULES if name in wanted)


def _best(terms: Terms) -> Option:
    try:
        found = optimum(terms, longer=True)
    except NothingWorthTesting:
        raise NothingWorthTesting(
            f"nothing is worth testing here: with values {checks.shown(terms.world.prior)} and "
            f"tests of at most {terms.period(terms.longest)}, no policy earns anything"
        ) from None
    note = ""
    if found.cap_binds:
        note = f"the best policy would earn more with tests of over {terms.period(terms.longest)}"
    return judged(terms, "best", "best policy there is", found.policy, note)


def _about(terms: Terms) -> list[str]:
    notes = []
    if terms.by_day and terms.max_days > DAILY:
        notes.append(
            f"policies look every day up to day {DAILY}, then every 0.5 to 1.25 % of the days so "
            f"far, {terms.looks:,} looks in all, the last on {terms.when(terms.longest)}"
        )
    if terms.normal is not None and not isinstance(terms.world.prior, Normal):
        fat = isinstance(terms.world.prior, StudentT)
        notes.append(
            "rules that need a normal prior are given the one with the same mean and "
            f"{'interquartile range' if fat else 'spread'}, {terms.normal}"
        )
    return notes
