#!/bin/sh
# Installs the Debian packages that the tests use, with the word `guest` those that make and run the guest of tests/guest, with
# `system` those of `make test-system`, and with `probe` those that compile the eBPF object; only where missing, and says what for. Nothing here is needed to build or to run
# Plimsoll. Without apt or without the right to install, it says which tests will be left out, and ends well:
# each of those tests looks for its program itself and is skipped with the reason.
set -eu
cd "$(dirname "$0")/.."

missing=
lacks() { # PACKAGE REASON
    missing="$missing $1"
    echo "test package $1: $2" >&2
}
found() { # any of these paths or commands
    for name in "$@"; do
        if [ -e "$name" ] || command -v "$name" >/dev/null 2>&1; then return 0; fi
    done
    return 1
}

# Prometheus' package would start a server: the one program of it that a test uses is taken out of it instead.
download() { apt-get download --quiet=2 prometheus >/dev/null 2>&1; }
take_promtool() { # FOLDER to do it in
    (cd "$1" && { download || { apt-get update --quiet=2 >/dev/null 2>&1 && download; }; } &&
        dpkg-deb --fsys-tarfile prometheus_*.deb | tar --extract ./usr/bin/promtool) && mv "$1/usr/bin/promtool" .tools/promtool
}
for_tests() {
    found chromium chromium-browser google-chrome || lacks chromium "opens report pages as a reader's browser would"
    found /usr/share/fonts/truetype/liberation* /usr/share/fonts/truetype/dejavu* ||
        lacks fonts-liberation "letters for those pages"
    found fio || lacks fio "the other tool that our measurements are checked against"
    found /usr/sbin/mkfs.vfat mkfs.vfat || lacks dosfstools "a FAT file system that must not be overwritten"
    found /usr/sbin/sfdisk sfdisk || lacks fdisk "partition tables that must not be overwritten"
    found /usr/sbin/cryptsetup cryptsetup || lacks cryptsetup-bin "encrypted volumes that must not be overwritten"
    found /usr/lib/postgresql/*/bin/postgres || lacks postgresql "an older PostgreSQL beside the embedded 18, with pg_stat_statements"
    # The server's programs alone: the package around them would start a service.
    found /usr/sbin/mariadbd || lacks mariadb-server-core "a MariaDB to read and to drive, started by the tests themselves"
    found systemd-analyze || lacks systemd "its own checker, for the units that plans of slices are written as"
    found /usr/sbin/cgconfigparser || lacks cgroup-tools "loads the control groups of version 1 that they are written as"
    found hpcc || lacks hpcc "what CPUs compute, by HPL"
    found /usr/lib/*/libopenblas.so.0 || lacks libopenblas0-pthread "the BLAS that it needs for that"
    found iperf3 || lacks iperf3 "the network as another tool measures it"
    found ssh || lacks openssh-client "the way to other hosts"
    # Where systemd runs it would be started as a service for everybody.
    found /usr/sbin/sshd || [ -d /run/systemd/system ] || lacks openssh-server "the other side of it, on the loopback alone"
    found /usr/lib/*/libnfs.so.13 /usr/lib/*/libnfs.so.14 || lacks libnfs13 "another NFS client, for the engine that calls it"
    found zsh || lacks zsh "a shell that completes what is typed, beside bash"
    found fish || lacks fish "another of these shells"
    found .tools/promtool promtool || {
        echo "test program promtool: Prometheus' own checker, for the metrics that are exported" >&2
        folder=$(mktemp -d)
        mkdir -p .tools
        take_promtool "$folder" || echo "left out: could not get promtool; the tests that need it are skipped" >&2
        rm -rf "$folder"
    }
}
for_system() {
    found /usr/sbin/tc tc || lacks iproute2 "links of dialled speed between networks of a test's own"
    # Where systemd runs it would be started as a service for everybody.
    found /usr/bin/ganesha.nfsd || [ -d /run/systemd/system ] || lacks nfs-ganesha-vfs "an NFS server that is not ours"
}
for_probe() {
    found clang-14 || lacks clang-14 "makes the eBPF object of crates/observe anew, to see that it is that of its source"
    found llvm-strip-14 || lacks llvm-14 "takes out of that object what debuggers alone want"
}
for_guest() {
    found qemu-system-x86_64 || lacks qemu-system-x86 "runs the small machine of the tests in tests/guest"
    found mmdebstrap || lacks mmdebstrap "makes the root file system of that machine"
    found /usr/sbin/mke2fs mke2fs || lacks e2fsprogs "makes its image"
}
"for_${1:-tests}"

[ -n "$missing" ] || exit 0

as_root=
if [ "$(id -u)" != 0 ]; then
    if command -v sudo >/dev/null 2>&1 && sudo -n true 2>/dev/null; then
        as_root="sudo -n"
    else
        echo "left out: no right to install$missing; the tests that need them are skipped" >&2
        echo "hint: Run 'sudo scripts/system-packages.sh' once, then make test again." >&2
        exit 0
    fi
fi
if ! command -v apt-get >/dev/null 2>&1; then
    echo "left out: no apt-get to install$missing with; the tests that need them are skipped" >&2
    exit 0
fi

# PostgreSQL's package would otherwise start a server of its own; the tests start theirs.
case $missing in *postgresql*)
    if [ ! -e /etc/postgresql-common/createcluster.conf ]; then
        $as_root mkdir -p /etc/postgresql-common
        echo "create_main_cluster = false" | $as_root tee /etc/postgresql-common/createcluster.conf >/dev/null
    fi ;;
esac
install() {
    # shellcheck disable=SC2086  # a list of words
    $as_root env DEBIAN_FRONTEND=noninteractive apt-get install --yes --quiet=2 \
        -o Dpkg::Use-Pty=0 --no-install-recommends $missing >&2
}
install || { $as_root apt-get update --quiet=2 && install; } ||
    echo "left out: apt-get could not install$missing; the tests that need them are skipped" >&2
