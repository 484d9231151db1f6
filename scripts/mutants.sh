#!/bin/sh
# `make mutants`: COUNT (10,000) damaged reports, and whether the reader survives them and gives no other number for a table
# that claims to be whole. Reports are made by the generator; words after it name more of them, files or folders.
set -eu
cd "$(dirname "$0")/.."
scripts/rust.sh
made=target/mutants
rm -rf "$made"
PYTHONPATH=tests .venv/bin/python -m reportgen "$made" --count 12 --rows 8
# With the checks that a release build leaves out.
CARGO_PROFILE_RELEASE_DEBUG_ASSERTIONS=true CARGO_PROFILE_RELEASE_OVERFLOW_CHECKS=true
export CARGO_PROFILE_RELEASE_DEBUG_ASSERTIONS CARGO_PROFILE_RELEASE_OVERFLOW_CHECKS
find "$made" "$@" -type f -print0 | sort -z | xargs -0 cargo run --quiet --release --locked --target-dir target/checked \
    -p plimsoll-reports --example mutants -- "${COUNT:-10000}" "${SEED:-1}"
