#!/bin/sh
# Compares python/plimsoll/_core.pyi with the compiled module: names, arguments, defaults. stubtest's own words are short.
set -eu
cd "$(dirname "$0")/.."
mkdir -p target
# PyO3 fills __all__ from the same names; to type it in the stub would be to say each name twice.
echo 'plimsoll\._core\.__all__' >target/stub-allowlist
# The stub needs nothing of the package around it, whose types are pyright's work.
printf '[mypy]\nfollow_imports = skip\n' >target/stub-mypy.ini
.venv/bin/python -m mypy.stubtest --concise --allowlist target/stub-allowlist \
    --mypy-config-file target/stub-mypy.ini plimsoll._core
