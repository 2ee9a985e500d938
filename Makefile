# Streamscope. `make run` and `make test` need git, make and Python 3.11 or newer; they bring the rest.
PY := .venv/bin/python
TESTS := $(wildcard e2e chat harness)
REAL := e2e/real
# Most tests wait for streams more than they work: four at once. Those that hold times to account come after.
ABREAST := $(PY) -m pytest $(TESTS) --ignore=$(REAL) -m "not alone" -n 4 --dist loadfile
TIMED := $(PY) -m pytest $(TESTS) --ignore=$(REAL) -m alone -n 2 --dist loadfile
.PHONY: run setup test test-real test-matrix test-all check bench screenshots parts test-setup
.DEFAULT_GOAL := run

run: setup  ## migrate and serve on http://127.0.0.1:8000; MODEL=smollm2 brings a small model too
	@$(if $(MODEL),.ci/parts-real $(MODEL))
	@exec $(if $(MODEL),env HARNESS_LOCAL_MODEL=$(MODEL)) $(PY) manage.py up

setup: .venv/.run-ready  ## the environment alone
	@:

test: test-setup parts check  ## everything; the last line is pytest's
	@$(ABREAST)
	@$(TIMED)

test-real: test-setup parts  ## real gateways and proxies in the middle of routes, a row of each class
	@.ci/parts-real
	@$(PY) -m pytest $(REAL) -m "not matrix"

test-matrix: test-setup parts  ## every row; WRITE_DOCS=1 writes docs/real-parts.md anew
	@.ci/parts-real all
	@$(PY) -m pytest $(REAL)

test-all: test-setup parts check  ## `test` and `test-real`
	@.ci/parts-real
	@$(ABREAST)
	@$(PY) -m pytest $(REAL) -m "not matrix"
	@$(TIMED)

check: test-setup  ## style, types, rings, sizes
	@.venv/bin/ruff check --quiet .
	@.venv/bin/ruff format --quiet --check . || { echo "check: run .venv/bin/ruff format ." >&2; exit 1; }
	@$(PY) -m mypy --no-error-summary
	@$(PY) -m pytest -q --no-header harness/tests/test_rings.py harness/tests/test_sizes.py

bench: test-setup parts  ## speed against peers, growth, weight, and what relay and tap add; about three minutes
	@$(PY) -m harness.tests.bench.bounds

screenshots: test-setup parts  ## renew the pictures of the README
	@SCREENSHOTS=docs/screenshots $(PY) -m pytest -q e2e/test_screenshots.py

test-setup: .venv/.test-ready
	@:

parts: test-setup
	@.ci/parts

.venv/.run-ready: requirements.txt .ci/setup
	@.ci/setup requirements.txt
	@touch $@

.venv/.test-ready: requirements.txt requirements-dev.txt .ci/setup
	@.ci/setup requirements-dev.txt
	@touch .venv/.run-ready $@
