#!/bin/sh
# `make fuzz`: each fuzz target for MINUTES (30), one after the other; words after it name some of them: text, html, value.
# Needs rustup's nightly compiler, since libFuzzer wants instrumented code, and brings cargo-fuzz into .tools. Inputs to begin
# with come from the report generator; what is found on the way is kept in target/fuzz, for the next run to go on from.
set -eu
cd "$(dirname "$0")/.."
scripts/rust.sh
version=0.13.2
folder=target/fuzz
triple=$(rustc -vV | sed -n 's/^host: //p')
if ! rustup toolchain list | grep -q '^nightly'; then
    rustup toolchain install nightly --profile minimal
fi
if [ "$(.tools/cargo/bin/cargo-fuzz --version 2>/dev/null)" != "cargo-fuzz $version" ]; then
    cargo install cargo-fuzz --quiet --locked --version "$version" --root .tools/cargo
fi
.venv/bin/python fuzz/seeds.py "$folder/seeds"
# No sanitizer: the crates that read have no unsafe code, and panics, hangs and memory are watched by libFuzzer itself.
(cd fuzz && PATH=$PWD/../.tools/cargo/bin:$PATH cargo +nightly fuzz build --fuzz-dir . --sanitizer none --target-dir "../$folder/build")
[ "$#" -gt 0 ] || set -- text html value
for target in "$@"; do
    echo "== $target" >&2
    mkdir -p "$folder/corpus/$target" "$folder/found/$target"
    "$folder/build/$triple/release/$target" "$folder/corpus/$target" "$folder/seeds/$target" \
        -max_total_time=$((${MINUTES:-30} * 60)) -max_len=65536 -timeout=20 -rss_limit_mb=2000 \
        -print_final_stats=1 -artifact_prefix="$folder/found/$target/"
done
