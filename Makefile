# make demo: from a fresh clone to a judged workspace and a report.   make test: the tests.   make check: style, types, layers.
PYTHON ?= python3
VENV ?= .venv
ifeq ($(OS),Windows_NT)
BIN := $(VENV)/Scripts
else
BIN := $(VENV)/bin
endif
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check

.PHONY: demo test check format lock clean

demo: $(VENV)/.base
	$(BIN)/trueup demo demo

test: $(VENV)/.dev
	$(BIN)/python -m pytest -n auto $(PYTEST_ARGS)

check: $(VENV)/.dev
	$(BIN)/ruff check src tui tests benchmarks
	$(BIN)/ruff format --check src tui tests benchmarks
	$(BIN)/mypy
	$(BIN)/lint-imports

format: $(VENV)/.dev
	$(BIN)/ruff check --fix src tui tests benchmarks
	$(BIN)/ruff format src tui tests benchmarks

$(VENV)/.created:
	$(PYTHON) -m venv $(VENV)
	touch $@

$(VENV)/.base: $(VENV)/.created requirements/base.txt pyproject.toml
	$(PIP) --require-hashes -r requirements/base.txt
	$(PIP) --no-deps --no-build-isolation --editable .
	touch $@

$(VENV)/.dev: $(VENV)/.base requirements/dev.txt
	$(PIP) --require-hashes -r requirements/dev.txt
	touch $@

# Pins are made with uv (any recent one); the files name no package index.
lock:
	uv pip compile --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-header --upgrade -q requirements/base.in -o requirements/base.txt
	uv pip compile --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-header -q requirements/dev.in -c requirements/base.txt -o requirements/dev.txt

clean:
	rm -rf $(VENV) demo .mypy_cache .ruff_cache .pytest_cache .import_linter_cache
