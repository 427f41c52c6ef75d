# make try    see it happen: the example dies without vcompat and trains with it
# make test   all checks and all tests, as CI runs them
# make bench  the figures of the README, as ratios measured side by side
#
# Each sets up what it needs in .venv; PYTHON chooses the interpreter (3.11 is the one that the pins were tried with).

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

.PHONY: try test lint bench clean

try: $(VENV)/.installed
	$(BIN)/python examples/try.py

test: $(VENV)/.installed lint
	$(BIN)/python -m pytest --numprocesses 2

lint: $(VENV)/.installed
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-logo
	$(BIN)/codespell

bench: $(VENV)/.installed
	$(BIN)/python bench/bench.py

$(VENV)/.installed: pyproject.toml examples/requirements.txt
	@echo "== an environment in $(VENV): torch, vLLM and TRL (about 600 MB to download, once), and vcompat"
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --upgrade pip
	$(BIN)/pip install torch==2.13.0
	$(BIN)/pip install --no-deps --requirement examples/requirements.txt
	$(BIN)/pip install --editable '.[dev]'
	touch $@

clean:
	rm -rf $(VENV)
