#!/bin/sh
# guest_older_kernel.sh FOLDER PACKAGE: the kernel that a package stands for, as older.deb in the folder, from the sources that
# sources.list in it names (a part of scripts/guest.sh). apt keeps what it knows of them there as well: this machine's own are left alone.
set -eu
cd "$1"
package=$2
mkdir -p apt/lists/partial apt/archives/partial
set -- -o Dir::State="$PWD/apt" -o Dir::State::lists="$PWD/apt/lists" -o Dir::Cache="$PWD/apt" -o Dir::Etc::sourceparts=/dev/null \
    -o Dir::Etc::sourcelist="$PWD/sources.list" -o APT::Sandbox::User=root
apt-get "$@" update --quiet=2 >&2
name=$(apt-cache "$@" depends "$package" | sed -n 's/.*Depends: \(linux-image-[0-9][^ ]*\).*/\1/p')
apt-get "$@" download --quiet=2 "$name" >&2
mv "$name"_*.deb older.deb
