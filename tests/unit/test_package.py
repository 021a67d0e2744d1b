"""The package: what it exports, and what it costs to import."""

import ast
import inspect
import random
import re
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
PACKAGES = {"estimate", "objectives", "planning", "rules", "testing"}
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


@pytest.mark.parametrize("name", sorted(set(dwell.__all__) - PACKAGES))
def test_every_exported_name_is_what_its_module_defines(name: str) -> None:
    """Each name leads to an object that was defined where the package says, with a docstring."""
    value = getattr(dwell, name)
    home = import_module(value.__module__)
    assert getattr(home, name) is value
    assert inspect.isclass(value) or inspect.isfunction(value)
    assert inspect.getdoc(value)


def test_no_submodule_takes_the_place_of_an_exported_name() -> None:
    """Whatever is imported first, dwell.scan is a function and not a module; a random order."""
    order = random.Random(0).sample(MODULES, len(MODULES))
    exported = run_python(
        "import dwell, types\n"
        "from importlib import import_module\n"
        f"for name in {order!r}: import_module(name)\n"
        f"for name in {sorted(set(dwell.__all__) - PACKAGES)!r}:\n"
        "    if isinstance(getattr(dwell, name), types.ModuleType): print(name)"
    )
    assert exported.split() == []


def test_no_exported_name_is_a_submodules_name() -> None:
    """An import of a submodule sets an attribute of the package: no export may be called so."""
    submodules = {name.removeprefix("dwell.") for name in MODULES}
    assert not (set(dwell.__all__) - PACKAGES) & submodules
    assert submodules >= PACKAGES


def test_type_checkers_see_the_very_names_that_are_exported() -> None:
    """The stub re-exports each name from the module that defines it, and hides none."""
    for node in ast.parse((HOME / "__init__.pyi").read_text(encoding="utf-8")).body:
        if isinstance(node, ast.ImportFrom):
            [alias] = node.names
            assert alias.asname == alias.name, "only 'import X as X' is a re-export"
            if node.module != "dwell":
                assert getattr(dwell, alias.name).__module__ == node.module


def test_packages_are_reached_by_their_names() -> None:
    """`dwell.estimate` and its like, for people and for type checkers."""
    for name in PACKAGES:
        assert getattr(dwell, name) is import_module(f"dwell.{name}")
    assert dwell.objectives.g1 is import_module("dwell.objectives").g1


def test_every_exported_name_is_documented_and_every_documented_one_is_exported() -> None:
    """The page about the package lists the names of `__all__`, and no others."""
    page = (HOME.parents[1] / "docs" / "api.md").read_text(encoding="utf-8")
    cells = [line.split("|")[2] for line in page.splitlines() if line.startswith("| ")][1:]
    listed = [name for cell in cells for name in re.findall(r"`(\w+)`", cell)]
    assert set(listed) == set(dwell.__all__)


def test_no_public_name_would_be_collected_as_a_test() -> None:
    """Whoever imports our names into a test module has none of them run as a test."""
    for module in (dwell, *(getattr(dwell, name) for name in PACKAGES)):
        assert not [name for name in dir(module) if name.startswith(("test_", "Test"))]


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
            "plan",
            "Terms",
            "check",
        ),
    } <= set(dwell.__all__)


def test_an_unknown_name_is_no_attribute() -> None:
    """A misspelt name fails as for any module."""
    with pytest.raises(AttributeError, match="'dwell' has no attribute 'hoefding'"):
        dwell.hoefding  # type: ignore[attr-defined]  # noqa: B018  # it must not exist


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
