#!/bin/sh
# guest_kernel.sh ROOT PACKAGE: the kernel that a package of Debian stands for, with its modules, in a root file system being made
# (a hook of scripts/guest.sh). It is only unpacked: to configure it would want the tools of a first root file system, which the guest has no use for.
set -eu
# shellcheck disable=SC2016  # expanded within the root file system
chroot "$1" sh -euc '
    cd /tmp
    name=$(apt-cache depends "$0" | sed -n "s/.*Depends: \(linux-image-[0-9][^ ]*\).*/\1/p")
    apt-get download --quiet=2 "$name"
    dpkg --force-depends --unpack "$name"_*.deb
    rm "$name"_*.deb
    depmod "${name#linux-image-}"
' "$2" >&2
