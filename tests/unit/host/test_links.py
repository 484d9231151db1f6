"""Wires as sysfs shows them: an NVMe drive behind its slot, a SATA disk, and devices of which nothing is known."""

from __future__ import annotations

from pathlib import Path

import pytest

from plimsoll.host.links import Link, link_to
from plimsoll.host.ways import ways_of_device


def narrowest_link(name: str, sysfs: Path) -> Link | None:
    """Of a device with one way."""
    return link_to(ways_of_device(name, sysfs), sysfs)


def device(sysfs: Path, name: str, path: str) -> Path:
    """A block device at the end of a path of devices."""
    folder = sysfs / "devices" / path / "block" / name
    folder.mkdir(parents=True)
    (sysfs / "class" / "block").mkdir(parents=True, exist_ok=True)
    (sysfs / "class" / "block" / name).symlink_to(folder)
    return sysfs / "devices"


def pcie(folder: Path, speed: str, lanes: str) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "max_link_speed").write_text(speed + "\n")
    (folder / "max_link_width").write_text(lanes + "\n")


@pytest.mark.parametrize(
    ("speed", "lanes", "mb_per_s"),
    [
        ("2.5 GT/s PCIe", "1", 250),
        ("5.0 GT/s PCIe", "4", 2000),
        ("8.0 GT/s PCIe", "4", 3938),
        ("16.0 GT/s PCIe", "4", 7877),
        ("32.0 GT/s PCIe", "4", 15754),
        ("64.0 GT/s PCIe", "2", 16000),
        ("8 GT/s", "4", 3938),
    ],
)
def test_pci_express_by_generation_and_lanes(tmp_path: Path, speed: str, lanes: str, mb_per_s: float) -> None:
    root = device(tmp_path, "nvme0n1", "pci0/drive/nvme/nvme0")
    pcie(root / "pci0" / "drive", speed, lanes)
    link = narrowest_link("nvme0n1", tmp_path)
    assert link is not None
    assert link.mb_per_s == pytest.approx(mb_per_s, rel=0.001)
    assert f"× {lanes}" in link.words


def test_the_narrowest_of_drive_and_slot_counts(tmp_path: Path) -> None:
    root = device(tmp_path, "nvme0n1", "slot/drive/nvme/nvme0")
    pcie(root / "slot" / "drive", "16.0 GT/s PCIe", "4")
    pcie(root / "slot", "8.0 GT/s PCIe", "1")
    link = narrowest_link("nvme0n1", tmp_path)
    assert link is not None
    assert link.words == "PCIe 8 GT/s × 1"


def test_a_sata_disk_behind_a_wide_controller(tmp_path: Path) -> None:
    root = device(tmp_path, "sda", "controller/ata3/host2/target2:0:0/2:0:0:0")
    pcie(root / "controller", "8.0 GT/s PCIe", "4")
    wire = root / "controller" / "ata3" / "link3" / "ata_link" / "link3"
    wire.mkdir(parents=True)
    (wire / "sata_spd").write_text("6.0 Gbps\n")
    link = narrowest_link("sda", tmp_path)
    assert link is not None
    assert (link.words, link.mb_per_s) == ("SATA 6.0 Gbit/s", 600)


@pytest.mark.parametrize(
    ("speed", "lanes"),
    [("Unknown", "4"), ("8.0 GT/s PCIe", "0"), ("8.0 GT/s PCIe", "255"), ("8.0 GT/s PCIe", "x")],
)
def test_what_the_kernel_does_not_know_is_no_wire(tmp_path: Path, speed: str, lanes: str) -> None:
    root = device(tmp_path, "vda", "virtio0")
    pcie(root / "virtio0", speed, lanes)
    assert narrowest_link("vda", tmp_path) is None


def test_a_device_that_is_not_there_has_no_wire(tmp_path: Path) -> None:
    assert narrowest_link("sdz", tmp_path) is None
