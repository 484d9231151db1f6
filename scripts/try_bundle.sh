#!/bin/sh
# Unpacks a bundle in a folder of its own and does with it what a host's first user would, without a setting of this machine.
# Usage: scripts/try_bundle.sh dist/plimsoll-….tar.gz [ROOT], where ROOT is the root folder of another Linux to do it in, as root.
set -eu
cd "$(dirname "$0")/.."
. scripts/trial.sh
bundle=$1 root=${2:-}
place=$(mktemp -d "$root${TMPDIR:-/tmp}/plimsoll-trial-XXXXXX")
trap 'rm -rf "$place"' EXIT INT TERM
chmod 755 "$place" # the embedded database of root runs as another user
outside=$place/data inside=${place#"$root"}/data
mkdir "$place/home" "$outside"
tar --extract --gzip --file "$bundle" --directory "$place"
name=$(basename "$bundle" .tar.gz)
within() {
    seconds=$1; shift
    scripts/bounded.sh "$seconds" "plimsoll $1" ${root:+chroot "$root"} env -i HOME="${place#"$root"}/home" PATH=/usr/bin:/bin \
        "${place#"$root"}/$name/plimsoll" "$@"
}
try_core
if grep -qE "all|embedded.*report|report.*embedded" "$place/$name/python/plimsoll-bundle"; then try_demo; fi
