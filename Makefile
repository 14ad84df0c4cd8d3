# Everything happens inside .venv; each target sets up what it needs and is quick the second time.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PACKAGES := $(VENV)/.packages
ENGINE := $(VENV)/.engine
SECONDS := 60
PROFILE ?= release
RUST := Cargo.toml Cargo.lock $(shell find crates -name '*.rs' -o -name Cargo.toml)
export PATH := $(CURDIR)/$(BIN):$(PATH)
export VIRTUAL_ENV := $(CURDIR)/$(VENV)

.PHONY: help setup demo test check test-rust test-python format fuzz bench docs lock clean

help:  ## Say what the targets do
	@grep -E '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | expand -t 14

setup: $(ENGINE)  ## Make .venv with tolka, all extras and the developers' tools

$(PACKAGES): requirements.lock
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements.lock
	@touch $@

$(ENGINE): $(PACKAGES) pyproject.toml $(RUST)
	$(BIN)/maturin develop --profile $(PROFILE) --locked >$(VENV)/maturin.log 2>&1 || { cat $(VENV)/maturin.log; exit 1; }
	@touch $@

demo: setup  ## See tolka at work on data that ships with it
	$(BIN)/tolka demo

test: check test-rust test-python  ## Run every check and test

check: setup  ## Formatting, lints, types, the rooms' import contract
	$(BIN)/ruff format --check
	$(BIN)/ruff check
	cargo fmt --all --check
	cargo clippy --workspace --all-targets --locked --quiet -- -D warnings
	$(BIN)/mypy
	$(BIN)/python -m mypy.stubtest tolka._engine --mypy-config-file pyproject.toml
	$(BIN)/lint-imports

test-rust: setup  ## The engine's own tests
	cargo test -p tolka-engine --locked --quiet

test-python: setup  ## The Python tests, documentation snippets included
	$(BIN)/pytest -n 3

format: setup  ## Format and fix what machines can
	$(BIN)/ruff format
	$(BIN)/ruff check --fix-only --quiet
	cargo fmt --all

fuzz:  ## Fuzz the engine's readers, each for SECONDS=60 or as many as you say
	@command -v cargo-fuzz >/dev/null || cargo install --quiet --locked cargo-fuzz
	@cd crates/engine/fuzz && for target in $$(basename -s .rs fuzz_targets/*.rs); do \
		mkdir -p corpus/$$target seeds/$$target; \
		RUSTC_BOOTSTRAP=1 CARGO_TARGET_DIR=$(CURDIR)/target/fuzz cargo fuzz run $$target corpus/$$target seeds/$$target -- \
			-max_total_time=$(SECONDS) -timeout=10 -print_final_stats=1 || exit 1; \
	done

bench: setup  ## Run the benchmarks (they read ../shared/data), but that of learning to search, which takes many hours
	@for bench in $(filter-out bench/learn/run.py,$(wildcard bench/*/run.py)) bench/judge/fit.py bench/judge/replay.py; do $(BIN)/python $$bench || exit 1; done

docs: setup  ## Build the documentation into site/
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet

lock:  ## Pin the newest allowed versions of every Python dependency
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet uv
	$(BIN)/uv pip compile pyproject.toml --all-extras --generate-hashes --no-annotate --no-header \
		--no-emit-index-url --upgrade --quiet --output-file requirements.lock

clean:  ## Remove everything that was built
	rm -rf $(VENV) target site
