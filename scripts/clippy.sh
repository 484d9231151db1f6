#!/bin/sh
# Clippy over every crate, warnings as errors. It works where `cargo test` does, which takes over macros and build scripts; maturin
# builds in release mode, whose folder is another.
set -eu
cd "$(dirname "$0")/.."
PYO3_PYTHON=$PWD/.venv/bin/python cargo clippy --quiet --workspace --all-targets --locked -- -D warnings
