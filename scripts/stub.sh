#!/bin/sh
# Compares python/plimsoll/_core.pyi with the compiled module: names, arguments, defaults. stubtest's own words are short.
set -eu
cd "$(dirname "$0")/.."
.venv/bin/python -m mypy.stubtest --concise plimsoll._core
