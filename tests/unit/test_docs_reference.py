"""The reference of the docs site has every public name once, and no other."""

import ast
import re
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_every_public_name_has_its_place() -> None:
    stub = ast.parse((ROOT / "src/dwell/__init__.pyi").read_text(encoding="utf-8"))
    imports = [node for node in stub.body if isinstance(node, ast.ImportFrom)]
    public = [
        f"{node.module}.{alias.name}"
        for node in imports
        if node.module != "dwell"  # packages, whose names are not all public
        for alias in node.names
    ]
    placed = [
        name
        for page in sorted((ROOT / "docs/reference").glob("*.md"))
        for name in re.findall(r"(?m)^::: (\S+)$", page.read_text(encoding="utf-8"))
    ]
    assert sorted(placed) == sorted(public)
