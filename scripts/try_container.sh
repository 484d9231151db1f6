#!/bin/sh
# Builds the image of Containerfile without a registry, on a Debian made here in place of the Python image that it names, and does in it
# what its first user would: as user 10001, with a volume at /target. Nothing of it stays. Takes the wheel that `make wheel` left in dist/.
# Usage: scripts/try_container.sh, as root. Ends with 77, the status of a trial left out, where root or a program that it needs is missing.
set -eu
cd "$(dirname "$0")/.."
. scripts/trial.sh
left_out() { # WHY HINT
    echo "left out: $1" >&2
    echo "hint: $2" >&2
    exit 77
}
[ "$(id -u)" = 0 ] || left_out "a root file system and an image without a registry are made by root alone" "Run 'sudo scripts/try_container.sh'."
for needed in buildah debootstrap; do
    command -v "$needed" >/dev/null || left_out "$needed not found" "On Debian or Ubuntu, 'sudo apt-get install buildah debootstrap'."
done
wheel=$(ls dist/*.whl) || left_out "no wheel in dist/" "'make wheel' makes it."
suite=bookworm extras=embedded,report

work=$(mktemp -d "${TMPDIR:-/var/tmp}/plimsoll-container-XXXXXX")
trap 'rm -rf --one-file-system "$work"' EXIT INT TERM
builder() { # SECONDS NAME WORDS of buildah; images and containers lie in the folder of this trial
    seconds=$1 name=$2; shift 2
    scripts/bounded.sh "$seconds" "$name" buildah --root "$work/storage" --runroot "$work/run" --storage-driver vfs "$@"
}
quietly() { # NAME COMMAND...: what it prints is shown where it failed
    log=$work/log what=$1; shift
    "$@" >"$log" 2>&1 || { tail -n 20 "$log" >&2; trial_failed "$what"; }
}

root=$work/root
quietly "the root file system" scripts/bounded.sh 600 debootstrap debootstrap --variant=minbase --include=python3-venv "$suite" "$root"
rm -rf "$root"/var/cache/apt/archives/*.deb "$root"/var/lib/apt/lists/*
ln -s /usr/bin/python3 "$root/usr/local/bin/python" # the name that Python's own image has
# pip in the image finds what this machine's pip found before, for Debian's Python and the oldest glibc of the wheel.
python=$(chroot "$root" python -c 'import sys; print("%d.%d" % sys.version_info[:2])')
grep -o '^[a-z0-9._-]*==[^ ;\\]*' requirements/runtime.lock >"$work/versions"
quietly "pip download" scripts/bounded.sh 600 pip "$(scripts/python.sh)" -m pip download --dest "$root/opt/wheels" --only-binary :all: --python-version "$python" \
    --platform manylinux_2_28_x86_64 --platform manylinux_2_27_x86_64 --platform manylinux_2_24_x86_64 --platform manylinux2014_x86_64 \
    --platform manylinux1_x86_64 --constraint "$work/versions" "$wheel[$extras]"
printf '[global]\nno-index = true\nfind-links = /opt/wheels\n' >"$root/etc/pip.conf"
quietly "the base" builder 120 base from --name base scratch
quietly "the base" builder 300 base add base "$root" /
quietly "the base" builder 300 base commit base localhost/plimsoll-base
quietly "the image" builder 600 image bud --isolation chroot --pull-never --layers=false --tag localhost/plimsoll \
    --build-arg PYTHON=localhost/plimsoll-base --build-arg EXTRAS="$extras" --file Containerfile .

# A volume as the image's user finds it: its own, and nobody else's.
outside=$work/volume inside=/target
mkdir "$outside"
chown 10001 "$outside"
quietly "the container" builder 300 container from --name trial --pull-never localhost/plimsoll
# An engine puts what it is told to mount in the place of the image's own volume; buildah would lay the image's over it.
quietly "the container" builder 60 container config --volume /target- trial
run() { # SECONDS COMMAND...: in the container, as the user that the image names
    seconds=$1; shift
    builder "$seconds" "$*" run --isolation chroot --volume "$outside:/target" trial -- "$@"
}
within() {
    seconds=$1; shift
    run "$seconds" plimsoll "$@"
}
user=$(run 60 id -u)
[ "$user" = 10001 ] || trial_failed "the image runs as user $user"
try_core
try_demo
