#!/bin/sh
# Brings uv, which installs everything else, into .tools/uv by pip, pinned and hashed by requirements/bootstrap.lock.
# It uses the user's own pip with its settings, or one from a virtual environment where Python came without pip.
set -eu
cd "$(dirname "$0")/.."
python=$(scripts/python.sh)
folder=.tools/uv
rm -rf "$folder"
mkdir -p .tools

if "$python" -m pip --version >/dev/null 2>&1; then
    pip="$python -m pip"
elif "$python" -m venv --clear .tools/pip >/dev/null 2>&1; then
    pip=".tools/pip/bin/python -m pip"
else
    rm -rf .tools/pip
    echo "error: $python has neither pip nor venv: no way to bring uv" >&2
    echo "hint: On Debian or Ubuntu, 'sudo apt-get install python3-venv'; then run make again." >&2
    exit 1
fi
PIP_ROOT_USER_ACTION=ignore $pip install --quiet --disable-pip-version-check --no-deps --require-hashes \
    --target "$folder" -r requirements/bootstrap.lock
