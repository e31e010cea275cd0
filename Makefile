PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
# One more than cores: a fifth of the tests' time is waiting.
WORKERS := $(shell $(PYTHON) -c "import os; print(min(os.cpu_count() + 1, 4))")

.PHONY: setup demo test test-all lint fmt bench dist release deb chart lock clean

setup: $(STAMP)

$(STAMP): constraints.txt pyproject.toml shipper/pyproject.toml sdk/pyproject.toml wire/pyproject.toml
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --no-compile --no-deps --require-hashes -r constraints.txt
	$(BIN)/python -m pip install --quiet --no-deps --no-build-isolation -e . -e shipper -e sdk -e wire
	touch $(STAMP)

demo: setup
	$(BIN)/python -m demo

# What CI runs: within 20 minutes on two cores, setup and lint included.
test: setup
	$(BIN)/python -m pytest -n $(WORKERS) --dist loadfile --no-loadscope-reorder -m "not slow"

# With the tests of two seconds and more: three quarters of the time of all. Before a release, and after changes
# of what runs in several processes.
test-all: setup
	$(BIN)/python -m pytest -n $(WORKERS) --dist loadfile --no-loadscope-reorder

lint: setup
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

fmt: setup
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bench: setup
	$(BIN)/python -m bench

# Wheels and sdists of the four distributions, built with what setup installed: no network.
DIST ?= dist

dist: setup
	$(BIN)/hatchling build -d "$(abspath $(DIST))"
	cd shipper && "$(abspath $(BIN))/hatchling" build -d "$(abspath $(DIST))"
	cd sdk && "$(abspath $(BIN))/hatchling" build -d "$(abspath $(DIST))"
	cd wire && "$(abspath $(BIN))/hatchling" build -d "$(abspath $(DIST))"

# Builds, checks, installs and describes a clean tree whose version CHANGELOG.md dates; TAG=yes tags it. Its tools
# have an environment of their own.
RELEASE_VENV := .venv-release
TAG ?=

release: $(RELEASE_VENV)/.installed
	$(RELEASE_VENV)/bin/python -m release --dist "$(abspath $(DIST))" $(if $(filter yes,$(TAG)),--tag)

# The shipper for Debian 12, of this machine's architecture.
deb: $(RELEASE_VENV)/.installed
	$(RELEASE_VENV)/bin/python -m release.debian --dist "$(abspath $(DIST))"

$(RELEASE_VENV)/.installed: release/tools.txt
	test -x $(RELEASE_VENV)/bin/python || $(PYTHON) -m venv $(RELEASE_VENV)
	$(RELEASE_VENV)/bin/python -m pip install --quiet --no-compile --no-deps --require-hashes -r release/tools.txt
	touch $(RELEASE_VENV)/.installed

# Lints and renders the Helm chart by Helm's own library, and compares it with the schemas of Kubernetes. These take
# 400 MB, in an environment of their own.
CHART_VENV := .venv-chart

chart: setup $(CHART_VENV)/.installed
	$(BIN)/python -m pytest tests/test_chart.py tests/test_rendered_chart.py

$(CHART_VENV)/.installed: charts/tools.txt
	test -x $(CHART_VENV)/bin/python || $(PYTHON) -m venv $(CHART_VENV)
	$(CHART_VENV)/bin/python -m pip install --quiet --no-compile --no-deps --require-hashes -r charts/tools.txt
	touch $(CHART_VENV)/.installed

# Needs uv; writes no index address, so that the file serves behind any mirror.
lock:
	uv pip compile --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-header --no-annotate \
		--no-emit-package errata-wire --no-emit-package errata-shipper --all-extras \
		pyproject.toml shipper/pyproject.toml sdk/pyproject.toml wire/pyproject.toml -o constraints.txt
	uv pip compile --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-header --no-annotate \
		--group release --constraint constraints.txt -o release/tools.txt
	uv pip compile --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-header --no-annotate \
		--group chart --constraint constraints.txt -o charts/tools.txt

clean:
	rm -rf $(VENV) $(RELEASE_VENV) $(CHART_VENV) .mypy_cache .ruff_cache .pytest_cache .hypothesis
