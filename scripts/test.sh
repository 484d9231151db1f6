#!/bin/sh
# `make test`: the Debian packages that tests use, then Rust's tests, then Python's. Words after it go to pytest. A stage that
# takes more than the seconds before its name, some four times of what it needs, is ended.
set -eu
cd "$(dirname "$0")/.."
scripts/bounded.sh 600 "installing Debian packages" scripts/system-packages.sh
scripts/bounded.sh 600 "installing a compiler of eBPF objects" scripts/system-packages.sh probe
# With debug assertions and overflow checks; half the time to compile of a release build.
# The bindings hold no logic and link only inside Python; tests/ exercises them from there.
# Examples, which cargo would link as well, are compiled by the lint of `make check`.
crates="--quiet --locked --workspace --exclude plimsoll-bindings"
# shellcheck disable=SC2086 # several words
scripts/bounded.sh 1200 "compiling rust tests" cargo test $crates --lib --tests --no-run
# shellcheck disable=SC2086
scripts/bounded.sh 600 "rust tests" .venv/bin/python scripts/rust_tests.py $crates --lib --tests
# shellcheck disable=SC2086
scripts/bounded.sh 600 "rust tests of documents" cargo test $crates --doc
scripts/bounded.sh 300 "compiling python tests" scripts/compile_tests.sh
unset PYTHONDONTWRITEBYTECODE
# Many tests wait for a device or a server rather than for a processor, so there are two workers more than processors. A file's
# tests stay together: they share its servers. Files come in the order of tests/conftest.py, the longest first.
exec scripts/bounded.sh 4200 "python tests" .venv/bin/python scripts/run_tests.py \
    --numprocesses="$(($(nproc) + 2))" --dist=loadfile --no-loadscope-reorder --durations=20 --durations-min=2 "$@"
