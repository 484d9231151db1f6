#!/bin/sh
# Clippy over every crate, warnings as errors. It works where `cargo test` does, which takes over macros and build scripts, as it
# does itself from an extension of the profile `dev`.
set -eu
cd "$(dirname "$0")/.."
PYO3_PYTHON=$PWD/.venv/bin/python cargo clippy --quiet --workspace --all-targets --locked -- -D warnings
