"""Which disks lie on which, in made trees of sysfs."""

from __future__ import annotations

from pathlib import Path

import pytest

from plimsoll.host.layers import Layers, kernel_name
from sysfs_trees import Sysfs


@pytest.fixture
def sysfs(tmp_path: Path) -> Sysfs:
    made = Sysfs(tmp_path / "sys")
    (made.root / "block").mkdir(parents=True)
    (made.root / "dev" / "block").mkdir(parents=True)
    return made


def disk(sysfs: Sysfs, name: str, *beneath: Path, makes_requests: bool = True) -> Path:
    """A disk with its links; without `makes_requests` its driver takes I/O as it comes."""
    folder = sysfs.built(name, list(beneath))
    if makes_requests:
        (folder / "mq").mkdir()
    (sysfs.root / "block" / name).symlink_to(folder)
    return folder


def partition(sysfs: Sysfs, of: Path, number: int, numbers: str) -> Path:
    folder = sysfs.write(of / f"{of.name}{number}", partition=number)
    sysfs.classed("block", folder)
    (sysfs.root / "dev" / "block" / numbers).symlink_to(folder)
    return folder


def loop(sysfs: Sysfs, name: str, file: str) -> Path:
    folder = disk(sysfs, name)
    return sysfs.write(folder / "loop", backing_file=file)


def layers(sysfs: Sysfs, *mounts: str) -> Layers:
    return Layers(sysfs.root / "block", lambda: "\n".join(mounts))


def test_a_logical_volume_on_a_multipath_disk_is_seen_at_that_first_and_at_its_ways_again(
    sysfs: Sysfs,
) -> None:
    ways = [disk(sysfs, name) for name in ("sda", "sdb")]
    mapped = disk(sysfs, "dm-0", *ways)
    volume = disk(sysfs, "dm-1", mapped, makes_requests=False)
    disk(sysfs, "dm-2", volume, makes_requests=False)
    known = layers(sysfs)
    assert [known.makes_requests(name) for name in ("sda", "dm-0", "dm-1")] == [True, True, False]
    assert [known.first_seen(name) for name in ("sda", "dm-0", "dm-2")] == [("sda",), ("dm-0",), ("dm-0",)]
    assert [known.seen_beneath(name) for name in ("sda", "dm-0", "dm-2")] == [
        (),
        ("sda", "sdb"),
        ("dm-0", "sda", "sdb"),
    ]


def test_a_disk_on_a_partition_lies_on_the_partitions_disk(sysfs: Sysfs) -> None:
    lower = disk(sysfs, "sda")
    disk(sysfs, "md0", partition(sysfs, lower, 3, "8:3"), makes_requests=False)
    assert layers(sysfs).first_seen("md0") == ("sda",)


@pytest.mark.parametrize(
    ("mounts", "beneath"),
    [
        (["20 1 8:3 / / rw - ext4 /dev/sda3 rw"], ("sda",)),
        (["20 1 8:3 / / rw - ext4 /dev/sda3 rw", "21 20 0:40 / /srv rw - tmpfs tmpfs rw"], ()),
        (["21 20 0:41 / /srv rw - nfs4 server:/srv rw"], ()),
        (["21 20 0:42 / /srv rw - btrfs /dev/sda3 rw,subvol=/srv"], ("sda",)),
        (
            [
                "20 1 8:3 / /var rw - ext4 /dev/sda3 rw",
                "21 20 0:43 / / rw - overlay overlay rw,lowerdir=/a,upperdir=/var/up",
            ],
            ("sda",),
        ),
        ([], ()),
    ],
)
def test_a_loop_device_lies_on_the_disk_that_holds_its_file(
    sysfs: Sysfs, mounts: list[str], beneath: tuple[str, ...]
) -> None:
    partition(sysfs, disk(sysfs, "sda"), 3, "8:3")
    loop(sysfs, "loop0", "/srv/image (deleted)")
    assert layers(sysfs, *mounts).seen_beneath("loop0") == beneath


def test_a_loop_device_on_a_disk_lies_on_that(sysfs: Sysfs) -> None:
    partition(sysfs, disk(sysfs, "sda"), 3, "8:3")
    loop(sysfs, "loop0", "/dev/sda3")
    loop(sysfs, "loop1", "/dev/shm/sda3")
    known = layers(
        sysfs, "20 1 0:5 / /dev rw - devtmpfs devtmpfs rw", "21 20 0:6 / /dev/shm rw - tmpfs tmpfs rw"
    )
    assert [known.beneath(name) for name in ("loop0", "loop1")] == [("sda",), ()]


def test_a_disk_of_nvme_with_several_ways_is_seen_at_each_of_them(sysfs: Sysfs) -> None:
    for name in ("nvme0c0n1", "nvme0c1n1", "nvme0c0n11", "nvme1n1"):
        disk(sysfs, name)
    disk(sysfs, "nvme0n1", makes_requests=False)
    known = layers(sysfs)
    assert known.first_seen("nvme0n1") == ("nvme0c0n1", "nvme0c1n1")
    assert known.seen_beneath("nvme1n1") == ()


def test_a_disk_without_requests_and_with_nothing_beneath_is_seen_nowhere(sysfs: Sysfs) -> None:
    disk(sysfs, "zram0", makes_requests=False)
    assert layers(sysfs).first_seen("zram0") == ()


def test_a_disk_is_known_by_the_name_that_people_gave_it(tmp_path: Path) -> None:
    for folder, name, target in (
        ("mapper", "vg-data", "dm-0"),
        ("md", "fast", "md127"),
        ("vg", "data", "dm-0"),
    ):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / name).symlink_to(tmp_path / target)
    known = {"dm-0", "md127", "sda", "cciss/c0d0"}
    named = {
        "/dev/sda": "sda",
        "vg-data": "dm-0",
        "mapper/vg-data": "dm-0",
        "vg/data": "dm-0",
        "fast": "md127",
    }
    for name, kernels in {**named, "cciss/c0d0": "cciss/c0d0", "nothing": "nothing"}.items():
        assert kernel_name(name, known, tmp_path) == kernels
