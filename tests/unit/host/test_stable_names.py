"""Names of disks that a boot leaves alone."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from plimsoll.host.identities import Identity
from plimsoll.host.stable_names import kernel_name, stable_name
from plimsoll.ports import files

NUMBERS = {"nvme0n1": 10, "sda": 20}


@pytest.fixture
def dev(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A `/dev` whose files count as disks of these numbers."""
    for name in NUMBERS:
        (tmp_path / name).touch()
    links = {
        "by-id": {"wwn-0x5000": "sda", "scsi-fast_S2": "sda", "nvme-eui.00": "nvme0n1", "other": "null"},
        "by-path": {"pci-0000:01:00.0-nvme-1": "nvme0n1", "pci-0000:00:17.0-ata-1": "sda"},
    }
    for folder, names in links.items():
        (tmp_path / "disk" / folder).mkdir(parents=True)
        for link, name in names.items():
            (tmp_path / "disk" / folder / link).symlink_to(f"../../{name}")
    monkeypatch.setattr(
        files, "device_number", lambda path: NUMBERS.get(os.path.basename(os.path.realpath(path)))
    )
    return tmp_path


def test_a_name_that_the_kernel_takes_for_none_is_of_no_disk() -> None:
    assert files.device_number("/dev/a\0b") is None


def test_a_name_that_tells_the_model_comes_first(dev: Path) -> None:
    assert stable_name("sda", dev) == str(dev / "disk/by-id/scsi-fast_S2")
    assert stable_name("nvme0n1", dev) == str(dev / "disk/by-id/nvme-eui.00")


def test_the_place_that_it_is_plugged_in_comes_last(dev: Path) -> None:
    (dev / "disk/by-id/nvme-eui.00").unlink()
    assert stable_name("nvme0n1", dev) == str(dev / "disk/by-path/pci-0000:01:00.0-nvme-1")


def test_what_nobody_named_has_none(dev: Path) -> None:
    for link in (dev / "disk").rglob("*nvme*"):
        link.unlink()
    assert stable_name("nvme0n1", dev) is None
    assert stable_name("eth0", dev) is None


def test_a_path_and_a_serial_number_are_the_disk_that_they_name(
    dev: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from plimsoll.host import devices, stable_names

    def beneath(path: Path, sysfs: Path) -> str:
        return os.path.basename(os.path.realpath(path))

    nodes = [devices.Node(name, number, dev, None) for name, number in NUMBERS.items()]
    monkeypatch.setattr(devices, "device_beneath", beneath)
    monkeypatch.setattr(devices, "nodes", lambda sysfs: nodes)
    monkeypatch.setattr(
        stable_names, "identities", lambda path, sysfs: (Identity("serial", f"no-{path.name}"),)
    )
    assert kernel_name(str(dev / "disk/by-id/wwn-0x5000"), dev) == "sda"
    assert kernel_name("nvme0n1", dev) == "nvme0n1"
    assert kernel_name("no-nvme0n1", dev) == "nvme0n1"
    assert kernel_name("eth0", dev) == "eth0"
    assert kernel_name("/dev/disk/by-id/gone", dev) == "/dev/disk/by-id/gone"


def test_this_host_calls_its_disks_by_their_names() -> None:
    disks = [name for name in os.listdir("/sys/block") if os.path.exists(f"/dev/{name}")]
    if not disks:
        pytest.skip("this machine shows no disks")
    assert [kernel_name(f"/dev/{name}") for name in disks] == disks
