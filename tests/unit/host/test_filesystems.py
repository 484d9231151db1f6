"""Which mount holds a path: tables as kernels write them, and the mounts of this machine."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from plimsoll.host.filesystems import file_system, find_mount
from plimsoll.ports import files

TABLE = """\
22 1 254:0 / / rw,relatime shared:1 - ext4 /dev/vda rw,discard
23 22 0:21 / /proc rw,nosuid - proc proc rw
30 22 259:3 / /data rw,noatime shared:7 master:2 - xfs /dev/mapper/vg0-data rw,attr2,inode64
31 30 0:44 / /data/my\\040backups\\134old rw - nfs4 filer:/export/back\\040up rw,vers=4.2
32 22 0:45 / /over rw - overlay overlay rw,lowerdir=/a,upperdir=/b
33 22 0:50 / /data rw - tmpfs tmpfs rw,size=1k
34 22 0:51 /@home /home rw,relatime shared:9 - btrfs /dev/nvme0n1p2 rw,subvolid=256
a line that is none
"""


@pytest.mark.parametrize(
    ("path", "mount_id", "kind", "point"),
    [
        ("/etc/fstab", 22, "ext4", "/"),
        ("/data/x", 30, "xfs", "/data"),
        ("/data/x", 33, "tmpfs", "/data"),
        ("/data/x", None, "tmpfs", "/data"),
        ("/data/my backups\\old/x", 31, "nfs4", "/data/my backups\\old"),
        ("/data/my backups\\old/x", None, "nfs4", "/data/my backups\\old"),
        ("/data/my backups", None, "tmpfs", "/data"),
        ("/datax", None, "ext4", "/"),
        ("/home/a", 34, "btrfs", "/home"),
        ("/proc/1", 99, "proc", "/proc"),
    ],
)
def test_the_mount_is_found_by_its_number_else_by_its_place(
    path: str, mount_id: int | None, kind: str, point: str
) -> None:
    found = find_mount(TABLE, Path(path), mount_id)
    assert found is not None
    assert (found.kind, found.point) == (kind, point)


def test_a_source_is_unescaped_too() -> None:
    found = find_mount(TABLE, Path("/data/my backups\\old"), 31)
    assert found is not None
    assert found.source == "filer:/export/back up"


def test_an_empty_table_knows_nothing() -> None:
    assert find_mount("", Path("/"), None) is None


def test_the_kernels_number_is_that_of_its_table() -> None:
    for path in (Path("/"), Path("/proc"), Path("/dev")):
        number = files.mount_id(path)
        lines = Path("/proc/self/mountinfo").read_text().splitlines()
        (line,) = [line for line in lines if line.startswith(f"{number} ")]
        assert line.split(" ")[4] == str(path)
    assert files.mount_id(Path("/no/such/path")) is None


def test_this_machines_folder_agrees_with_findmnt(tmp_path: Path) -> None:
    found = file_system(tmp_path)
    assert found is not None
    listed = subprocess.run(
        ["findmnt", "--noheadings", "--output", "FSTYPE,TARGET", "--target", str(tmp_path)],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    if listed.returncode != 0:
        pytest.skip("findmnt is not here")
    assert listed.stdout.split() == [found.kind, found.mount_point]
    options = found.options.split(",")
    assert len(set(options)) == len(options)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may mount")
def test_an_odd_mount_point_and_a_hidden_one(tmp_path: Path) -> None:
    """The deeper mount was there first; the later one above it hides it."""
    outer = tmp_path / "with blank\tand\\backslash"
    inner = outer / "inner"
    inner.mkdir(parents=True)
    mounted = []
    try:
        for kind, folder in (("ramfs", inner), ("tmpfs", outer)):
            done = subprocess.run(
                ["mount", "-t", kind, "none", str(folder)], capture_output=True, check=False
            )
            if done.returncode != 0:
                pytest.skip("mounting is not allowed here")
            mounted.append(folder)
        inner.mkdir()
        found = file_system(inner)
        assert found is not None
        assert (found.kind, found.mount_point) == ("tmpfs", str(outer))
    finally:
        for folder in reversed(mounted):
            subprocess.run(["umount", str(folder)], check=True)


def test_how_a_file_system_logs_in_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    line = "22 1 0:7 / / rw - fuse.ftp curl#ftp://me:hunter2@db/ rw,user_id=0,password=hunter2,vers=3.0\n"
    monkeypatch.setattr(files, "read_text", lambda path: line)
    monkeypatch.setattr(files, "mount_id", lambda path: 22)
    found = file_system(Path("/etc"))
    assert found is not None
    assert (found.source, found.options) == ("curl#ftp://me:***@db/", "rw,user_id=0,password=***,vers=3.0")
