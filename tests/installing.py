"""The package as it is published: built, looked through, and run where nothing else is in sight."""

import os
import subprocess
import sys
import venv
from collections.abc import Iterator
from importlib.metadata import Distribution, PathDistribution, distribution
from pathlib import Path
from zipfile import Path as InZip
from zipfile import ZipFile

from packaging.metadata import Metadata
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[1]


def built(target: str, folder: Path, source: Path = ROOT) -> Path:
    """The wheel or the sdist of a source, built into a folder.

    Args:
        target: `wheel` or `sdist`.
        folder: Where it goes; nothing else of that kind is there.
        source: Where the project is.
    """
    build = [sys.executable, "-m", "hatchling", "build", "-t", target, "-d", str(folder)]
    subprocess.run(build, cwd=source, check=True, capture_output=True)
    [found] = folder.glob({"wheel": "*.whl", "sdist": "*.tar.gz"}[target])
    return found


def described_in(wheel: Path) -> Distribution:
    """What a wheel says about itself."""
    [folder] = [each for each in InZip(wheel).iterdir() if each.name.endswith(".dist-info")]
    return PathDistribution(folder)


def check_wheel(wheel: Path) -> Metadata:
    """See that a wheel has every file of the package and nothing else; gives its metadata.

    They are read strictly: what a package index would refuse is refused here.
    """
    home = ROOT / "src"
    wanted = {
        path.relative_to(home).as_posix()
        for path in (home / "dwell").rglob("*")
        if path.is_file() and path.parent.name != "__pycache__"
    }
    packed = ZipFile(wheel).namelist()
    text = described_in(wheel).read_text("METADATA")
    assert text is not None
    metadata = Metadata.from_email(text, validate=True)
    about = f"dwell-{metadata.version}.dist-info"
    assert {name for name in packed if not name.startswith(f"{about}/")} == wanted
    assert {Path(name).suffix for name in wanted} >= {".css", ".jinja", ".js", ".pyi", ".sql"}
    assert "dwell/py.typed" in wanted
    assert f"{about}/licenses/LICENSE" in packed
    return metadata


def link_required(wheel: Path, home: Path) -> None:
    """Make an environment with a wheel and what it requires without extras.

    What is required is linked from where this runs, so that no package index is needed; what is not
    required is not there. The wheel itself is installed by pip, which would look for what is
    missing and fail.
    """
    venv.create(home, symlinks=True)
    [packages] = home.glob("lib/python*/site-packages")
    for needed in _required_by(described_in(wheel)):
        for name in _top_levels(needed):
            (packages / name).symlink_to(Path(str(needed.locate_file(name))).resolve())
    install(home, "--no-index", "--no-compile", str(wheel))


def install(home: Path, *what: str) -> None:
    """Install something into an environment by the pip of this one."""
    pip = [sys.executable, "-m", "pip", "--python", str(home / "bin" / "python"), "install"]
    subprocess.run([*pip, "--quiet", "--disable-pip-version-check", *what], check=True)


def _required_by(package: Distribution) -> list[Distribution]:
    """Whatever a package requires here, and what that requires, without extras nobody asked for."""
    found: dict[str, Distribution] = {}
    wanted = list(_requirements(package, extras=set()))
    while wanted:
        requirement = wanted.pop()
        name = canonicalize_name(requirement.name)
        if name not in found:
            found[name] = distribution(name)
            wanted += _requirements(found[name], requirement.extras)
    return list(found.values())


def _requirements(package: Distribution, extras: set[str]) -> Iterator[Requirement]:
    for text in package.requires or []:
        requirement = Requirement(text)
        asked = [{"extra": extra} for extra in ("", *extras)]
        if requirement.marker is None or any(map(requirement.marker.evaluate, asked)):
            yield requirement


def _top_levels(package: Distribution) -> set[str]:
    """Names of the modules, folders and libraries that a package puts next to others."""
    names = {file.parts[0] for file in package.files or []}
    return names - {"..", "__pycache__"}


def run_in(folder: Path, *command: str | Path) -> subprocess.CompletedProcess[str]:
    """Run a program without this project in sight."""
    apart = {name: os.environ[name] for name in ("HOME", "PATH", "TMPDIR") if name in os.environ}
    return subprocess.run(
        command,
        cwd=folder,
        env=apart | {"PYTHONWARNINGS": "error"},
        capture_output=True,
        text=True,
    )
