#!/bin/sh
# Checks that what compiles the extension is here: cargo and a C linker. Says how to get what is missing.
set -eu
cd "$(dirname "$0")/.."
if ! command -v cargo >/dev/null 2>&1; then
    echo "error: cargo not found: Plimsoll's engine is written in Rust" >&2
    echo "hint: Install Rust with 'curl --proto =https --tlsv1.2 -sSf https://sh.rustup.rs | sh', open a new shell, and run make again." >&2
    exit 1
fi
if ! command -v cc >/dev/null 2>&1; then
    echo "error: cc not found: Rust links with a C compiler" >&2
    echo "hint: On Debian or Ubuntu, 'sudo apt-get install build-essential'; then run make again." >&2
    exit 1
fi
needed=$(sed -n 's/^rust-version = "\(.*\)"/\1/p' Cargo.toml)
present=$(rustc --version | cut -d ' ' -f 2)
if [ "$(printf '%s\n%s\n' "$needed" "$present" | sort -V | head -n 1)" != "$needed" ]; then
    echo "error: rust $present is too old: Plimsoll needs $needed or newer" >&2
    echo "hint: Run 'rustup update'; a distribution's own package may lag behind (https://rustup.rs has the current one)." >&2
    exit 1
fi
