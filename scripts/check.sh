#!/bin/sh
# `make check`: all that can be said without running the product. Every check runs, also after one failed, each under its
# name with its time; the last line names those that failed. Wants a built tree.
set -u
cd "$(dirname "$0")/.."
PATH=$PWD/.venv/bin:$PATH
export RUFF_CACHE_DIR=target/ruff MYPY_CACHE_DIR=target/mypy
failed=

check() { # NAME COMMAND...
    name=$1; shift
    begin=$(date +%s)
    printf '== %s\n' "$name"
    "$@" || failed="$failed, $name"
    printf '   %s s\n' $(($(date +%s) - begin))
}

documents() {
    [ ! -d tests/docs ] || pytest -q tests/docs
}

check "rust format" cargo fmt --all --check
check "rust lint" scripts/clippy.sh
check "python format" ruff format --check --quiet
check "python lint" ruff check --quiet
check "python types" pyright
check "types as users see them" python scripts/check_typed.py
check "import contracts" lint-imports --no-logo --cache-dir target/imports
check "circles in crates" python scripts/check_circles.py
check "seams" python scripts/check_seams.py
check "stub against module" scripts/stub.sh
check "addresses and paths" python scripts/check_leaks.py
check "licences and advisories" scripts/audit.sh
check "documents against code" documents

[ -z "$failed" ] || { echo "failed: ${failed#, }" >&2; exit 1; }
echo "all checks passed"
