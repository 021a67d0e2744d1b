"""Past tests: logs of them, and what policies would have earned on them."""

from importlib.util import find_spec

from dwell.errors import MissingExtra

for _library in ("duckdb", "narwhals", "pyarrow"):
    if find_spec(_library) is None:
        raise MissingExtra(f"logs of past tests need {_library}: pip install 'dwell[history]'")
