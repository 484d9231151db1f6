#!/bin/sh
# `make bench`: every comparison in bench/*.py, one after the other, each on an otherwise idle machine.
# `make bench BENCH=null_cost` runs one of them; QUICK=1 only shows that it works, and keeps nothing under bench/runs.
set -eu
cd "$(dirname "$0")/.."
scripts/system-packages.sh
[ -z "${QUICK:-}" ] || set -- --quick --out "$(mktemp -d)" "$@"
status=0
for runner in bench/${BENCH:-*}.py; do
    echo "== $runner" >&2
    .venv/bin/python "$runner" "$@" || status=$?
done
exit "$status"
