# Two commands do everything on a fresh machine: `make run` and `make test`.
PYTHON ?= python3.11
VENV := .venv
BIN := $(VENV)/bin
STAMPS := .stamps
# Tests run in as many processes as there are cores, a file in each: most of their time windows are drawn.
SPREAD := -n auto --maxprocesses 4 --dist loadfile
# Unit tests wait for disks and threads now and then. One process more than cores fills these waits.
ONE_MORE = $(shell $(BIN)/python -c "import os; print((os.cpu_count() or 1) + 1)")

ifeq (, $(shell command -v $(PYTHON) 2>/dev/null))
PYTHON := python3
endif

.PHONY: run test lint types tests unit coverage docs setup dev train clean

run: $(STAMPS)/app
	@$(BIN)/shithead app

test: lint types tests

lint: $(STAMPS)/dev
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/lint-imports
	@$(BIN)/python scripts/plain_english.py

types: $(STAMPS)/dev
	@$(BIN)/mypy

tests: $(STAMPS)/dev
	@$(BIN)/pytest $(SPREAD)

# The tests of single modules, without windows, films and packages: about a minute.
unit: $(STAMPS)/dev
	@$(BIN)/pytest -n $(ONE_MORE) --maxprocesses 5 --dist loadfile tests/unit

# Which statements the tests run, in processes that they start too. Takes up to two and a half times as long as `tests`.
coverage: $(STAMPS)/dev
	@$(BIN)/pytest $(SPREAD) --cov --cov-report=html:out/coverage --cov-report=json:out/coverage.json
	@$(BIN)/python -m datasets.measuring.results.coverage out/coverage.json

docs: $(STAMPS)/docs
	@NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --quiet --strict --clean

setup: $(STAMPS)/app
dev: $(STAMPS)/dev
train: $(STAMPS)/train

$(STAMPS)/system: scripts/system-libraries.sh
	@mkdir -p $(STAMPS)
	@sh scripts/system-libraries.sh
	@touch $@

$(VENV)/bin/python: | $(STAMPS)/system
	@$(PYTHON) -m venv $(VENV)

$(STAMPS)/app: pyproject.toml $(STAMPS)/system | $(VENV)/bin/python
	@$(BIN)/pip install --quiet --disable-pip-version-check -e '.[phone]'
	@touch $@

# The tests of the page that phones show need a browser. Where none can be installed, they skip themselves.
$(STAMPS)/browser: scripts/system-libraries.sh $(STAMPS)/system
	@sh scripts/system-libraries.sh --with-browser || \
		echo "Chromium cannot be installed; the tests of the page for phones are skipped" >&2
	@touch $@

$(STAMPS)/dev: $(STAMPS)/app $(STAMPS)/browser
	@$(BIN)/pip install --quiet --disable-pip-version-check -e '.[dev]'
	@touch $@

$(STAMPS)/docs: $(STAMPS)/app
	@$(BIN)/pip install --quiet --disable-pip-version-check -e '.[docs]'
	@touch $@

# torch comes first and pinned: left to a resolver, a CPU machine gets several GB of CUDA packages.
$(STAMPS)/train: $(STAMPS)/dev
	@$(BIN)/pip install --quiet --disable-pip-version-check torch==2.13.0
	@$(BIN)/pip install --quiet --disable-pip-version-check -e '.[dev,train]'
	@touch $@

clean:
	rm -rf $(VENV) $(STAMPS) build site *.egg-info
