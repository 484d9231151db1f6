#!/bin/sh
# Writes requirements/*.lock anew from pyproject.toml: versions and hashes, no addresses. `scripts/lock.sh --upgrade`
# takes the newest versions; without it what is locked stays where it still fits.
set -eu
cd "$(dirname "$0")/.."
compile() {
    scripts/uv.sh pip compile --quiet --universal --python-version 3.11 --generate-hashes \
        --no-emit-index-url --no-emit-find-links --custom-compile-command 'make lock' "$@"
}
compile "$@" --all-extras pyproject.toml -o requirements/runtime.lock
compile "$@" --all-extras --group dev -c requirements/runtime.lock pyproject.toml -o requirements/dev.lock
compile "$@" --group wheel -c requirements/dev.lock -o requirements/wheel.lock
compile "$@" --group fuzz -c requirements/dev.lock -o requirements/fuzz.lock
compile "$@" --no-annotate requirements/bootstrap.in -o requirements/bootstrap.lock
