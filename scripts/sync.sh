#!/bin/sh
# Makes .venv hold exactly the packages of requirements/dev.lock, checked by hash. An existing .venv is brought up to
# date in place, so that programs running from it live on; only one that does not run at all is made anew.
set -eu
cd "$(dirname "$0")/.."
if ! .venv/bin/python -c 'import sys; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1; then
    scripts/uv.sh venv --quiet --clear --python "$(scripts/python.sh)" .venv
fi
# Compiled once here: a command that starts must not compile its libraries anew, as it would where Python may not write.
scripts/uv.sh pip sync --quiet --compile-bytecode --python .venv/bin/python --require-hashes requirements/dev.lock
