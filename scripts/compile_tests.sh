#!/bin/sh
# Keeps the bytecode of the package and of the tests, with what pytest makes of their assertions. Without it each process of tests
# compiles them all, and each command that a test starts the package.
set -eu
cd "$(dirname "$0")/.."
unset PYTHONDONTWRITEBYTECODE
stamp=target/tests-compiled
[ -n "$(find tests -name '*.py' -newer "$stamp" 2>/dev/null || echo none)" ] || exit 0
.venv/bin/python -m compileall -q -j 0 python/plimsoll tests/*.py tests/reportgen
# pytest keeps it when it collects; the halves of the tests at once. A file that cannot be read is told of by the tests themselves.
.venv/bin/pytest --collect-only -qq -p no:cacheprovider tests --ignore-glob='*/unit/[g-z]*' >/dev/null 2>&1 &
.venv/bin/pytest --collect-only -qq -p no:cacheprovider tests/unit/[g-z]* >/dev/null 2>&1 &
wait
mkdir -p target
touch "$stamp"
