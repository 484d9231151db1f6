#!/bin/sh
# bounded.sh SECONDS NAME COMMAND...: the command with nothing to read, ended by force when it takes longer, which is said by name.
# SIGQUIT comes first: tests print where they are. What does not heed it is killed 20 s later.
set -u
seconds=$1 name=$2; shift 2
ulimit -c 0
# In a group of its own everything that the command started ends with it; at a terminal it stays within reach of Ctrl-C.
if [ -t 0 ]; then reach=--foreground; else reach=; fi
# shellcheck disable=SC2086  # no word, or one
timeout $reach --signal=QUIT --kill-after=20 "$seconds" "$@" </dev/null
status=$?
case $status in
124) echo "error: $name was ended: it was not done after $seconds s" >&2 ;;
137) echo "error: $name was killed: by the system, or as it was not done after $seconds s and did not end when asked" >&2 ;;
esac
exit "$status"
