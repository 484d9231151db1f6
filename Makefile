# Everything that is done with this repository, as one word each. `make` alone lists them.

SHELL := /bin/sh
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
MAKEFLAGS += --no-builtin-rules

BIN := .venv/bin
UV := scripts/uv.sh
RUST_FILES := Cargo.toml Cargo.lock $(wildcard rust-toolchain.toml .cargo/config.toml) \
    $(shell find crates -type f 2>/dev/null)
CARGO_TARGET_DIR ?= target
# Cargo's profile of the extension: `dev`, of which .ci/run has it, shares most crates with Rust's tests, and has their checks.
EXTENSION_PROFILE ?= release
EXTENSION := .venv/.extension$(patsubst %,-%,$(filter-out release,$(EXTENSION_PROFILE)))

.PHONY: help build demo quick test test-system guest test-guest check ci bench score fuzz asan mutants probe wheel bundle docs lock clean

help: ## list what make can do
	@echo "usage: make WORD"
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  \1\t\2/p' $(firstword $(MAKEFILE_LIST)) | expand -t 14

build: $(EXTENSION) ## the command at .venv/bin/plimsoll, with all that it needs

demo: build ## the main job from end to end: measure, learn, judge, report
	$(BIN)/plimsoll demo

quick: build ## the tests for daily work, in two minutes: no real databases, nothing that takes a second by itself
	scripts/compile_tests.sh
	$(BIN)/pytest --numprocesses="$$(($$(nproc) + 1))" --dist=loadfile --quiet \
	    -m "not system and not slow" --ignore=tests/unit/proof tests/unit tests/golden

test: build ## every test, after the Debian packages that they need
	scripts/test.sh

test-system: build ## what make test leaves out: root, devices, links, hours; names what is missing here
	scripts/test_system.sh

guest: ## kernel and image, in .tools/guest, of the virtual machine of tests/guest
	scripts/guest.sh

test-guest: build ## the tests in that machine
	$(BIN)/pytest -m guest -rs tests/guest

check: build ## format, lint, types, import contracts, stub, dependencies, documents
	scripts/check.sh

ci: ## check and test, just as the build server runs them
	.ci/run

bench: build ## measure ourselves against fio (bench/*.py)
	scripts/bench.sh

score: build ## hold findings of advice against those of ADDM in the reports of PLIMSOLL_CORPUS
	.venv/bin/python scripts/advice_score.py

fuzz: build ## look for bytes that readers of what others wrote do not survive, 30 minutes for each target
	scripts/fuzz.sh

asan: ## the engine under the address sanitizer: its tests, and 100 runs that are cut
	scripts/asan.sh

mutants: build ## read 10,000 damaged reports and compare with the undamaged ones; REPORTS= names real ones
	scripts/mutants.sh $(REPORTS)

probe: ## the eBPF objects of watch and commits, after a change of their sources; wants clang
	scripts/probe.sh

wheel: .venv/.requirements ## an abi3 manylinux_2_28 wheel in dist/, tried in a fresh environment
	scripts/wheel.sh

bundle: .venv/.requirements ## the wheel with all that it needs and a Python of its own (BUNDLE_PYTHON=) as one archive in dist/
	scripts/bundle.sh

docs: .venv/.requirements ## the manual as web pages in site/
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet
	@echo "site/index.html"

lock: .tools/.uv ## write requirements/*.lock anew from pyproject.toml
	scripts/lock.sh

clean: ## remove all that make made
	rm -rf .venv .tools target dist site
	find python -name '*.so' -delete

# Stamps: each says that its step was done after the files it depends on last changed.

.tools/.uv: requirements/bootstrap.lock
	scripts/get-uv.sh
	@touch $@

.venv/.requirements: requirements/dev.lock .tools/.uv
	scripts/sync.sh
	@touch $@

# There is one extension: with that of one profile, that of another is gone.
$(EXTENSION): .venv/.requirements pyproject.toml $(RUST_FILES)
	@rm -f .venv/.extension*
	scripts/extension.sh $(EXTENSION_PROFILE)
	@touch $@
