#!/bin/sh
# Clippy over every crate, warnings as errors. It works in a folder of its own: maturin builds with other settings of
# PyO3, and in one folder each would throw the other's work away.
set -eu
cd "$(dirname "$0")/.."
PYO3_PYTHON=$PWD/.venv/bin/python CARGO_TARGET_DIR=target/clippy \
    cargo clippy --quiet --workspace --all-targets --locked -- -D warnings
