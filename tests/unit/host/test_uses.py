"""Who uses a device: trees of sysfs and procfs as hosts with RAID, LVM, multipath and databases have them."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from loop_device import Loop
from made_host import Host
from plimsoll.host import devices, filesystems
from plimsoll.host.uses import Relatives, uses
from plimsoll.ports import files


@pytest.fixture
def host(tmp_path: Path) -> Host:
    made = Host(tmp_path)
    made.device("sda", (8, 0))
    made.device("sda/sda1", (8, 1))
    made.device("sda/sda2", (8, 2))
    return made


def test_a_device_that_nobody_uses(host: Host) -> None:
    host.device("sdb", (8, 16))
    for number in ((8, 16), (8, 1), (8, 0)):
        assert host.uses(number) == ()
    assert host.relatives((8, 16)) == Relatives()
    assert host.relatives((8, 1)) == Relatives()
    assert host.relatives((8, 0)) == Relatives(partitions=("sda1", "sda2"))


def test_a_mount_counts_for_the_device_and_its_disk(host: Host) -> None:
    host.mountinfo("36 1 8:1 / /u01/my\\040data rw,noatime - xfs /dev/none rw\n")
    assert host.uses((8, 1)) == ("it is mounted on /u01/my data",)
    assert host.uses((8, 0)) == ("sda1 is mounted on /u01/my data",)
    assert host.uses((8, 2)) == (), "another partition of the same disk"


def test_a_disk_that_is_mounted_whole_counts_for_its_partitions(host: Host) -> None:
    host.mountinfo("36 1 8:0 / /u01 rw - xfs /dev/sda rw\n")
    assert host.uses((8, 2)) == ("sda is mounted on /u01",)


def test_a_mount_by_number_of_no_device_is_known_by_its_source(
    host: Host, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Btrfs."""
    monkeypatch.setattr(
        files, "device_number", lambda path: os.makedev(8, 2) if path == "/dev/sda2" else None
    )
    host.mountinfo("36 1 0:42 /@ / rw - btrfs /dev/sda2 rw,subvol=/@\n")
    assert host.uses((8, 2)) == ("it is mounted on /",)
    assert host.uses((8, 1)) == ()


def test_swap(host: Host, monkeypatch: pytest.MonkeyPatch) -> None:
    numbers = {Path("/dev/sda2"): os.makedev(8, 2)}
    monkeypatch.setattr(files, "device_number", lambda path: numbers.get(Path(path)))
    (host.proc / "swaps").write_text(
        "Filename\t\t\t\tType\t\tSize\t\tUsed\t\tPriority\n"
        "/swap\\040file                               file\t\t1024\t0\t-2\n"
        "/dev/sda2                               partition\t8388604\t\t0\t\t-3\n"
    )
    assert host.uses((8, 2)) == ("it is swap space in use",)
    assert host.uses((8, 0)) == ("sda2 is swap space in use",)


@pytest.mark.parametrize(
    ("name", "files", "said"),
    [
        ("md0", {"md__level": "raid1"}, "md0 (RAID)"),
        ("dm-0", {"dm__name": "vg0-data", "dm__uuid": "LVM-8uQkXDBZ"}, "dm-0 (vg0-data, LVM)"),
        ("dm-1", {"dm__name": "mpatha", "dm__uuid": "mpath-3600508b4"}, "dm-1 (mpatha, multipath)"),
        ("dm-2", {"dm__name": "luks-1", "dm__uuid": "CRYPT-LUKS2-8a1f"}, "dm-2 (luks-1, encryption)"),
        ("dm-3", {"dm__name": "own"}, "dm-3 (own)"),
        ("bcache0", {}, "bcache0"),
    ],
)
def test_what_stands_on_it_is_named(host: Host, name: str, files: dict[str, str], said: str) -> None:
    upper = host.device(name, (253, 0), **files)
    host.stands_on(upper, host.sysfs / "devices" / "sda" / "sda2")
    assert host.uses((8, 2)) == (f"{said} stands on it",)
    assert host.uses((8, 0)) == (f"{said} stands on sda2",)
    assert host.uses((253, 0)) == (), "the one on top is free"


def test_paths_to_one_unit_are_one_device(host: Host) -> None:
    """Without a multipath device over them: what is mounted by one path would be written to by the other."""
    wwid = "naa.624a9370753d69fe46db318900011015"
    for letter, minor in (("c", 32), ("d", 48)):
        host.device(f"sd{letter}", (8, minor), device__wwid=wwid)
        host.device(f"sd{letter}/sd{letter}1", (8, minor + 1))
    host.device("sde", (8, 64), device__wwid="naa.624a9370753d69fe46db318900011016")
    assert host.relatives((8, 32)).paths == ("sdd",)
    assert host.relatives((8, 33)).paths == ("sdd",)
    assert host.relatives((8, 64)).paths == ()
    host.mountinfo("36 1 8:49 / /u01 rw - xfs /dev/sdd1 rw\n")
    assert host.uses((8, 32)) == ("sdd1 is mounted on /u01",)
    assert host.uses((8, 64)) == ()


def test_loop_devices_on_one_file_are_one_device(host: Host) -> None:
    for minor, behind in ((0, "/srv/a.img"), (1, "/srv/a.img"), (2, "/srv/b.img"), (3, "/srv/c (deleted)")):
        host.device(f"loop{minor}", (7, minor), loop__backing_file=behind)
    host.device("loop4", (7, 4), loop__backing_file="/srv/c (deleted)")
    assert host.relatives((7, 0)).paths == ("loop1",)
    assert host.relatives((7, 2)).paths == ()
    assert host.relatives((7, 3)).paths == (), "two removed files of one name are not one file"


def test_a_loop_device_on_a_device_is_another_way_to_it(host: Host, monkeypatch: pytest.MonkeyPatch) -> None:
    """The kernel does not count it among the holders."""
    numbers = {"/dev/sda2": os.makedev(8, 2)}
    monkeypatch.setattr(files, "device_number", lambda path: numbers.get(str(path)))
    host.device("loop0", (7, 0), loop__backing_file="/dev/sda2")
    host.device("loop1", (7, 1), loop__backing_file="/srv/a.img")
    host.mountinfo("36 1 7:0 / /u01 rw - xfs /dev/loop0 rw\n37 1 7:1 / /u02 rw - xfs /dev/loop1 rw\n")
    assert host.uses((8, 2)) == ("loop0 is mounted on /u01",)
    assert host.uses((8, 0)) == ("loop0 is mounted on /u01",)
    host.mountinfo("36 1 8:2 / /u03 rw - xfs /dev/sda2 rw\n")
    assert host.uses((7, 0)) == ("sda2 is mounted on /u03",)
    assert host.uses((7, 1)) == ()


def test_programs_that_have_it_open_are_named(host: Host) -> None:
    node = next((path for path in Path("/dev").iterdir() if path.is_block_device()), None)
    if node is None:
        pytest.skip("no block device here")
    for pid, program in ((4711, "ora_dbw0_ORCL"), (os.getpid(), "pytest")):
        folder = host.proc / str(pid)
        (folder / "fd").mkdir(parents=True)
        (folder / "comm").write_text(f"{program}\n")
        (folder / "fd" / "3").symlink_to(node)
        (folder / "fd" / "4").symlink_to("socket:[4711]")
        (folder / "fd" / "5").symlink_to("/gone")
    (host.proc / "4712").mkdir()
    number = node.stat().st_rdev
    assert uses(number, host.sysfs, host.proc) == ("process 4711 (ora_dbw0_ORCL) has it open",)
    assert host.uses((8, 0)) == ()


@pytest.mark.parametrize(("kind", "looks"), [("nfs4", 0), ("xfs", 1)])
def test_files_of_other_hosts_are_not_looked_at(
    host: Host, monkeypatch: pytest.MonkeyPatch, kind: str, looks: int
) -> None:
    """To ask for their kind would wait for a server that does not answer."""
    (host.proc / "4711" / "fd").mkdir(parents=True)
    (host.proc / "4711" / "fd" / "3").symlink_to("/net/data/file")
    host.mountinfo(f"36 1 0:42 / /net/data rw - {kind} server:/data rw\n")
    looked_at = []
    before = Path.stat
    monkeypatch.setattr(Path, "stat", lambda path, **how: looked_at.append(path) or before(path, **how))
    assert host.uses((8, 0)) == ()
    assert len([path for path in looked_at if path.name == "3"]) == looks


def test_without_sysfs_mounts_are_seen_all_the_same(host: Host) -> None:
    host.mountinfo("36 1 9:9 / /u01 rw - xfs /dev/none rw\n")
    assert host.uses((9, 9)) == ("it is mounted on /u01",)


def test_remote_mounts_are_told_from_local_ones() -> None:
    table = (
        "36 1 8:1 / / rw - xfs /dev/sda1 rw\n"
        "37 36 0:50 / /mnt/nfs rw - nfs server:/x rw\n"
        "38 36 0:51 / /mnt/gluster rw - fuse.glusterfs gv0 rw\n"
        "odd line\n"
    )
    assert filesystems.remote_points(table) == ("/mnt/nfs/", "/mnt/gluster/")
    assert next(filesystems.mounted_devices(table)) == (os.makedev(8, 1), "/")


def test_a_read_only_device_is_known(host: Host) -> None:
    host.device("sdf", (8, 80), ro="1")
    host.device("sdg", (8, 96), ro="0")
    told = [devices.is_read_only(os.makedev(8, minor), host.sysfs) for minor in (80, 96, 0)]
    assert told == [True, False, False]


def test_this_hosts_own_root_is_in_use() -> None:
    number = os.stat("/").st_dev
    if os.major(number) == 0:
        pytest.skip("the root file system stands on no device")
    assert any("is mounted on" in words for words in uses(number))


def test_a_program_of_this_host_is_seen(tmp_path: Path) -> None:
    nodes = [path for path in Path("/dev").iterdir() if path.is_block_device() and os.access(path, os.R_OK)]
    if not nodes:
        pytest.skip("no block device that may be opened here")
    script = "import sys; held = open(sys.argv[1], 'rb'); print('ready', flush=True); sys.stdin.read()"
    program = subprocess.Popen(
        [sys.executable, "-c", script, nodes[0]], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    try:
        assert program.stdout is not None
        assert program.stdout.readline() == "ready\n"
        said = uses(nodes[0].stat().st_rdev)
        assert any(words.startswith(f"process {program.pid} (") for words in said)
    finally:
        program.communicate()


@pytest.mark.parametrize(
    ("holds", "how"),
    [
        ("open(sys.argv[1], 'rb')", "open"),
        (
            "mmap.mmap(os.open(sys.argv[1], os.O_RDONLY), 4096, prot=mmap.PROT_READ); os.closerange(3, 64)",
            "mapped",
        ),
    ],
)
@pytest.mark.parametrize("removed", [False, True], ids=["there", "removed"])
@pytest.mark.skipif(os.geteuid() != 0, reason="only root can make a loop device")
def test_a_program_that_has_the_file_behind_a_loop_device(
    tmp_path: Path, holds: str, how: str, removed: bool
) -> None:
    """It may be a virtual machine on its image: what is written to the device is written under its feet."""
    image = tmp_path / "image"
    image.write_bytes(bytes(1 << 20))
    loop = Loop(image)
    script = f"import mmap, os, sys; held = {holds}; print('ready', flush=True); sys.stdin.read()"
    try:
        assert not any("the file behind" in words for words in uses(loop.path.stat().st_rdev))
        program = subprocess.Popen(
            [sys.executable, "-c", script, image], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        assert program.stdout is not None
        assert program.stdout.readline() == "ready\n"
        if removed:
            image.unlink()
        (said,) = [words for words in uses(loop.path.stat().st_rdev) if "the file behind" in words]
        shown = f"{image} (deleted)" if removed else str(image)
        name = Path(f"/proc/{program.pid}/comm").read_text().strip()
        assert said == f"process {program.pid} ({name}) has the file behind it, {shown}, {how}"
        program.communicate()
    finally:
        loop.detach()
