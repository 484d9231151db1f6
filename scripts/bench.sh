#!/bin/sh
# `make bench`: every comparison in bench/*.py, one after the other, each on an otherwise idle machine.
set -eu
cd "$(dirname "$0")/.."
scripts/system-packages.sh
for runner in bench/*.py; do
    echo "== $runner" >&2
    .venv/bin/python "$runner" "$@"
done
