"""The package: what it exports, and what it costs to import."""

import ast
import inspect
import random
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

import dwell

HOME = Path(inspect.getfile(dwell)).parent
MODULES = sorted(
    ".".join(("dwell", *path.relative_to(HOME).with_suffix("").parts)).removesuffix(".__init__")
    for path in HOME.rglob("*.py")
    if path.stem != "__main__"
)
HEAVY = {"numpy", "scipy", "numba", "plotly", "click", "rich"}


def run_python(code: str) -> str:
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return done.stdout


def test_importing_the_package_loads_nothing_heavy() -> None:
    """Importing dwell and listing its names loads neither NumPy nor SciPy nor Numba."""
    loaded = run_python("import sys, dwell; dir(dwell); dwell.__all__; print(*sys.modules)").split()
    assert not HEAVY & {name.partition(".")[0] for name in loaded}


def test_errors_are_there_without_anything_heavy() -> None:
    """A command can catch dwell's errors before it loads anything."""
    loaded = run_python("import sys, dwell; dwell.InvalidInput; print(*sys.modules)").split()
    assert not HEAVY & {name.partition(".")[0] for name in loaded}


@pytest.mark.parametrize("name", dwell.__all__)
def test_every_exported_name_is_what_its_module_defines(name: str) -> None:
    """Each name leads to an object that was defined where the package says."""
    value = getattr(dwell, name)
    home = import_module(value.__module__)
    assert getattr(home, name) is value
    assert inspect.isclass(value) or inspect.isfunction(value)


def test_no_submodule_takes_the_place_of_an_exported_name() -> None:
    """Whatever is imported first, dwell.scan is a function and not a module; a random order."""
    order = random.Random(0).sample(MODULES, len(MODULES))
    exported = run_python(
        "import dwell, types\n"
        "from importlib import import_module\n"
        f"for name in {order!r}: import_module(name)\n"
        "for name in dwell.__all__:\n"
        "    if isinstance(getattr(dwell, name), types.ModuleType): print(name)"
    )
    assert exported.split() == []


def test_no_exported_name_is_a_submodules_name() -> None:
    """An import of a submodule sets an attribute of the package: no export may be called so."""
    assert not set(dwell.__all__) & {name.removeprefix("dwell.") for name in MODULES}


def test_type_checkers_see_the_very_names_that_are_exported() -> None:
    """The imports under TYPE_CHECKING: those of __all__ from the same modules, and packages."""
    tree = ast.parse((HOME / "__init__.py").read_text(encoding="utf-8"))
    [guarded] = [node for node in tree.body if isinstance(node, ast.If)]
    seen = {}
    for node in guarded.body:
        assert isinstance(node, ast.ImportFrom)
        for alias in node.names:
            assert alias.asname == alias.name, "only 'import X as X' is a re-export"
            seen[alias.name] = node.module
    packages = {name for name, module in seen.items() if module == "dwell"}
    assert packages == {"estimate", "rules"}
    assert sorted(seen.keys() - packages) == dwell.__all__
    for name in dwell.__all__:
        assert getattr(dwell, name).__module__ == seen[name]


def test_packages_are_reached_by_their_names() -> None:
    """`dwell.estimate` and `dwell.rules`, for people and for type checkers."""
    assert dwell.estimate.betting is import_module("dwell.estimate").betting
    assert dwell.rules.msprt is import_module("dwell.rules").msprt


def test_the_names_that_are_relied_on_from_outside_are_exported() -> None:
    """What the design fixes of this part of the package is there."""
    assert {
        *("World", "Atoms", "Beta", "Normal", "Signs", "Gaussian", "Lift", "hoeffding", "Policy"),
        *(
            "exact",
            "oracle",
            "fit_prior",
            "Cape",
            "Esc",
            "EscCape",
            "Ladder",
            "Fixed",
            "ExploreThenCommit",
            "simulate",
        ),
    } <= set(dwell.__all__)


def test_an_unknown_name_is_no_attribute() -> None:
    """A misspelt name fails as for any module."""
    with pytest.raises(AttributeError, match="'dwell' has no attribute 'hoefding'"):
        dwell.hoefding  # noqa: B018  # it must not exist


def test_every_exported_name_is_listed() -> None:
    """Completion in a shell finds all names."""
    assert set(dwell.__all__) <= set(dir(dwell))


def test_every_error_is_a_dwell_error_and_bad_input_is_a_value_error() -> None:
    """One except clause catches all, and the usual one catches bad input."""
    assert issubclass(dwell.InvalidInput, dwell.DwellError)
    assert issubclass(dwell.InvalidInput, ValueError)
    assert issubclass(dwell.LooksAhead, dwell.InvalidInput)
    assert issubclass(dwell.CannotWrite, dwell.DwellError)
    assert issubclass(dwell.CannotWrite, OSError)
    assert issubclass(dwell.NothingWorthTesting, dwell.DwellError)
    assert not issubclass(dwell.NothingWorthTesting, dwell.InvalidInput)
    assert issubclass(dwell.VacuousGuarantee, UserWarning)
    assert issubclass(dwell.UncertainPrior, UserWarning)
