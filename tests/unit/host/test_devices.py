"""Block devices: trees of sysfs as real hosts have them, and the devices of this machine."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from plimsoll.facts import BlockDevice
from plimsoll.host import devices
from without_root import without_roots_rights


class Sysfs:
    """A sysfs in a folder, with the links that the kernel makes."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        (folder / "dev" / "block").mkdir(parents=True)

    def add(
        self, name: str, number: tuple[int, int], files: dict[str, str | bytes], slaves: tuple[str, ...] = ()
    ) -> Path:
        """A device; `name` sda/sda1 is a partition."""
        folder = self.folder / "devices" / name
        for path, content in files.items():
            target = folder / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(content if isinstance(content, bytes) else f"{content}\n".encode())
        (folder / "slaves").mkdir(parents=True, exist_ok=True)
        for slave in slaves:
            (folder / "slaves" / slave.rpartition("/")[2]).symlink_to(self.folder / "devices" / slave)
        (self.folder / "dev" / "block" / f"{number[0]}:{number[1]}").symlink_to(folder)
        return folder

    def describe(self, number: tuple[int, int], monkeypatch: pytest.MonkeyPatch) -> BlockDevice | None:
        """As if a path were that device."""
        monkeypatch.setattr(devices, "_device_number", lambda _: os.makedev(*number))
        return devices.block_device(Path("/any"), self.folder)


@pytest.fixture
def sysfs(tmp_path: Path) -> Sysfs:
    return Sysfs(tmp_path / "sys")


NVME: dict[str, str | bytes] = {
    "size": "7501476528",
    "wwid": "eui.0025384b21400f3c",
    "device/model": "SAMSUNG MZQL23T8HCLS-00A07              ",
    "device/serial": "S64HNE0T401234      ",
    "queue/rotational": "0",
    "queue/scheduler": "[none] mq-deadline kyber bfq",
    "queue/nr_requests": "1023",
    "queue/logical_block_size": "512",
    "queue/physical_block_size": "4096",
    "queue/write_cache": "write through",
    "queue/fua": "1",
}
SCSI: dict[str, str | bytes] = {
    "size": "1953525168",
    "device/vendor": "PURE    ",
    "device/model": "FlashArray      ",
    "device/wwid": "naa.624a9370753d69fe46db318900011015",
    "device/vpd_pg80": b"\x00\x80\x00\x18753D69FE46DB318900011015\x00",
    "queue/rotational": "0",
    "queue/scheduler": "none [mq-deadline]",
}


def test_a_partition_is_described_by_its_disk(sysfs: Sysfs, monkeypatch: pytest.MonkeyPatch) -> None:
    sysfs.add("nvme0n1", (259, 0), NVME)
    sysfs.add("nvme0n1/nvme0n1p2", (259, 2), {"partition": "2", "size": "1000"})
    assert sysfs.describe((259, 2), monkeypatch) == BlockDevice(
        name="nvme0n1",
        model="SAMSUNG MZQL23T8HCLS-00A07",
        serial="S64HNE0T401234",
        wwn="eui.0025384b21400f3c",
        size_bytes=3_840_755_982_336,
        rotational=False,
        scheduler="none",
        queue_depth_max=1023,
        logical_block_bytes=512,
        physical_block_bytes=4096,
        write_cache="write through",
        fua=True,
    )


def test_what_the_kernel_does_not_tell_is_unknown(sysfs: Sysfs, monkeypatch: pytest.MonkeyPatch) -> None:
    sysfs.add("vda", (254, 0), {"size": "unreadable", "device/vendor": "0x1af4", "queue/rotational": ""})
    assert sysfs.describe((254, 0), monkeypatch) == BlockDevice(name="vda")


def test_scsi_gives_vendor_identity_and_serial(sysfs: Sysfs, monkeypatch: pytest.MonkeyPatch) -> None:
    sysfs.add("sdb", (8, 16), SCSI)
    found = sysfs.describe((8, 16), monkeypatch)
    assert found is not None
    assert found.model == "PURE FlashArray"
    assert found.serial == "753D69FE46DB318900011015"
    assert found.wwn == "naa.624a9370753d69fe46db318900011015"
    assert found.scheduler == "mq-deadline"


def test_ata_is_nobodys_name(sysfs: Sysfs, monkeypatch: pytest.MonkeyPatch) -> None:
    sysfs.add("sda", (8, 0), {**SCSI, "device/vendor": "ATA", "device/model": "INTEL SSDSC2KB96"})
    found = sysfs.describe((8, 0), monkeypatch)
    assert found is not None
    assert found.model == "INTEL SSDSC2KB96"


def test_a_mapped_device_names_all_that_it_is_built_of(sysfs: Sysfs, monkeypatch: pytest.MonkeyPatch) -> None:
    """A logical volume on a RAID of two disks' partitions."""
    for letter, minor in (("a", 0), ("b", 16)):
        sysfs.add(f"sd{letter}", (8, minor), SCSI)
        sysfs.add(f"sd{letter}/sd{letter}1", (8, minor + 1), {"partition": "1"})
    sysfs.add("md0", (9, 0), {"md/level": "raid1", "md/uuid": "4b1fd1a2"}, ("sda/sda1", "sdb/sdb1"))
    uuid = "LVM-8uQkXDBZmT0qdKqHZ0"
    sysfs.add("dm-3", (253, 3), {"dm/name": "vg0-data", "dm/uuid": uuid, "queue/scheduler": "none"}, ("md0",))
    found = sysfs.describe((253, 3), monkeypatch)
    assert found is not None
    assert (found.name, found.model, found.wwn) == ("dm-3", "vg0-data", f"dm-uuid-{uuid}")
    assert found.parents == ("md0", "sda1", "sda", "sdb1", "sdb")
    array = sysfs.describe((9, 0), monkeypatch)
    assert array is not None
    assert array.wwn == "md-uuid-4b1fd1a2"


def test_devices_that_stand_on_themselves_come_to_an_end(
    sysfs: Sysfs, monkeypatch: pytest.MonkeyPatch
) -> None:
    sysfs.add("dm-0", (253, 0), {}, ("dm-0",))
    found = sysfs.describe((253, 0), monkeypatch)
    assert found is not None
    assert found.parents == ("dm-0",)


def test_no_device_lies_under_memory_or_nothing(sysfs: Sysfs, monkeypatch: pytest.MonkeyPatch) -> None:
    assert sysfs.describe((0, 42), monkeypatch) is None
    monkeypatch.undo()
    assert devices.block_device(Path("/proc/self/status")) is None
    assert devices.block_device(Path("/no/such/path")) is None


def test_a_closed_folder_of_sysfs_knows_no_device(sysfs: Sysfs) -> None:
    sysfs.add("vda", (254, 0), {"size": "8"})
    assert devices.everything_beneath(os.makedev(254, 0), sysfs.folder)
    (sysfs.folder / "dev" / "block").chmod(0)
    with without_roots_rights():
        assert devices.everything_beneath(os.makedev(254, 0), sysfs.folder) == frozenset()
        assert devices.nodes(sysfs.folder) == []


def test_the_disk_of_this_machine_agrees_with_lsblk(tmp_path: Path) -> None:
    found = devices.block_device(tmp_path)
    if found is None:
        pytest.skip("the folder of the tests lies on no block device")
    columns = [
        "lsblk",
        "--nodeps",
        "--noheadings",
        "--bytes",
        "--output",
        "SIZE,LOG-SEC,PHY-SEC,ROTA,SCHED",
        f"/dev/{found.name}",
    ]
    listed = subprocess.run(columns, capture_output=True, text=True, check=False)
    if listed.returncode != 0:
        pytest.skip(f"lsblk does not describe {found.name} here")
    size, logical, physical, rotational, *scheduler = listed.stdout.split()
    assert found.size_bytes == int(size)
    assert (found.logical_block_bytes, found.physical_block_bytes) == (int(logical), int(physical))
    assert found.rotational is (rotational == "1")
    assert [found.scheduler] == (scheduler or [None])


@pytest.fixture
def loop_device(tmp_path: Path) -> Iterator[tuple[Path, Path]]:
    """A loop device and the file behind it."""
    backing = tmp_path / "disk image"
    backing.touch()
    os.truncate(backing, 8 << 20)
    made = subprocess.run(
        ["losetup", "--find", "--show", str(backing)], capture_output=True, text=True, check=False
    )
    if made.returncode != 0:
        pytest.skip(f"no loop device to be had: {made.stderr.strip()}")
    device = Path(made.stdout.strip())
    try:
        yield device, backing
    finally:
        subprocess.run(["losetup", "--detach", str(device)], check=True)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may set up a loop device")
def test_a_loop_device_stands_on_its_file_and_that_files_disk(loop_device: tuple[Path, Path]) -> None:
    device, backing = loop_device
    found = devices.block_device(device)
    assert found is not None
    assert found.name == device.name
    assert found.size_bytes == 8 << 20
    below = devices.block_device(backing)
    assert found.parents[0] == str(backing)
    assert below is None or below.name in found.parents


def test_the_disk_beneath_has_the_name_of_its_counters(sysfs: Sysfs, monkeypatch: pytest.MonkeyPatch) -> None:
    sysfs.add("cciss!c0d0", (104, 0), {"size": "1000"})
    sysfs.add("cciss!c0d0/cciss!c0d0p1", (104, 1), {"size": "900", "partition": "1"})
    monkeypatch.setattr(devices, "_device_number", lambda _: os.makedev(104, 1))
    assert devices.device_beneath(Path("/any"), sysfs.folder) == "cciss/c0d0"
    monkeypatch.setattr(devices, "_device_number", lambda _: None)
    assert devices.device_beneath(Path("/any"), sysfs.folder) is None


@pytest.mark.parametrize(
    ("files", "buffered"), [({"loop/dio": "0"}, True), ({"loop/dio": "1"}, False), ({"size": "8"}, None)]
)
def test_whether_a_loop_device_works_through_the_page_cache(
    sysfs: Sysfs, monkeypatch: pytest.MonkeyPatch, files: dict[str, str | bytes], buffered: bool | None
) -> None:
    sysfs.add("loop0", (7, 0), files)
    found = sysfs.describe((7, 0), monkeypatch)
    assert found is not None
    assert found.buffered is buffered


def test_the_largest_piece_of_an_io_is_the_kernels(tmp_path: Path) -> None:
    queue = tmp_path / "block" / "cciss!c0d0" / "queue"
    queue.mkdir(parents=True)
    (queue / "max_sectors_kb").write_text("512\n")
    assert devices.io_bytes_max("cciss/c0d0", tmp_path) == 512 << 10
    assert devices.io_bytes_max("sda", tmp_path) is None
