"""The kernel's NFS client beside our own, against the kernel's server of version 3, in one guest and one table."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from guest_machine import Guest

pytestmark = [pytest.mark.guest, pytest.mark.timeout(900)]

MOUNT_PORT = 20048
URL = f"nfs://127.0.0.1/srv?mount_port={MOUNT_PORT}"
WORDS = "--size 64m --depth 4 --runtime 3 --warm-up 0 --seed 1"


@pytest.fixture(scope="module")
def exported(guest: Guest) -> Iterator[str]:
    """A folder of memory that the guest serves by version 3, and has mounted from itself."""
    guest.said(
        "modprobe nfsd && mount -t nfsd nfsd /proc/fs/nfsd && mount -t tmpfs export /srv && mkdir -p /mnt/nfs"
    )
    guest.said(
        "exportfs -o rw,fsid=0,no_root_squash,insecure 127.0.0.1:/srv && rpcbind && rpc.nfsd -V 3 -N 4 2"
    )
    guest.said(f"rpc.mountd -V 3 -p {MOUNT_PORT}")
    options = f"vers=3,nolock,mountport={MOUNT_PORT},mountproto=tcp"
    guest.said(f"mount -t nfs -o {options} 127.0.0.1:/srv /mnt/nfs", timeout_s=120)
    yield "/mnt/nfs"
    guest.said(
        "umount /mnt/nfs; rpc.nfsd 0; pkill rpc.mountd; pkill rpcbind; exportfs -ua; umount /srv",
        timeout_s=120,
    )


def _measured(guest: Guest, target: str, tag: str) -> Any:
    told = guest.said(f"plimsoll io '{target}' {WORDS} --tag {tag} --json || true", timeout_s=300)
    return json.loads(told)["data"]


def test_both_clients_stand_in_one_table(guest: Guest, exported: str) -> None:
    direct, kernel = _measured(guest, URL, "direct"), _measured(guest, exported, "kernel")
    assert direct["engine"] == "nfs"
    assert kernel["engine"] != "nfs"
    assert (direct["errors"], kernel["errors"]) == (0, 0)
    counted = kernel["at_devices"]
    assert 0 <= counted["device_reads"] - counted["reads"] <= 1, (
        "the kernel's client asked for each read once"
    )
    done = guest.run("plimsoll compare tag:kernel tag:direct --json", timeout_s=120)
    figures = {one["name"]: one for one in json.loads(done.text)["data"]["figures"]}
    rates = [side["value"] for side in figures["cell.held_iops"]["sides"]]
    assert rates == pytest.approx([kernel["iops"], direct["iops"]])
    shown = guest.run("plimsoll compare tag:kernel tag:direct", timeout_s=120).text
    print(shown)
    assert "I/Os per s" in shown
    assert "CPU" in shown, "what each I/O cost is in the table"
