#!/bin/sh
# `make probe`: compiles the eBPF object of `plimsoll watch` anew, into the tree or where OUT says. Only who changes its source
# needs this, and clang: the object is kept in the repository, and the same compiler makes the same bytes of the same source.
set -eu
cd "$(dirname "$0")/../crates/observe/bpf"
version=14 # Debian 12's; another one makes other bytes
out=${1:-block.bpf.o}
for tool in clang llvm-strip; do
    if ! command -v "$tool-$version" >/dev/null 2>&1; then
        echo "error: $tool-$version not found: it compiles the probe" >&2
        echo "hint: On Debian, 'sudo apt-get install clang-$version llvm-$version'; then run make probe again." >&2
        exit 1
    fi
done
# No path of this machine is to be in it: the bytes are the same wherever they are made.
"clang-$version" -fdebug-compilation-dir=. -O2 -g -target bpf -mcpu=v2 -Wall -Wextra -Werror -c block.bpf.c -o "$out"
"llvm-strip-$version" --strip-debug "$out" # keeps the types of the kernel's structures
