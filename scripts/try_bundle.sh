#!/bin/sh
# Unpacks a bundle in a folder of its own and does with it what a host's first user would, without a setting of this machine.
# Usage: scripts/try_bundle.sh dist/plimsoll-….tar.gz [ROOT], where ROOT is the root folder of another Linux to do it in, as root.
set -eu
cd "$(dirname "$0")/.."
bundle=$1 root=${2:-}
place=$(mktemp -d "$root${TMPDIR:-/tmp}/plimsoll-trial-XXXXXX")
trap 'rm -rf "$place"' EXIT INT TERM
chmod 755 "$place" # the embedded database of root runs as another user
mkdir "$place/home" "$place/data"
tar --extract --gzip --file "$bundle" --directory "$place"
inside=${place#"$root"}
plimsoll() {
    ${root:+chroot "$root"} env -i HOME="$inside/home" PATH=/usr/bin:/bin PLIMSOLL_SCRATCH="$inside/data" \
        "$inside/$(basename "$bundle" .tar.gz)/plimsoll" "$@"
}
plimsoll --version
plimsoll io "$inside/data" --size 64m --rw randread --block 8k --runtime 1 --json >"$place/result.json"
grep -q '"ios": *[1-9]' "$place/result.json" || { echo "error: the bundle measured nothing" >&2; exit 1; }
echo "no report" >"$place/empty.txt"
status=0
plimsoll read "$inside/empty.txt" >/dev/null 2>&1 || status=$?
[ "$status" = 5 ] || { echo "error: the bundle read a file without a report with status $status" >&2; exit 1; }
plimsoll line sim:mean=100us --slo p99=1ms | head -n 1
