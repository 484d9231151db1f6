#!/bin/sh
# `make test`: the Debian packages that tests use, then Rust's tests, then Python's. Words after it go to pytest.
set -eu
cd "$(dirname "$0")/.."
scripts/system-packages.sh
# The bindings hold no logic and link only inside Python; tests/ exercises them from there.
cargo test --quiet --release --locked --workspace --exclude plimsoll-bindings
exec .venv/bin/pytest "$@"
