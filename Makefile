# `make help` lists the verbs. Everything is installed into .venv; nothing outside it is touched.
.DEFAULT_GOAL := help
SHELL := /bin/bash
PYTHON ?= python3
BIN := .venv/bin
# What the environment brought stands behind what the machine has.
export PATH := $(PATH):$(CURDIR)/$(BIN)
export NO_MKDOCS_2_WARNING := 1
export PIP_DISABLE_PIP_VERSION_CHECK := 1

# One stamp a lock file: installed again only when the lock changed.
SITE_READY := .venv/.site-ready
TEST_READY := .venv/.test-ready

.PHONY: help setup serve build check test campaigns ci reverify ask gather propose lock format grade notebook

help: ## Show this list
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## /  \1|/' | \
		awk -F'|' '{printf "  make %-10s %s\n", $$1, $$2}'

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "Python 3.11 or newer is needed; $(PYTHON) is $$($(PYTHON) --version). Try: make PYTHON=python3.12 $(MAKECMDGOALS)"; exit 1; }
	$(PYTHON) -m venv .venv

$(SITE_READY): requirements/site.txt pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet --require-hashes -r requirements/site.txt
	$(BIN)/python -m pip install --quiet --no-deps --no-build-isolation --editable .
	@touch $@

$(TEST_READY): requirements/test.txt scripts/test-tools $(wildcard tests/*/package-lock.json) $(SITE_READY)
	$(BIN)/python -m pip install --quiet --require-hashes -r requirements/test.txt
	scripts/test-tools
	@touch $@

setup: $(SITE_READY) ## Install the locked environment into .venv

serve: setup ## Check, build and serve the site at http://127.0.0.1:8000
	$(BIN)/mkdocs serve

build: setup ## Build site/; refuses while the gate has findings
	$(BIN)/mkdocs build --strict
	$(BIN)/course check --site site

check: setup ## Run the gate: pages against source and evidence
	$(BIN)/course check

test: $(TEST_READY) ## Run linters and all tests
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/pytest --numprocesses auto --dist loadfile

campaigns: $(TEST_READY) ## Attack the judge from every place where a submission runs
	PYTHONPATH=scripts:tests $(BIN)/python -m campaigns

ci: ## Install what the tests need on Debian or Ubuntu, and run them
	.ci/run

# The steps of .github/workflows/reverify.yml. ANSWER is the folder in which an answer travels.
ANSWER := answer

reverify: $(SITE_READY) ## Measure again on this GPU and compare with what is published
	@mkdir -p $(ANSWER)
	$(BIN)/course reverify $$PROGRAM --json --summary "$${GITHUB_STEP_SUMMARY:-$(ANSWER)/summary.md}" \
		> $(ANSWER)/answer.json

ask: $(SITE_READY) ## Start reverify.yml once for each card of GPU_RUNNERS
	$(BIN)/course ci ask

gather: $(SITE_READY) ## Copy new logs into ANSWER
	$(BIN)/course ci gather $(ANSWER)

propose: $(SITE_READY) ## Open a pull request with ANSWER
	$(BIN)/course ci propose $(ANSWER)

grade: setup ## Judge FILE, somebody's matmulTiled, on the CPU
	@$(BIN)/course grade "$$FILE" --device cpu

notebook: setup ## Build the notebook for Colab from the lesson's snippets
	$(BIN)/python -m course.harness.notebook

format: $(TEST_READY) ## Format the Python code
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

UV_COMPILE := $(BIN)/uv pip compile --quiet --upgrade --universal --python-version 3.11 \
	--generate-hashes --no-header --no-annotate

lock: $(TEST_READY) ## Resolve the dependencies again and write requirements/*.txt
	$(UV_COMPILE) pyproject.toml --extra setup -o requirements/site.txt
	for extra in test gpu gpu-cuda13; do \
		$(UV_COMPILE) pyproject.toml --extra $$extra -c requirements/site.txt \
			-o requirements/$$extra.txt || exit; done
	for group in nvcc node; do $(UV_COMPILE) --group $$group -o requirements/$$group.txt || exit; done
