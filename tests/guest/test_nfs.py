"""The kernel's NFS client and server, of version 4.2 with several connections, in one guest."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from guest_machine import Guest

pytestmark = [pytest.mark.guest, pytest.mark.timeout(600)]

CONNECTIONS = 4


@pytest.fixture
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
