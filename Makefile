# Every target does its own set-up first; the second time that costs nothing.
ARGS ?=
BIN := .venv/bin
COMPILE = $(BIN)/uv pip compile --quiet --universal --python-version 3.11 --no-strip-extras --no-emit-index-url --no-header
# uv trusts what the machine trusts, a company's own certificate too
export UV_SYSTEM_CERTS ?= true

.DEFAULT_GOAL := help
.PHONY: help run test check bench prove-judge fix lock clean venv

help: ## say what there is (this list)
	@echo "make ..."
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  %-11s %s\n", $$1, $$2 }' Makefile

run: ## start Overlord with its console on http://127.0.0.1:8765; no tokens needed
	@.ci/setup run
	@.ci/system git bubblewrap libseccomp2
	$(BIN)/overlord up

test: check ## check, then run the tests; ARGS="-k login" picks some
	@.ci/system git bubblewrap libseccomp2 postgresql chromium runc podman mmdebstrap uidmap
	@$(BIN)/python -m tests.sandbox.engines
	@.ci/test $(ARGS)

check: venv ## format, lint, types and imports, changing nothing
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy .
	$(BIN)/lint-imports --no-logo

bench: venv ## measure speed beside other tools, search and kill at full size; ARGS=--quick is speed alone
	@.ci/system git bubblewrap libseccomp2
	@.ci/setup bench
	$(BIN)/python -m tests.bench $(ARGS)

prove-judge: venv ## how often the judge of finished work is wrong, on a corpus made now; goes on where it stopped
	@.ci/system git bubblewrap libseccomp2
	$(BIN)/python -m tests.bench.judge $(ARGS)

fix: venv ## fix what ruff can fix, and format
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

lock: venv ## write requirements.lock anew; ARGS=--upgrade takes newer versions
	$(COMPILE) --generate-hashes --all-extras --group dev pyproject.toml -o requirements.lock $(ARGS)
	$(COMPILE) --no-annotate --constraint requirements.lock --group setup pyproject.toml | \
		sed 's/[]=; [].*//' > requirements-run.txt

clean: ## remove what make and the tools made; your data stays
	rm -rf .venv .venv-bench .bench dist htmlcov test-results .coverage .coverage.* \
		.hypothesis .import_linter_cache .mypy_cache .pytest_cache .ruff_cache
	find bot agents store manifests tests -type d -name __pycache__ -exec rm -rf {} +

venv:
	@.ci/setup
