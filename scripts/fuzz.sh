#!/bin/sh
# `make fuzz`: each fuzz target for MINUTES (30), one after the other; words after it name some of them. Targets in Rust
# (fuzz/targets) need rustup's nightly compiler, since libFuzzer wants instrumented code, and cargo-fuzz, brought into
# .tools; those in Python (fuzz/parsers) need atheris, brought into .venv. What is found on the way is kept in
# target/fuzz, for the next run to go on from.
set -eu
cd "$(dirname "$0")/.."
folder=target/fuzz
triple=$(rustc -vV | sed -n 's/^host: //p')
in_rust=$(find fuzz/targets -name '*.rs' -exec basename {} .rs \; | sort)
in_python=$(.venv/bin/python fuzz/parse.py --list)

build_rust() {
    scripts/rust.sh
    version=0.13.2
    if ! rustup toolchain list | grep -q '^nightly'; then
        rustup toolchain install nightly --profile minimal
    fi
    if [ "$(.tools/cargo/bin/cargo-fuzz --version 2>/dev/null)" != "cargo-fuzz $version" ]; then
        cargo install cargo-fuzz --quiet --locked --version "$version" --root .tools/cargo
    fi
    .venv/bin/python fuzz/seeds.py "$folder/seeds"
    # No sanitizer: the crates that read have no unsafe code, and panics, hangs and memory are watched by libFuzzer itself.
    (cd fuzz && PATH=$PWD/../.tools/cargo/bin:$PATH cargo +nightly fuzz build --fuzz-dir . --sanitizer none --target-dir "../$folder/build")
}

build_python() {
    scripts/uv.sh pip install --quiet --python .venv/bin/python --require-hashes -r requirements/fuzz.lock
}

is_one_of() { # WORD LIST
    for one in $2; do [ "$1" != "$one" ] || return 0; done
    return 1
}

run() { # TARGET COMMAND...: libFuzzer's words follow
    target=$1; shift
    echo "== $target" >&2
    mkdir -p "$folder/corpus/$target" "$folder/found/$target" "$folder/seeds/$target"
    "$@" "$folder/corpus/$target" "$folder/seeds/$target" \
        -max_total_time=$((${MINUTES:-30} * 60)) -max_len=65536 -timeout=20 -rss_limit_mb=2000 \
        -print_final_stats=1 -artifact_prefix="$folder/found/$target/"
}

# shellcheck disable=SC2086 # names have no blanks
[ "$#" -gt 0 ] || set -- $in_rust $in_python
built_rust= built_python=
for target in "$@"; do
    if is_one_of "$target" "$in_rust"; then
        [ "$built_rust" ] || build_rust
        built_rust=yes
        run "$target" "$folder/build/$triple/release/$target"
    elif is_one_of "$target" "$in_python"; then
        [ "$built_python" ] || build_python
        built_python=yes
        .venv/bin/python fuzz/parse.py --seeds "$folder/seeds/$target" "$target"
        run "$target" .venv/bin/python fuzz/parse.py "$target"
    else
        echo "error: no fuzz target $target; there are:" $in_rust $in_python >&2
        exit 2
    fi
done
