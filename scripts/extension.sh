#!/bin/sh
# Compiles the Rust extension in release mode and installs this tree, editable, into .venv: what Python code says
# takes effect at once, what Rust code says at the next `make build`.
set -eu
cd "$(dirname "$0")/.."
scripts/rust.sh
VIRTUAL_ENV=$PWD/.venv PATH=$PWD/.tools/uv/bin:$PATH .venv/bin/maturin develop --uv --release --locked --quiet
