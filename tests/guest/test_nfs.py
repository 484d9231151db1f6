"""The kernel's NFS client and server, of version 4.2 with several connections, in one guest."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from guest_machine import Guest

pytestmark = [pytest.mark.guest, pytest.mark.timeout(600)]

CONNECTIONS = 4


@pytest.fixture(scope="module")
def mounted(guest: Guest) -> Iterator[str]:
    """A folder of the guest, mounted by the guest from itself."""
    guest.said(
        "modprobe nfsd && mount -t nfsd nfsd /proc/fs/nfsd && mount -t tmpfs export /srv && mkdir -p /mnt/nfs"
    )
    guest.said(
        "exportfs -o rw,fsid=0,no_root_squash,insecure 127.0.0.1:/srv && rpc.nfsd -N 3 2 && rpc.mountd -N 3"
    )
    guest.said(f"mount -t nfs4 -o vers=4.2,nconnect={CONNECTIONS} 127.0.0.1:/ /mnt/nfs", timeout_s=120)
    yield "/mnt/nfs"
    guest.said("umount /mnt/nfs; rpc.nfsd 0; pkill rpc.mountd; exportfs -ua; umount /srv", timeout_s=120)


def test_a_mount_with_connections_of_its_own(guest: Guest, mounted: str) -> None:
    guest.put(f"{mounted}/file", b"over the wire")
    assert guest.get("/srv/file") == b"over the wire"
    told = guest.said("cat /proc/self/mountstats")
    assert told.count("xprt:\ttcp") == CONNECTIONS


def test_what_a_mount_is_asked_for_is_held_against_the_kernels_own_count(guest: Guest, mounted: str) -> None:
    words = "--size 64m --rw randrw --read-share 0.5 --runtime 2 --warm-up 0 --engine psync --seed 1 --json"
    told = json.loads(guest.said(f"plimsoll io {mounted} {words} || true", timeout_s=300))["data"]
    counted = told["at_devices"]
    assert counted["devices"] == [f"127.0.0.1:/ on {mounted}"]
    assert counted["reads"] > 0
    assert counted["device_write_bytes"] == counted["write_bytes"]
    assert counted["device_writes"] == counted["writes"]
    assert 0 <= counted["device_reads"] - counted["reads"] <= 1, "what direct I/O needs is tried by one read"
    assert 0 <= counted["device_read_bytes"] - counted["read_bytes"] <= 4096
    assert next(check["passed"] for check in told["checks"] if check["name"] == "reached")
    refused = guest.run("plimsoll io nfs://127.0.0.1/srv --json", timeout_s=300)
    assert json.loads(refused.text)["data"]["id"] in ("nfs-version", "nfs-unreachable"), (
        "it speaks version 4 alone"
    )
