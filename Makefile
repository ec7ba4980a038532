# Two commands matter: `make lab` opens the first notebook, `make test` runs every test.
# Each installs what it needs into .venv, from a Python >= 3.11 and nothing else.

VENV := .venv
BIN := $(VENV)/bin
MODULES := labextension/node_modules/.yarn-state.yml
LINK := $(VENV)/share/jupyter/labextensions/onnx-explorer
PYTHON ?= $(shell for p in python3 python3.14 python3.13 python3.12 python3.11; do \
  $$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && command -v $$p && break; done)
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check
# More arguments for JupyterLab or pytest: make lab ARGS="--no-browser --port=8899"
ARGS ?=
WORKERS ?= logical

# node, jlpm and jupyter-builder come from the environment, before any that the machine may have.
export PATH := $(CURDIR)/$(BIN):$(PATH)

.PHONY: lab test test-python test-typescript bench picture panels lint format frontend chromium clean
.DELETE_ON_ERROR:

lab: $(VENV)/.lab frontend
	$(BIN)/jupyter lab $(if $(filter 0,$(shell id -u)),--allow-root) notebooks/01_explore.ipynb $(ARGS)

# What all need comes first; then the checks run beside the tests, which often wait for a browser.
test: $(VENV)/.dev chromium
	@$(MAKE) --no-print-directory --jobs=3 lint test-typescript test-python

test-python: $(VENV)/.dev frontend chromium
	@$(BIN)/python -m pytest -n $(WORKERS) $(ARGS); \
	code=$$?; echo "pytest ended with exit code $$code"; exit $$code

test-typescript: $(VENV)/.dev $(MODULES)
	cd labextension && jlpm tsc --noEmit && jlpm test

# One thread each, beside onnx and onnxruntime; the tables come last.
bench: $(VENV)/.dev
	$(BIN)/python -m pytest -q -p no:xdist -o 'python_files=bench_*.py' -o 'python_functions=bench_*' \
	  --benchmark-quiet tests/benchmarks $(ARGS)

# The pictures of the README, one from a real JupyterLab.
picture: $(VENV)/.dev frontend chromium
	$(BIN)/python -m pytest -n 0 -o 'python_files=shoot_*.py' -o 'python_functions=shoot_*' tests/browser/shoot_readme.py tests/browser/shoot_models.py

# Every panel, light and dark, wide and narrow, to be looked at: in tests/browser/shots.
panels: $(VENV)/.dev frontend chromium
	$(BIN)/python -m pytest -n 0 -o 'python_files=shoot_*.py' -o 'python_functions=shoot_*' tests/browser/shoot_panels.py

lint: $(VENV)/.dev $(MODULES)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/pyright
	cd labextension && jlpm lint

format: $(VENV)/.dev $(MODULES)
	$(BIN)/ruff check --fix --exit-zero .
	$(BIN)/ruff format .
	cd labextension && jlpm format

# Looks itself whether a source is newer than the bundle: the list of sources stands there, once.
frontend: $(VENV)/.tools
	@$(BIN)/python labextension/hatch_build.py

# CI has to run the browser tests, so it installs a browser; elsewhere they say that they were skipped.
chromium:
	@if [ "$(CI)" = true ] && ! command -v chromium >/dev/null; then \
	  apt-get update -qq && DEBIAN_FRONTEND=noninteractive \
	  apt-get install -y -qq --no-install-recommends chromium fonts-dejavu-core; fi

clean:
	rm -rf onnx_explorer/static onnx_explorer/labextension labextension/lib labextension/node_modules dist
	rm -f $(VENV)/.tools $(VENV)/.lab $(VENV)/.dev

$(BIN)/python:
	@[ -n "$(PYTHON)" ] || { echo "no Python >= 3.11 found: install one, or say make PYTHON=/path/to/python3"; exit 1; }
	$(PYTHON) -m venv $(VENV)

# What pyproject.toml names as build requirements, installed here once instead of anew for each build.
$(VENV)/.tools: pyproject.toml | $(BIN)/python
	$(BIN)/python -c 'import tomllib; print(*tomllib.load(open("pyproject.toml", "rb"))["build-system"]["requires"], sep="\n")' > $@.txt
	$(PIP) --requirement $@.txt
	@mv $@.txt $@

$(VENV)/.lab $(VENV)/.dev: $(VENV)/.%: $(VENV)/.tools
	rm -rf $(LINK)
	$(PIP) --no-build-isolation --editable '.[$*]'
	@# pip has put a copy of the labextension there: a link is never older than the last build
	rm -rf $(LINK) && ln -s ../../../../onnx_explorer/labextension $(LINK)
	@touch $@

# After the front end, which installs them too when it is built: never both at once.
$(MODULES): labextension/package.json labextension/yarn.lock | frontend
	cd labextension && YARN_ENABLE_IMMUTABLE_INSTALLS=true jlpm install
	@touch $@
