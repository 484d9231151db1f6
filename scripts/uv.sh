#!/bin/sh
# Runs the project's own uv with the settings that this machine gave to pip, which uv does not read by itself:
# package index, further indexes, folders of wheels and certificates, from pip's files and PIP_* variables.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
python=$("$root/scripts/python.sh")

setting() { # the value that pip would use: the environment wins over a file
    printf '%s\n' "$settings" | sed -n -e "s/^:env:\.$1='\(.*\)'\$/\1/p" -e "s/^\(global\|install\)\.$1='\(.*\)'\$/\2/p" | head -n 1
}
settings=$("$python" -m pip config list 2>/dev/null | sort || true)
carry() { # VARIABLE pip-setting: only where the user has not set uv's own variable
    value=$(setting "$2")
    if [ -n "$value" ] && ! printenv "$1" >/dev/null; then export "$1=$value"; fi
}
carry UV_DEFAULT_INDEX index-url
carry UV_INDEX extra-index-url
carry UV_FIND_LINKS find-links
carry SSL_CERT_FILE cert
export UV_PYTHON_DOWNLOADS=never
exec "$root/.tools/uv/bin/uv" "$@"
