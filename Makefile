# make setup   the virtual environment in .venv/
# make demo    the whole job on the example corpus, in a rehearsal wiki on this machine
# make test    lint, types and the whole test suite: exactly what CI runs
# make constraints   exact versions and hashes for deployment, written anew into constraints.txt (Python 3.11, Linux x86_64)
# make paper   the paper's experiments beside the printed values; DATA=DIR is the folder of the data, OUT=DIR where it is written
# make quality every quality floor; DATA=DIR is the folder of the development data
PYTHON ?= python3
VENV := .venv
STAMP := $(VENV)/.installed
INSTALL := $(VENV)/bin/python -m pip install --quiet --no-compile --disable-pip-version-check

.PHONY: setup packages readings demo test types suite paper quality constraints clean
setup: $(STAMP)

# Python compiles a module when it is first imported; compiling all of every package beforehand takes half of the installation.
# The built-in list is read while the other packages are installed, each taking one core for most of a minute.
$(STAMP): pyproject.toml
	test -x $(VENV)/bin/python || $(PYTHON) -m venv $(VENV)
	$(INSTALL) editables hatchling msgspec numpy platformdirs
	$(MAKE) --no-print-directory --jobs=2 packages readings
	touch $(STAMP)

packages:
	HATCH_BUILD_NO_HOOKS=true $(INSTALL) --no-build-isolation --editable '.[dev]'

readings:
	$(VENV)/bin/python hatch_build.py

demo: $(STAMP)
	$(VENV)/bin/formula-bot demo

test: $(STAMP)
	$(VENV)/bin/ruff check .
	$(VENV)/bin/ruff format --check .
	$(MAKE) --no-print-directory --jobs=2 types suite

types: $(STAMP)
	$(VENV)/bin/mypy

# In a new environment each of pytest's processes would compile every module: it is done once, while mypy runs.
$(VENV)/.compiled: $(STAMP)
	$(VENV)/bin/python -m pytest --collect-only --numprocesses=0 > /dev/null
	touch $@

suite: $(VENV)/.compiled
	$(VENV)/bin/python -m pytest

paper: $(STAMP)
	$(VENV)/bin/python benchmarks/paper.py --data $(DATA) $(if $(OUT),--out $(OUT))

quality: $(STAMP)
	$(VENV)/bin/python benchmarks/gate.py $(if $(DATA),--data $(DATA),--set shipped)

constraints: $(STAMP)
	$(VENV)/bin/python .ci/constraints.py

clean:
	rm -rf $(VENV) demo-workspace build dist .mypy_cache .ruff_cache .pytest_cache
