"""What confirms a device: every way of writing its identity, and nothing else."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from plimsoll.base.errors import UsageError
from plimsoll.host import devices, identities
from plimsoll.host.identities import Confirmation, Identity, parse_confirmation
from plimsoll.ports import files

NAMES = st.text(st.characters(codec="utf-8", exclude_characters="="), min_size=1)


@given(name=NAMES, identity=st.text(min_size=1))
def test_a_confirmation_is_read_as_it_was_written(name: str, identity: str) -> None:
    """By-id names and paths may hold an equals sign; names of devices do not."""
    assert parse_confirmation(f"{name}={identity}") == Confirmation(name, identity)


@pytest.mark.parametrize("text", ["", "/dev/sdb", "/dev/sdb=", "=0815", "="])
def test_half_a_confirmation_is_none(text: str) -> None:
    with pytest.raises(UsageError, match="does not name a device and its identity") as odd:
        parse_confirmation(text)
    assert odd.value.id == "destroy-unreadable"


@pytest.mark.parametrize(
    ("identity", "text"),
    [
        (Identity("serial", "S64HNE0T401234"), "S64HNE0T401234"),
        (Identity("WWN", "naa.624A9370753d69fe"), "naa.624a9370753d69fe"),
        (Identity("WWN", "naa.624a9370753d69fe"), "0x624a9370753d69fe"),
        (Identity("WWN", "naa.624a9370753d69fe"), "624a9370753d69fe"),
        (Identity("WWN", "naa.624a9370753d69fe"), "wwn-0x624a9370753d69fe"),
        (Identity("WWN", "eui.0025384b21400f3c"), "0025384B21400F3C"),
        (Identity("dm-uuid", "mpath-3600508b4"), "mpath-3600508b4"),
        (Identity("dm-uuid", "mpath-3600508b4"), "dm-uuid-mpath-3600508b4"),
        (Identity("md-uuid", "4b1fd1a2"), "md-uuid-4b1fd1a2"),
        (Identity("by-id", "nvme-SAMSUNG_1"), "nvme-SAMSUNG_1"),
        (Identity("by-id", "nvme-SAMSUNG_1"), "/dev/disk/by-id/nvme-SAMSUNG_1"),
        (Identity("file", "/srv/a.img"), "/srv/a.img"),
        (Identity("file", "/srv/a.img"), "/srv/../srv/a.img"),
    ],
)
def test_what_means_a_device(identity: Identity, text: str) -> None:
    assert identity.is_meant_by(text)


@pytest.mark.parametrize(
    ("identity", "text"),
    [
        (Identity("serial", "S64HNE0T401234"), "s64hne0t401234"),
        (Identity("serial", "S64HNE0T401234"), "S64HNE0T40123"),
        (Identity("serial", "S64HNE0T401234"), " S64HNE0T401234"),
        (Identity("WWN", "naa.624a9370753d69fe"), "624a9370753d69ff"),
        (Identity("WWN", "naa.624a9370753d69fe"), "624a9370"),
        (Identity("WWN", "naa.624a9370753d69fe"), ""),
        (Identity("dm-uuid", "LVM-1"), "dm-uuid-mpath-1"),
        (Identity("by-id", "nvme-SAMSUNG_1"), "nvme-SAMSUNG_1-part1"),
        (Identity("file", "/srv/a.img"), "a.img"),
        (Identity("file", "/srv/a.img"), "/srv/b.img"),
    ],
)
def test_what_does_not_mean_it(identity: Identity, text: str) -> None:
    assert not identity.is_meant_by(text)


@pytest.fixture
def sysfs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A sysfs with one disk, 8:16, under the name /dev/sdb."""
    folder = tmp_path / "sys"
    disk = folder / "devices" / "sdb"
    disk.mkdir(parents=True)
    (folder / "dev" / "block").mkdir(parents=True)
    (folder / "dev" / "block" / "8:16").symlink_to(disk)
    number = 8 << 8 | 16
    monkeypatch.setattr(devices, "_device_number", lambda path: number)
    monkeypatch.setattr(files, "device_number", lambda path: number if str(path) == "/dev/sdb" else None)
    return folder


def of_sdb(sysfs: Path) -> list[tuple[str, str]]:
    found = identities.identities(Path("/dev/sdb"), sysfs / "none", sysfs)
    return [(one.kind, one.value) for one in found]


def test_a_disk_without_any_identity_has_none(sysfs: Path) -> None:
    assert of_sdb(sysfs) == []


@pytest.mark.parametrize("serial", ["", "0000 0000", "-"])
def test_a_serial_number_that_tells_nothing_is_none(sysfs: Path, serial: str) -> None:
    (sysfs / "devices" / "sdb" / "serial").write_text(f"{serial}\n")
    assert of_sdb(sysfs) == []


def test_all_of_a_disks_identities_are_told(sysfs: Path) -> None:
    disk = sysfs / "devices" / "sdb"
    for path, text in {"serial": "0815", "wwid": "eui.01", "loop/backing_file": "/srv/a.img"}.items():
        (disk / path).parent.mkdir(exist_ok=True)
        (disk / path).write_text(f"{text}\n")
    assert of_sdb(sysfs) == [("serial", "0815"), ("WWN", "eui.01"), ("file", "/srv/a.img")]


def test_a_mapped_device_is_known_by_its_uuid(sysfs: Path) -> None:
    (sysfs / "devices" / "sdb" / "dm").mkdir()
    (sysfs / "devices" / "sdb" / "dm" / "uuid").write_text("LVM-8uQkXDBZ\n")
    assert of_sdb(sysfs) == [("dm-uuid", "LVM-8uQkXDBZ")]


def test_a_loop_device_whose_file_was_removed_has_no_identity(sysfs: Path) -> None:
    (sysfs / "devices" / "sdb" / "loop").mkdir()
    (sysfs / "devices" / "sdb" / "loop" / "backing_file").write_text("/srv/a.img (deleted)\n")
    assert of_sdb(sysfs) == []


def test_names_by_id_are_those_of_this_very_node(tmp_path: Path) -> None:
    nodes = sorted(path for path in Path("/dev").iterdir() if path.is_block_device())
    if len(nodes) < 2:
        pytest.skip("fewer than two block devices here")
    (tmp_path / "wwn-0x1").symlink_to(nodes[0])
    (tmp_path / "wwn-0x2").symlink_to(nodes[1])
    (tmp_path / "gone").symlink_to(tmp_path / "nothing")
    found = identities.identities(nodes[0], by_id=tmp_path)
    assert [one.value for one in found if one.kind == "by-id"] == ["wwn-0x1"]
