#!/bin/sh
# `make probe`: compiles the eBPF objects of `plimsoll watch` and `plimsoll commits` anew, into the tree or into the folder that
# is named. Only who changes their sources needs this, and clang: the objects are kept in the repository, and the same compiler
# makes the same bytes of the same source.
set -eu
out=${1:-.}
cd "$(dirname "$0")/../crates/observe/bpf"
version=14 # Debian 12's; another one makes other bytes
for tool in clang llvm-strip; do
    if ! command -v "$tool-$version" >/dev/null 2>&1; then
        echo "error: $tool-$version not found: it compiles the probes" >&2
        echo "hint: On Debian, 'sudo apt-get install clang-$version llvm-$version'; then run make probe again." >&2
        exit 1
    fi
done
for source in *.bpf.c; do
    object=$out/${source%.c}.o
    # No path of this machine is to be in it: the bytes are the same wherever they are made.
    "clang-$version" -fdebug-compilation-dir=. -O2 -g -target bpf -mcpu=v2 -Wall -Wextra -Werror -c "$source" -o "$object"
    "llvm-strip-$version" --strip-debug "$object" # keeps the types of the kernel's structures
done
