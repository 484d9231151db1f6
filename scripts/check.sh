#!/bin/sh
# `make check`: all that can be said without running the product. Every check runs, also after one failed, each under its
# name with its time; the last line names those that failed. One that takes more than the seconds before its name, some
# four times of what it needs, is ended. Pyright, which keeps one processor busy for a minute and a half, works beside the others
# and is told of last. With DOCUMENTS=later the tests of documents are left to `make test`. Wants a built tree.
set -u
cd "$(dirname "$0")/.."
PATH=$PWD/.venv/bin:$PATH
export RUFF_CACHE_DIR=target/ruff MYPY_CACHE_DIR=target/mypy
failed=
mkdir -p target

check() { # SECONDS NAME COMMAND...
    begin=$(date +%s)
    printf '== %s\n' "$2"
    scripts/bounded.sh "$@" || failed="$failed, $2"
    printf '   %s s\n' $(($(date +%s) - begin))
}

scripts/bounded.sh 800 "python types" pyright >target/types 2>&1 &
types=$!

check 120 "rust format" cargo fmt --all --check
check 900 "rust lint" scripts/clippy.sh
check 120 "python format" ruff format --check --quiet
check 120 "python lint" ruff check --quiet
check 200 "types as users see them" python scripts/check_typed.py
check 200 "import contracts" lint-imports --no-logo --cache-dir target/imports
check 120 "circles in crates" python scripts/check_circles.py
check 120 "seams" python scripts/check_seams.py
check 200 "stub against module" scripts/stub.sh
check 120 "addresses and paths" python scripts/check_leaks.py
check 400 "licences and advisories" python scripts/audit.py
[ "${DOCUMENTS:-}" = later ] || check 900 "documents against code" pytest -q tests/docs

printf '== python types\n'
wait "$types" || failed="$failed, python types"
cat target/types

[ -z "$failed" ] || { echo "failed: ${failed#, }" >&2; exit 1; }
echo "all checks passed"
