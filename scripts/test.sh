#!/bin/sh
# `make test`: the Debian packages that tests use, then Rust's tests, then Python's. Words after it go to pytest.
set -eu
cd "$(dirname "$0")/.."
scripts/system-packages.sh
# With debug assertions and overflow checks; half the time to compile of a release build.
# The bindings hold no logic and link only inside Python; tests/ exercises them from there.
cargo test --quiet --locked --workspace --exclude plimsoll-bindings
exec .venv/bin/pytest --durations=20 --durations-min=2 "$@"
