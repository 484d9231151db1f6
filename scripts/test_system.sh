#!/bin/sh
# `make test-system`: what `make test` leaves out, as it wants root, links, devices, a guest or much time to itself. One test after
# the other, as many of them measure; at the end each one that could not run is named with what is missing. Words go to pytest.
set -eu
cd "$(dirname "$0")/.."
[ "$(id -u)" = 0 ] || echo "left out: what only root may do; run 'sudo make test-system' for all of it" >&2
for kind in tests probe guest system; do
    scripts/bounded.sh 600 "installing Debian packages" scripts/system-packages.sh "$kind"
done
scripts/bounded.sh 300 "compiling python tests" scripts/compile_tests.sh
unset PYTHONDONTWRITEBYTECODE
exec scripts/bounded.sh 21600 "system tests" .venv/bin/pytest -m "system or guest" -rfEs --durations=20 --durations-min=2 "$@"
