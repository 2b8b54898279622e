# The verbs of this project. Each does the set-up it needs: a Python of 3.11 or later and make are enough.

VENV   := .venv
PIP    := $(VENV)/bin/python -m pip
CORES  ?= auto
OURS   := $(wildcard $(shell git ls-files '*.py' ':!agents/starters' 2>/dev/null))
SECONDS ?= 10
JOBS   ?= 1
SEED   ?= 0
.DEFAULT_GOAL := help
.PHONY: help tournament serve test test-all checked lint format bars fuzz hooks clean
.DELETE_ON_ERROR:

# An environment knows its Python and its own place by absolute paths: where one of them has gone, it is made anew.
GONE := $(shell cd $(VENV) 2>/dev/null && { test -x bin/python && { ! test -e place || test "$$(cat place)" = "$(CURDIR)"; } \
          || rm -f bin/pip installed installed-web installed-dev installed-fuzz warmed; })

help:
	@while IFS= read -r line; do case "$$line" in [a-z]*:*' ## '*) \
	  printf 'make %-11s %s\n' "$${line%%:*}" "$${line##* ## }";; esac; done < $(firstword $(MAKEFILE_LIST))
	@echo
	@echo "PYTHON=/path/to/python chooses the Python of the environment in $(VENV) (3.11 or later)."

tournament: $(VENV)/installed  ## Play the house tournament to its table (a minute or two)
	$(VENV)/bin/gomogo tournament run tournaments/house.toml

serve: $(VENV)/installed-web  ## Serve the page and open it: watch, replay and play in a browser
	$(VENV)/bin/gomogo serve --open

test: checked  ## Check style, types and layers, then run the quick tests
	$(VENV)/bin/python -m pytest -n $(CORES) --dist worksteal

test-all: checked  ## Check style, types and layers, then run all tests but the long proofs, as CI does
	$(VENV)/bin/python -m pytest -n $(CORES) --dist worksteal -m 'not long'

checked: $(VENV)/installed-dev
	@$(MAKE) --no-print-directory --jobs=2 lint $(VENV)/warmed

# Without this, each process of the tests compiles the engines for itself.
$(VENV)/warmed: $(VENV)/installed-dev $(wildcard gomogo_core/engines/*.py gomogo_core/engines/*/*.py)
	@$(VENV)/bin/gomogo warm
	@touch $@

# Files that git does not track are a user's, not ours: where there is no git, all are taken for ours.
lint: $(VENV)/installed-dev  ## Check style, types and layers only
	@echo "ruff check, ruff format --check, mypy --strict, lint-imports"
	@$(VENV)/bin/ruff check $(or $(OURS),.)
	@$(VENV)/bin/ruff format --check $(or $(OURS),.)
	@$(VENV)/bin/mypy $(OURS)
	@$(VENV)/bin/lint-imports

format: $(VENV)/installed-dev  ## Put the code into the project's form
	$(VENV)/bin/ruff check --fix .
	$(VENV)/bin/ruff format .

bars: $(VENV)/installed-dev  ## Run the long proofs, then measure what is claimed about speed
	$(VENV)/bin/python -m pytest -m long
	$(VENV)/bin/python -m bench.referee --json
	$(VENV)/bin/python -m bench.games --json
	$(VENV)/bin/python -m bench.pipes --json
	$(VENV)/bin/python -m bench.core_pinning --json
	$(VENV)/bin/python -m bench.start --json
	$(VENV)/bin/python -m bench.sandbox --json
	$(VENV)/bin/python -m bench.stored_games --json
	$(VENV)/bin/python -m bench.page --json
	$(VENV)/bin/python -m bench.tournament_report --json
	$(VENV)/bin/python -m bench.openings --json
	$(VENV)/bin/python -m bench.search --json
	$(VENV)/bin/python -m bench.late_moves --json
	$(VENV)/bin/python -m bench.playouts --json
	$(VENV)/bin/python -m bench.gnugo go_tactician --json
	$(VENV)/bin/python -m bench.wrong_endings --json
	$(VENV)/bin/python -m bench.champion --json
	$(VENV)/bin/python -m bench.boards --json
	$(VENV)/bin/python -m bench.neural --json
	$(VENV)/bin/python -m bench.missed_fives --json
	$(VENV)/bin/python -m bench.reviews --json
	$(VENV)/bin/python -m bench.win_chances gomoku --json

fuzz: $(VENV)/installed-fuzz  ## Fuzz each parser of what strangers write, SECONDS=10 each, JOBS=1 at a time; SEED=N repeats
	$(VENV)/bin/python -m tests.reading.fuzz --seconds $(SECONDS) --seed $(SEED) --jobs $(JOBS)

hooks: $(VENV)/installed-dev  ## Let every commit be checked by ruff, mypy and import-linter
	$(VENV)/bin/pre-commit install

clean:  ## Remove the environment and what tools left behind; results stay
	rm -rf $(VENV) build dist .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

# The stamps say what stands in the environment. An interrupted install leaves none, and is begun again.
$(VENV)/installed: pyproject.toml constraints.txt | $(VENV)/bin/pip
	@echo "Installing into $(VENV), which takes a minute ..."
	@$(PIP) install --quiet --disable-pip-version-check -c constraints.txt -e '.[report]'
	@touch $@

$(VENV)/installed-dev: pyproject.toml constraints.txt | $(VENV)/bin/pip
	@echo "Installing into $(VENV), which takes a minute ..."
	@$(PIP) install --quiet --disable-pip-version-check -c constraints.txt -e '.[dev]'
	@touch $@ $(VENV)/installed $(VENV)/installed-web

$(VENV)/installed-web: pyproject.toml constraints.txt | $(VENV)/bin/pip
	@echo "Installing into $(VENV), which takes a minute ..."
	@$(PIP) install --quiet --disable-pip-version-check -c constraints.txt -e '.[report,web,engines]'
	@touch $@ $(VENV)/installed

$(VENV)/installed-fuzz: $(VENV)/installed-dev
	@$(PIP) install --quiet --disable-pip-version-check -c constraints.txt -e '.[dev,fuzz]'
	@touch $@

$(VENV)/bin/pip:
	@python=$$(for python in $(PYTHON) python3 python python3.11 python3.12 python3.13 python3.14; do \
	    "$$python" -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))' 2>/dev/null \
	      && echo "$$python" && break; done); \
	if [ -z "$$python" ]; then \
	    echo "There is no Python of 3.11 or later here that can make an environment." >&2; \
	    echo "Install one (Debian, Ubuntu: apt install python3 python3-venv), or run make PYTHON=/path/to/python." >&2; \
	    exit 1; \
	fi; \
	echo "$$python -m venv $(VENV)" && "$$python" -m venv --clear $(VENV) && echo "$(CURDIR)" > $(VENV)/place
