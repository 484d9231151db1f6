#!/bin/sh
# Compiles the Rust extension in release mode into this tree and makes the tree known to .venv as an editable package:
# what Python code says takes effect at once, what Rust code says at the next `make build`. Nothing is downloaded for it
# but crates: every Python package is in .venv already.
set -eu
cd "$(dirname "$0")/.."
scripts/rust.sh
VIRTUAL_ENV=$PWD/.venv PATH=$PWD/.tools/uv/bin:$PATH \
    .venv/bin/maturin develop --uv --skip-install --release --locked
# The command's name and the package's version come from pyproject.toml and Cargo.toml.
if [ -z "$(find .venv/bin/plimsoll -newer pyproject.toml -newer Cargo.toml 2>/dev/null)" ]; then
    scripts/uv.sh pip install --quiet --offline --no-deps --no-build-isolation --python .venv/bin/python --editable .
fi
