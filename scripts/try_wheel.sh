#!/bin/sh
# Installs a wheel with its core dependencies into a fresh environment, where no Rust can be found, and measures a small
# scratch file with it: proof that a user needs nothing but Python. Usage: scripts/try_wheel.sh dist/plimsoll-….whl
set -eu
cd "$(dirname "$0")/.."
wheel=$1
case $wheel in *-abi3-manylinux_2_28_*.whl) ;; *) echo "error: $wheel is not an abi3 manylinux_2_28 wheel" >&2; exit 1 ;; esac
# What the tag says is true: the extension asks for no newer glibc.
.venv/bin/python scripts/check_glibc.py 2.28 "$wheel"
fresh=$(mktemp -d)
trap 'rm -rf "$fresh"' EXIT INT TERM

scripts/uv.sh venv --quiet --python .venv/bin/python "$fresh/venv"
scripts/uv.sh pip install --quiet --python "$fresh/venv/bin/python" --constraint requirements/runtime.lock "$wheel"
cd "$fresh"
env -i HOME="$fresh" PATH=/usr/bin:/bin TMPDIR="$fresh" venv/bin/plimsoll io "$fresh" --size 64m \
    --rw randread --block 8k --depth 8 --engine io_uring --runtime 1 --json >result.json
venv/bin/python -c '
import json, sys
data = json.load(open("result.json"))["data"]
assert data["ios"] > 0, data
print("{}: {:,.0f} reads/s without Rust".format(sys.argv[1], data["iops"]))' "$(basename "$wheel")"
for brought in man/man1/plimsoll-io.1 bash-completion/completions/plimsoll zsh/site-functions/_plimsoll \
    doc/plimsoll/licences.txt; do
    [ -s "venv/share/$brought" ] || { echo "error: the wheel brought no $brought" >&2; exit 1; }
done
installed_mb=$(du -sm venv | cut -f 1)
echo "installed: $installed_mb MB"
[ "$installed_mb" -le 60 ] || { echo "error: the core may take 60 MB" >&2; exit 1; }
