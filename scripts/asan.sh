#!/bin/sh
# `make asan`: the engine's tests, and RUNS (100) runs that are cut by stop requests and failing devices, under the address
# sanitizer, which needs rustup's nightly compiler. A buffer that the kernel may be using counts as out of bounds for us.
set -eu
cd "$(dirname "$0")/.."
scripts/rust.sh
triple=$(rustc -vV | sed -n 's/^host: //p')
if ! rustup toolchain list | grep -q '^nightly'; then
    rustup toolchain install nightly --profile minimal
fi
export CARGO_TARGET_DIR=target/asan RUSTFLAGS='-Zsanitizer=address --cfg=plimsoll_asan'
# Leaks are no finding: buffers that the kernel may still write into are kept for good, on purpose.
export ASAN_OPTIONS=detect_leaks=0
# With a target named, what only helps to build is built without the sanitizer.
engine="--quiet --locked --package plimsoll-engine --target $triple"
cargo +nightly test $engine --lib --tests
cargo +nightly run $engine --example cut -- "${RUNS:-100}"
