# Two commands do everything: `make run` and `make test`. Each sets up what it needs first.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/ready

# Where a machine says that Python keeps nothing compiled, every process compiles all that it imports.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := run
.PHONY: run test tests kernels plain coverage check lint types system docs dist bench clean

# The demo of the service goes on until Ctrl-C. Where nobody looks, it checks itself and ends.
PORT ?= 8000
run: $(READY)
	$(BIN)/dwell demo
	@if [ -t 1 ] && [ -z "$$CI" ]; then $(BIN)/dwell serve --demo --port $(PORT); \
	else $(BIN)/dwell serve --demo --port 0 --check; fi

# What takes one core for a minute goes on beside the tests, which often wait: types, and kernels as
# plain Python.
test: $(READY) lint system
	@$(MAKE) --no-print-directory -j 3 tests types plain

# Workers keep the cores busy: threads that BLAS starts for small matrices only wait for each other,
# and fits take twice the processor time with them.
tests plain coverage: export OPENBLAS_NUM_THREADS := 1

# The files that take longest come first (tests/conftest.py), so that no worker ends with one. Tests
# that wait for processes, databases and browsers leave a core idle: three workers keep two busy.
PYTEST := $(BIN)/pytest -n 3 --dist loadfile --no-loadscope-reorder
tests: $(READY) kernels
	$(PYTEST) --durations=20

# Compiled once: workers and the processes that they start find them.
kernels: $(READY)
	$(BIN)/python -m tests.kernels

# The kernels' tests once more without the compiler, whose code reads past the end of an array
# unnoticed.
PLAIN := NUMBA_DISABLE_JIT=1 $(BIN)/pytest -q -p no:cacheprovider \
	tests/unit/test_kernels.py tests/unit/test_paths.py tests/unit/test_bridges.py tests/unit/test_periods.py \
	tests/unit/test_history_replay.py tests/unit/test_history_current_rule.py
plain: $(READY)
	$(PLAIN)

# Which lines no test runs. To watch them takes half as long again, so that `test` does not. Statistical
# tests run the same lines as others, many times over, and a browser none; compiled code cannot be watched.
coverage: $(READY) system kernels
	$(PYTEST) --ignore=tests/statistical --ignore=tests/browser --cov --cov-report= --cov-fail-under=0
	$(PLAIN) --cov --cov-append

check: lint types

lint: $(READY)
	$(BIN)/ruff format --check
	$(BIN)/ruff check
	$(BIN)/lint-imports --no-logo

types: $(READY)
	$(BIN)/mypy

# A browser and a database server for the tests. Where nobody may install them, the tests that need
# them say so and are skipped (under CI=true they fail).
system:
	@missing=; command -v chromium >/dev/null || missing=chromium; \
	ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1 || command -v initdb >/dev/null \
		|| missing="$$missing postgresql"; \
	[ -z "$$missing" ] || { [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null \
		&& apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq $$missing; } || true

# The docs site, to be opened from the disk: site/index.html.
docs: $(READY)
	$(BIN)/python docs/commands.py
	$(BIN)/python docs/calls.py
	$(BIN)/python docs/run_notebooks.py
	$(BIN)/python docs/gallery.py
	$(BIN)/zensical build --strict --clean

# What is published: a wheel and an sdist in dist/, looked through; the wheel is installed anew, and
# runs the README's commands without this project in sight.
dist: $(READY)
	rm -rf dist
	$(BIN)/python -m hatchling build -d dist
	$(BIN)/python -m tests.published dist

bench: $(READY)
	$(BIN)/python -m benchmarks

clean:
	rm -rf $(VENV) site dist .coverage* .mypy_cache .pytest_cache .ruff_cache .hypothesis

$(READY): pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[dev]'
	@touch $@
