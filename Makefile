# make try    see it happen: the example dies without vcompat and trains with it
# make test   all checks and the tests that CI runs for each commit
# make quick  checks and tests that take less than a minute, without torch and without the network, before each commit
# make test-all  all checks and all tests, also slow ones, as the scheduled workflow runs them
# make bench  the times of docs/figures.md, as ratios measured side by side
# make oracle what the readers of run files state, compared with real executions of generated files (EXAMPLES of them)
# make site   the web site, into site/: `python -m http.server -d site` shows it
# make mutants random changes of the code that no fast test notices (MUTANTS of them, chosen by SEED)
#
# `make bench PROJECTS=folder` also scores the checkouts of public projects in that folder (bench/projects.toml).
#
# Each sets up what it needs in .venv; PYTHON chooses the interpreter (3.11 is the one that the pins were tried with).
#
# TORCH_INDEX is the package index that torch is installed from. Set it to PyTorch's index of CPU builds, whose address the
# installation selector on pytorch.org shows after --index-url. Without it, pip may choose the default build, which also
# works without a GPU but downloads 2.5 GB more of CUDA packages. Run `make clean` before a change of it.

PYTHON ?= python3
TORCH_INDEX ?=
PROJECTS ?=
EXAMPLES ?= 20000
MUTANTS ?= 300
SEED ?= 1
QUICK ?= tests/cases $(addprefix tests/unit/,foundation index facts rules evaluation diagnosis report)
VENV := .venv
BIN := $(VENV)/bin

.PHONY: try quick test test-all lint bench oracle mutants site clean

try: $(VENV)/.installed
	$(BIN)/python examples/try.py

quick: $(VENV)/.quick
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/python -m tests.fact_names
	$(BIN)/python -m pytest -m 'not slow and not long' --quiet --numprocesses 2 --dist worksteal $(QUICK)

test: $(VENV)/.installed lint
	$(BIN)/python -m pytest -m 'not slow' --numprocesses 2 --dist worksteal

test-all: $(VENV)/.installed lint
	VCOMPAT_SLOW_TESTS=1 $(BIN)/python -m pytest --numprocesses 2 --dist worksteal

lint: $(VENV)/.installed
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-logo
	$(BIN)/codespell
	$(BIN)/python -m tests.fact_names

bench: $(VENV)/.installed
	$(BIN)/python bench/bench.py
	$(BIN)/python -m bench.memory
	$(BIN)/python -m bench.cases
	$(BIN)/python -m bench.stated
	$(BIN)/python -m bench.fleet
	$(BIN)/python -m bench.fleet_jobs
	$(BIN)/python -m bench.run
	$(BIN)/python -m bench.diagnose --throughput
	$(BIN)/python -m bench.imports
	$(BIN)/python bench/rehearsal.py
	$(if $(PROJECTS),$(BIN)/python -m bench.projects '$(PROJECTS)')

oracle: $(VENV)/.installed
	$(BIN)/python -m tests.oracle --examples $(EXAMPLES)

mutants: $(VENV)/.installed
	$(BIN)/pip install --quiet --editable '.[mutation]'
	nice -n 10 $(BIN)/python -m tests.mutation --mutants $(MUTANTS) --seed $(SEED)

# The quick environment, or the one of the tests where that is there already.
site: $(if $(wildcard $(VENV)/.installed),$(VENV)/.installed,$(VENV)/.quick)
	$(BIN)/python -m web site

# Without torch, vLLM and TRL: an environment that has them serves as well.
$(VENV)/.quick: pyproject.toml
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --editable '.[dev]'
	touch $@

$(VENV)/.installed: pyproject.toml examples/requirements.txt
	@echo "== an environment in $(VENV): torch, vLLM and TRL (1 GB to download, once; 3.5 GB with torch's default build), and vcompat"
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --upgrade pip
	$(BIN)/pip install $(if $(TORCH_INDEX),--index-url '$(TORCH_INDEX)') torch==2.13.0
	$(BIN)/pip install --no-deps --requirement examples/requirements.txt
	$(BIN)/pip install --editable '.[dev]'
	touch $@

clean:
	rm -rf $(VENV)
