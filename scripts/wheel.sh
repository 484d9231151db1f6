#!/bin/sh
# `make wheel`: one wheel for every Python from 3.11 on any Linux with glibc 2.28 or newer, then a trial of it. Zig links
# against that older glibc, whatever this machine has; it lives in .tools, for it is large and serves nothing else.
set -eu
cd "$(dirname "$0")/.."
scripts/rust.sh
if ! cmp -s requirements/wheel.lock .tools/wheel/wheel.lock; then
    scripts/uv.sh venv --quiet --clear --python .venv/bin/python .tools/wheel
    scripts/uv.sh pip sync --quiet --python .tools/wheel/bin/python --require-hashes requirements/wheel.lock
    cp requirements/wheel.lock .tools/wheel/wheel.lock
fi
rm -f dist/*.whl
# Manual pages go along; they need nothing of the extension.
PYTHONPATH=python .venv/bin/python -m plimsoll help --man share/data/share/man/man1 >/dev/null
.venv/bin/python scripts/licences.py share/data/share/doc/plimsoll/licences.txt
VIRTUAL_ENV=$PWD/.tools/wheel PATH=$PWD/.tools/wheel/bin:$PATH CARGO_TARGET_DIR=target/wheel \
    .tools/wheel/bin/maturin build --quiet --release --locked --zig --compatibility manylinux_2_28 -o dist
scripts/try_wheel.sh dist/*.whl
