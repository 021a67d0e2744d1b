"""Priors and laws as a person types them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dwell import Atoms, Beta, Gaussian, Lift, Normal, Signs, StudentT
from dwell.laws import Law
from dwell.parsing import parse_law, parse_prior
from dwell.priors import Prior
from tests.refusals import refused
from tests.strategies import PROPERTY

NUMBERS = st.integers(-99999, 99999).map(lambda number: number / 1000)
POSITIVE = st.integers(1, 99999).map(lambda number: number / 1000)


@st.composite
def weighted_atoms(draw: st.DrawFn) -> Atoms:
    values = draw(st.lists(NUMBERS, min_size=1, max_size=6))
    parts = draw(st.lists(st.integers(1, 100), min_size=len(values), max_size=len(values)))
    return Atoms(values, [part / sum(parts) for part in parts])


@given(
    prior=st.builds(Atoms, st.lists(NUMBERS, min_size=1, max_size=6))
    | st.builds(Beta, POSITIVE, POSITIVE)
    | st.builds(Normal, NUMBERS, POSITIVE)
    | st.builds(
        StudentT, NUMBERS, POSITIVE, st.integers(1001, 99999).map(lambda number: number / 1000)
    )
)
@PROPERTY
def test_a_prior_can_be_typed_as_it_is_shown(prior: Prior) -> None:
    """Parsing the repr gives the prior back."""
    assert parse_prior(repr(prior)) == prior
    assert parse_prior(f"  {repr(prior).upper()} ".replace(",", " , ")) == prior


@given(prior=weighted_atoms())
@PROPERTY
def test_weighted_atoms_can_be_typed_as_they_are_shown(prior: Atoms) -> None:
    """Parsing the repr gives the atoms back, their weights up to the digits that are shown."""
    parsed = parse_prior(repr(prior))
    assert isinstance(parsed, Atoms)
    assert parsed.values == prior.values
    assert parsed.weights == pytest.approx(prior.weights, rel=1e-5)


@given(
    law=st.just(Signs())
    | st.builds(Lift, st.integers(1, 999).map(lambda number: number / 1000))
    | st.builds(Gaussian, POSITIVE)
)
@PROPERTY
def test_a_law_can_be_typed_as_it_is_shown(law: Law) -> None:
    """Parsing the repr gives the law back, however it is spaced and capitalised."""
    assert parse_law(repr(law)) == law
    assert parse_law(f" {repr(law).lower()}  ") == law


def test_a_law_without_parameters_may_have_empty_brackets() -> None:
    """Signs and Signs() are the same, as a person may type either."""
    assert parse_law("Signs") == parse_law("signs()") == parse_law(" SIGNS ( ) ") == Signs()


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("", "''"),
        ("Cauchy(0, 1)", "Cauchy"),
        ("Cauchy(heavy)", "Cauchy"),
        ("Beta", "Beta"),
        ("Beta(2)", "Beta(2)"),
        ("Beta(1, 2, 3)", "Beta(1, 2, 3)"),
        ("Beta(2, 3", "Beta(2, 3"),
        ("Normal 0 1", "Normal 0 1"),
        ("Normal\n(0)", "Normal"),
        ("Beta(two, 3)", "two"),
        ("Beta(2,)", "''"),
        ("Beta(0, 1)", "0"),
        ("Normal(nan, 1)", "nan"),
        ("Normal(0, -1)", "-1"),
        ("Atoms", "none"),
        ("Atoms()", "none"),
        ("Atoms(1, x)", "x"),
        ("Atoms(1:0.5, 2)", "Atoms(1:0.5, 2)"),
        ("Atoms(1:0.5:3, 2:0.5:1)", "Atoms(1:0.5:3"),
        ("Atoms(1:0.5, 2:0.6)", "1.1"),
        ("Atoms(1:half, 2:half)", "half"),
    ],
)
def test_a_prior_typed_wrongly_is_refused(text: str, named: str) -> None:
    """What is wrong is named, whether the name, the number of arguments or one of them."""
    with refused(named):
        parse_prior(text)


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("", "''"),
        ("Poisson(3)", "Poisson"),
        ("Poisson(rate)", "Poisson"),
        ("Signs(1)", "Signs(1)"),
        ("Lift", "Lift"),
        ("Lift(0.1, 0.2)", "Lift(0.1, 0.2)"),
        ("Lift(often)", "often"),
        ("Lift(2)", "2"),
        ("Gaussian(0)", "0"),
        ("Gaussian(", "Gaussian("),
    ],
)
def test_a_law_typed_wrongly_is_refused(text: str, named: str) -> None:
    """What is wrong is named, whether the name, the number of arguments or one of them."""
    with refused(named):
        parse_law(text)
