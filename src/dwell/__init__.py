"""How long should we dwell on each idea before we ship it or drop it?

`dwell` learns, over a stream of tests, the stopping policy that earns the most per unit of testing.
Names are loaded when they are first used, so that importing the package costs nothing. Which names
there are, and where each is defined, stands in `__init__.pyi`.
"""

import ast
from importlib import import_module
from pathlib import Path

__version__ = "0.2.0"

_STUB = ast.parse(Path(__file__).with_suffix(".pyi").read_text(encoding="utf-8"))
_HOMES = {
    alias.name: node.module
    for node in _STUB.body
    if isinstance(node, ast.ImportFrom)
    for alias in node.names
}
__all__ = sorted(_HOMES)


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module 'dwell' has no attribute {name!r}")
    home = _HOMES[name]
    if home == "dwell":
        return import_module(f"dwell.{name}")
    value: object = getattr(import_module(home), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return [*globals(), *_HOMES]
