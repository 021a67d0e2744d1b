"""What `make dist` has built: looked through, installed anew, and put to work.

`python -m tests.published dist` installs the wheel from the package index into an environment of
its own, without extras, and runs the README's commands there, away from the project: they print
what it shows. Then it is installed with the extra `service`, which checks itself. The sdist must
make the same wheel.
"""

import sys
import tarfile
import venv
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter
from zipfile import ZipFile

from tests import pages
from tests.acceptance.test_readme import commands
from tests.installing import ROOT, built, check_wheel, install, run_in

NEVER = {".git", ".venv", ".cache", "__pycache__", "site", "dist", ".coverage"}


def check_sdist(sdist: Path, wheel: Path, folder: Path) -> None:
    """See that an sdist makes the wheel, file by file, and carries nothing that was made here."""
    with tarfile.open(sdist) as packed:
        packed.extractall(folder, filter="data")
    [project] = folder.iterdir()
    assert project.name == sdist.name.removesuffix(".tar.gz")
    parts = {part for path in project.rglob("*") for part in path.relative_to(project).parts}
    assert not NEVER & parts, NEVER & parts
    for name in ("README.md", "CHANGELOG.md", "LICENSE", "Makefile", "docs", "tests", "benchmarks"):
        assert (project / name).exists(), name
    (folder / "again").mkdir()
    again = built("wheel", folder / "again", source=project)
    assert contents(again) == contents(wheel)


def contents(wheel: Path) -> dict[str, bytes]:
    """The files of a wheel."""
    with ZipFile(wheel) as packed:
        return {name: packed.read(name) for name in packed.namelist()}


def do(folder: Path, program: Path, *words: str) -> str:
    """Run a command, say how long it took, and see that it did well."""
    start = perf_counter()
    done = run_in(folder, program, *words)
    print(f"{perf_counter() - start:6.1f} s  dwell {' '.join(words)}", flush=True)
    if done.returncode != 0:
        sys.exit(f"it left with {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def main(dist: Path) -> None:
    """Check what is in a folder."""
    [wheel], [sdist] = dist.glob("*.whl"), dist.glob("*.tar.gz")
    metadata = check_wheel(wheel)
    with TemporaryDirectory() as name:
        check_sdist(sdist, wheel, Path(name))
    print(f"{wheel.name} and {sdist.name} have what they should, and nothing else", flush=True)
    with TemporaryDirectory() as name:
        home, folder = Path(name) / "environment", Path(name) / "elsewhere"
        folder.mkdir()
        venv.create(home, symlinks=True)
        constraints = ("-c", str(ROOT / "constraints.txt"))
        install(home, *constraints, str(wheel))
        program = home / "bin" / "dwell"
        said = do(folder, program, "--version")
        assert said == f"dwell, version {metadata.version}\n", said
        readme = pages.commands("../README.md")
        shown = {tuple(pages.words_of(each.line)[1:]): each.lines for each in readme}
        for words in commands():
            printed = do(folder, program, *words)
            pages.compare([*shown.get(tuple(words), ()), "…"], printed, " ".join(words))
        install(home, *constraints, f"{wheel}[service]")
        do(folder, program, "serve", "--demo", "--port", "0", "--check")


if __name__ == "__main__":
    main(Path(sys.argv[1]).resolve())
