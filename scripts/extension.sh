#!/bin/sh
# extension.sh [PROFILE]: compiles the Rust extension, in release mode or by another profile of cargo's, into this tree and
# makes the tree known to .venv as an editable package: what Python code says takes effect at once, what Rust code says at
# the next `make build`. Nothing is downloaded for it but crates: every Python package is in .venv already.
set -eu
cd "$(dirname "$0")/.."
scripts/rust.sh
# The new extension takes the old one's place by a rename: to write into a file that running processes have mapped would
# crash them, and nobody ever finds it missing or half written.
made=${CARGO_TARGET_DIR:-target}/extension
rm -rf "$made"
.venv/bin/maturin build --profile "${1:-release}" --locked --auditwheel skip --interpreter .venv/bin/python --out "$made"
.venv/bin/python -m zipfile -e "$made"/*.whl "$made"
cp "$made/plimsoll/_core.abi3.so" python/plimsoll/.core.new
chmod 755 python/plimsoll/.core.new
mv -f python/plimsoll/.core.new python/plimsoll/_core.abi3.so
# The command's name and the package's version come from pyproject.toml and Cargo.toml.
if [ -z "$(find .venv/bin/plimsoll -newer pyproject.toml -newer Cargo.toml 2>/dev/null)" ]; then
    scripts/uv.sh pip install --quiet --offline --no-deps --no-build-isolation --python .venv/bin/python --editable .
fi
