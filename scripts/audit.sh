#!/bin/sh
# Licences, sources and known vulnerabilities of everything that Plimsoll is built of; a part of `make check`. Brings
# cargo-deny into .tools, unoptimised: it is compiled once and works for a second each time.
set -eu
cd "$(dirname "$0")/.."
version=0.20.2
if [ "$(.tools/cargo/bin/cargo-deny --version 2>/dev/null)" != "cargo-deny $version" ]; then
    CARGO_PROFILE_RELEASE_OPT_LEVEL=0 CARGO_PROFILE_RELEASE_LTO=off \
        cargo install cargo-deny --quiet --locked --version "$version" --root .tools/cargo
fi
exec .venv/bin/python scripts/audit.py
