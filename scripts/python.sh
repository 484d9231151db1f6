#!/bin/sh
# Prints the path of a Python 3.11 or newer: $PYTHON if set, else the first that fits. Says how to get one when none does.
set -eu
fits() { "$1" -c 'import sys; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1; }
for candidate in ${PYTHON:-python3 python3.13 python3.12 python3.11 python3.14}; do
    if fits "$candidate"; then
        "$candidate" -c 'import sys; print(sys.executable)'
        exit 0
    fi
done
echo "error: no python 3.11 or newer: tried ${PYTHON:-python3 python3.13 python3.12 python3.11 python3.14}" >&2
echo "hint: On Debian or Ubuntu, 'sudo apt-get install python3 python3-venv'; or name one with 'make PYTHON=/path/to/python3'." >&2
exit 1
