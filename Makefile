# Two commands on a fresh machine: `make demo` and `make test`.
# Both make .venv and install exact versions when needed.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
CORES := -n auto --maxprocesses 4 --dist loadfile

.PHONY: demo test quick check bench docs clean

demo: $(READY)
	$(BIN)/cotenant demo

# On all cores, four at most; the tests of a file share what they set up.
test: $(READY)
	$(BIN)/python -m pytest -q $(CORES)

quick: $(READY)
	$(BIN)/python -m pytest -q $(CORES) -m "not slow and not realdata"

check: $(READY)
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-cache
	$(BIN)/python .ci/audit.py

# BENCH='packing reading' runs these two, BENCH=--keep keeps what was measured.
bench: $(READY)
	$(BIN)/python -m pip install -q --disable-pip-version-check -c constraints.txt -e ".[bench]"
	$(BIN)/python -m benchmarks $(BENCH)

docs: $(READY)
	$(BIN)/sphinx-build -W -q docs docs/_build
	@echo "docs/_build/index.html"

clean:
	rm -rf $(VENV) demo docs/_build build dist

$(READY): pyproject.toml constraints.txt
	@echo "setting up $(VENV): about a minute, once"
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or later is needed; make PYTHON=python3.12")'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install -q --disable-pip-version-check -c constraints.txt -e ".[dev,docs,cluster]"
	@echo "compiling kernels: up to a minute, once"
	$(BIN)/python -m cotenant.kernels.warm
	$(BIN)/python -m compileall -q src
	@touch $(READY)
