#!/bin/sh
# Starts Plimsoll with the Python beside this file, wherever the folder was put; a link to this file will do.
here=$(dirname "$(readlink -f "$0")")
refuse() { # WHY
    echo "error: $1" >&2
    echo "hint: On such a host install the wheel into a Python of its own, or build a clone." >&2
    exit 4
}
[ "$(uname -m)" = x86_64 ] || refuse "this bundle is for x86-64, and this host is $(uname -m)"
[ -e /lib64/ld-linux-x86-64.so.2 ] || refuse "this bundle needs glibc, and this host has none"
needed=@GLIBC@ # scripts/bundle.sh says which
# Where nothing tells the version, the loader does. glibc has been 2 since 1997.
present=$(getconf GNU_LIBC_VERSION 2>/dev/null | sed -n 's/^glibc 2\.\([0-9]*\).*/\1/p')
[ -z "$present" ] || [ "$present" -ge "${needed#2.}" ] || refuse "this bundle needs glibc $needed or newer, and this host has 2.$present"
exec "$here/python/bin/python3" -I -m plimsoll "$@"
