# The tasks of this repository: `make setup` once, `make fast` while you work, `make check` before you push.

PYTHON ?= python3
VENV ?= .venv
RUN := $(VENV)/bin

.PHONY: help setup fast unit test check lint types docs schemas bench clean

help: ## list the tasks
	@grep -hE '^[a-z]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 10

setup: ## create the environment with all tools, and install the commit hooks
	$(PYTHON) -m venv $(VENV)
	$(RUN)/pip install --quiet -e '.[lint]'
	$(RUN)/pre-commit install

fast: ## lint, types, and a case of each test but corpora and slow ones, side by side
	@$(MAKE) --no-print-directory --jobs=3 --output-sync=target unit types lint

unit:
	ZOM_CASES=1 $(RUN)/python -m pytest -n 2 -q -m 'not slow and not corpus'

test: ## all tests; doctests, docs and the README are part of them
	$(RUN)/python -m pytest -n 2 -q

check: ## everything that CI runs, from a fresh environment
	.ci/run

lint:
	$(RUN)/ruff check .
	$(RUN)/ruff format --check .

types:
	$(RUN)/python tests/typing/check.py

docs: ## regenerate the pages and tables that are made from the code
	$(RUN)/python docs/generate_rulebooks.py
	$(RUN)/python docs/generate.py
	$(RUN)/python docs/generate_examples.py

schemas: ## regenerate the published JSON Schemas
	$(RUN)/python schemas/generate.py

bench: ## time zom beside its peers, in an environment of its own; BENCH=--quick takes minutes
	$(PYTHON) -m venv $(VENV)-bench
	$(VENV)-bench/bin/pip install --quiet -e '.[fast]' -r benchmarks/requirements.txt
	$(VENV)-bench/bin/python benchmarks/run.py $(BENCH)

clean: ## delete the environments and caches
	rm -rf $(VENV) $(VENV)-bench .pytest_cache .mypy_cache .ruff_cache .hypothesis
