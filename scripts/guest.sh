#!/bin/sh
# `make guest`: kernels and root image, in .tools/guest, of the small virtual machine that tests/guest starts for what this machine's
# own kernel cannot show. Made of Debian packages alone; at once when nothing changed. Where no older kernel is to be had, the tests
# that need it are skipped.
# Usage: scripts/guest.sh, as root. Ends with 77, the status of a trial left out, where root or a program that it needs is missing.
set -eu
cd "$(dirname "$0")/.."
left_out() { # WHY HINT
    echo "left out: $1" >&2
    echo "hint: $2" >&2
    exit 77
}
suite=bookworm # its kernel is 6.1
kernel=linux-image-cloud-amd64
older_suite=bullseye # the same package there is of 5.10
packages=systemd,systemd-sysv,udev,dbus,kmod,util-linux,mount,e2fsprogs,dmsetup,iproute2,procps,netbase,nfs-kernel-server,nfs-common,python3,numactl,fio
image_mib=1200 # sparse, so it takes what is in it
own=tests/guest/root made=.tools/guest

[ "$(dpkg --print-architecture 2>/dev/null)" = amd64 ] || left_out "the guest is made of Debian packages for amd64" "Use a Debian or Ubuntu on amd64."
[ "$(id -u)" = 0 ] || left_out "the owners of the guest's files are set by root alone" "Run 'sudo make guest' once; tests start the guest without root."
scripts/bounded.sh 600 "installing Debian packages" scripts/system-packages.sh guest
for needed in mmdebstrap mke2fs; do
    command -v "$needed" >/dev/null || left_out "$needed not found" "Run 'sudo scripts/system-packages.sh guest'."
done

mkdir -p "$made"
part=$made/part
rm -rf "$part"
mkdir "$part"
trap 'rm -rf --one-file-system "$part"' EXIT INT TERM

recipe=$(echo "$suite $kernel $packages" | cat - scripts/guest_kernel.sh | sha256sum)
if [ ! -e "$made/root.tar" ] || [ "$(cat "$made/recipe" 2>/dev/null)" != "$recipe" ]; then
    echo "guest: Debian packages, which takes a minute or two" >&2
    scripts/bounded.sh 900 "the guest's packages" mmdebstrap --quiet --mode=root --variant=apt --include="$packages" \
        --customize-hook="scripts/guest_kernel.sh \"\$1\" $kernel" "$suite" "$part/root.tar"
    mv "$part/root.tar" "$made/root.tar"
    echo "$recipe" >"$made/recipe"
fi

if [ ! -e "$made/older.deb" ] || [ "$(cat "$made/older-recipe" 2>/dev/null)" != "$older_suite $kernel" ]; then
    echo "guest: an older kernel" >&2
    rm -f "$made/older.deb"
    tar --extract --to-stdout --file="$made/root.tar" ./etc/apt/sources.list | sed "s/$suite/$older_suite/g" >"$part/sources.list"
    if scripts/bounded.sh 300 "getting an older kernel" scripts/guest_older_kernel.sh "$part" "$kernel"; then
        mv "$part/older.deb" "$made/older.deb"
        echo "$older_suite $kernel" >"$made/older-recipe"
    else
        echo "left out: $kernel of $older_suite is not to be had; the tests of an older kernel are skipped" >&2
    fi
fi

echo "guest: root image" >&2
root=$part/root
mkdir "$root"
tar --extract --file="$made/root.tar" --directory="$root" --exclude='./dev/*'
cp --recursive --no-target-directory "$own" "$root"
chown --recursive root:root "$root/usr/local"
# Tests start these themselves, so that boots are short.
systemctl --root="$root" --quiet mask nfs-server.service rpcbind.service rpcbind.socket apt-daily.timer apt-daily-upgrade.timer
systemctl --root="$root" --quiet enable guest-agent.service
echo guest >"$root/etc/hostname"
echo "127.0.0.1 localhost guest" >"$root/etc/hosts"
mv "$root"/boot/vmlinuz-* "$part/vmlinuz"
if [ -e "$made/older.deb" ]; then
    # Never into the root itself: what there are links to folders, the package has as folders.
    dpkg-deb --extract "$made/older.deb" "$part/older"
    mv "$part"/older/boot/vmlinuz-* "$part/vmlinuz-older"
    mv "$part"/older/lib/modules/* "$root/usr/lib/modules/"
    for version in "$root"/usr/lib/modules/*; do chroot "$root" depmod "${version##*/}"; done
fi
rm -rf "$root"/boot/* "$root"/var/cache/apt/* "$root"/var/lib/apt/lists/*
truncate --size="${image_mib}M" "$part/root.img"
scripts/bounded.sh 300 "the guest's root image" mke2fs -q -t ext4 -d "$root" "$part/root.img"

# Some machines that are virtual themselves have a KVM that runs no kernel but a changed one. So it is tried: an init that ends at
# once makes the kernel panic, which is how far it shall come.
accelerator=tcg
if [ -w /dev/kvm ]; then
    echo "guest: trying KVM, for 30 s at most" >&2
    timeout 30 qemu-system-x86_64 -nodefaults -nographic -no-reboot -m 512 -cpu max,-arch-capabilities -accel kvm -serial "file:$part/console" \
        -kernel "$part/vmlinuz" -append "console=ttyS0 panic=-1 root=/dev/nvme0n1 init=/bin/true" \
        -drive "file=$part/root.img,if=none,id=disk,format=raw,snapshot=on" -device nvme,drive=disk,serial=disk </dev/null >/dev/null 2>&1 || true
    if grep -qs "Attempted to kill init" "$part/console"; then accelerator=kvm; fi
fi
echo "$accelerator" >"$part/accelerator"
chmod a+r "$part/root.img" "$part"/vmlinuz*
rm -f "$made/vmlinuz-older"
mv "$part"/vmlinuz* "$part/accelerator" "$part/root.img" "$made/"
echo "guest: $made/root.img, which runs by $accelerator" >&2
