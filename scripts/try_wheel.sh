#!/bin/sh
# Installs a wheel into fresh environments where no Rust can be found, with its core dependencies and then with all extras, and does with
# it what its first user would: proof that a user needs nothing but Python. Usage: scripts/try_wheel.sh dist/plimsoll-….whl
set -eu
cd "$(dirname "$0")/.."
. scripts/trial.sh
wheel=$1
case $wheel in *-abi3-manylinux_2_28_*.whl) ;; *) trial_failed "$wheel is not an abi3 manylinux_2_28 wheel" ;; esac
# What the tag says is true: the extension asks for no newer glibc.
.venv/bin/python scripts/check_glibc.py 2.28 "$wheel"
fresh=$(mktemp -d)
trap 'rm -rf "$fresh"' EXIT INT TERM
chmod 755 "$fresh" # the embedded database of root runs as another user
outside=$fresh/data inside=$fresh/data
mkdir "$fresh/home" "$outside"

installed() { # NAME EXTRAS: an environment of that name
    scripts/uv.sh venv --quiet --python .venv/bin/python "$fresh/$1"
    scripts/uv.sh pip install --quiet --link-mode copy --python "$fresh/$1/bin/python" --constraint requirements/runtime.lock "$wheel$2"
    environment=$1 installed_mb=$(du -sm "$fresh/$1" | cut -f 1)
    echo "installed: $(basename "$wheel")$2, $installed_mb MB"
}
within() {
    seconds=$1; shift
    scripts/bounded.sh "$seconds" "plimsoll $1" env -i HOME="$fresh/home" PATH=/usr/bin:/bin TMPDIR="$fresh" "$fresh/$environment/bin/plimsoll" "$@"
}

installed core ""
[ "$installed_mb" -le 60 ] || trial_failed "the core may take 60 MB"
for brought in man/man1/plimsoll-io.1 bash-completion/completions/plimsoll zsh/site-functions/_plimsoll \
    doc/plimsoll/licences.txt; do
    [ -s "$fresh/core/share/$brought" ] || trial_failed "the wheel brought no $brought"
done
try_core
installed all "[all]"
try_demo
