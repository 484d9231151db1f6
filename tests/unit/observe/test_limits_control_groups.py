"""Caps of control groups that hold I/O back, in made trees of both versions."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from facts_watch import row
from plimsoll.facts import BindingLimit
from plimsoll.observe.limits import LimitWatch, control_groups


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A host with a disk, and a group of each version."""
    disk = tmp_path / "sys/devices/sda"
    (tmp_path / "sys/dev/block").mkdir(parents=True)
    (tmp_path / "sys/dev/block/8:0").symlink_to(disk)
    disk.mkdir(parents=True)
    for mount in ("unified", "blkio"):
        (tmp_path / "sys/fs/cgroup" / mount / "shop.slice/db.service").mkdir(parents=True)
        (tmp_path / "sys/fs/cgroup" / mount / "cgroup.procs").write_text("")
    (tmp_path / "proc").mkdir()
    return tmp_path


def two(root: Path, ios: int = 0, moved: int = 0) -> None:
    """What a group of version 2 wrote."""
    told = f"8:16 rbytes=9 wbytes=9 rios=9 wios=9\n8:0 rbytes=1 wbytes={moved} rios=1 wios={ios}\n"
    (root / "sys/fs/cgroup/unified/shop.slice/io.stat").write_text(told)


def one(root: Path, ios: int = 0, moved: int = 0) -> None:
    """What a group of version 1 read."""
    group = root / "sys/fs/cgroup/blkio/shop.slice/db.service"
    for name, number in (("io_serviced", ios), ("io_service_bytes", moved)):
        (group / f"blkio.throttle.{name}").write_text(f"8:0 Read {number}\n8:0 Write 7\nTotal {number + 7}\n")


def capped_two(root: Path, words: str) -> None:
    (root / "sys/fs/cgroup/unified/shop.slice/io.max").write_text(
        f"8:0 rbps=max wbps=max riops=max {words}\n"
    )


def capped_one(root: Path, name: str, value: int) -> None:
    group = root / "sys/fs/cgroup/blkio/shop.slice/db.service"
    (group / f"blkio.throttle.{name}").write_text(f"8:0 {value}\n")


def looked(root: Path, limits: LimitWatch, at_s: float, has_rows: bool = True) -> tuple[BindingLimit, ...]:
    (root / "proc/uptime").write_text(f"{at_s:.2f} 9.00\n")
    limits.look([row()] if has_rows else [])
    return limits.binding()


def test_a_cap_of_version_2_binds_where_its_group_writes_as_often(root: Path) -> None:
    capped_two(root, "wiops=200")
    limits = LimitWatch(root)
    two(root, ios=5_000)
    assert looked(root, limits, 100.0, has_rows=False) == ()
    two(root, ios=5_199)
    (found,) = looked(root, limits, 101.0)
    assert (found.name, found.of) == ("io.max", "writes at sda by shop.slice")
    assert (found.unit, found.value, found.used_max, found.looks) == ("ios_per_s", 200, 199, 1)
    lifts = f'echo "8:0 wiops=max" > {root}/sys/fs/cgroup/unified/shop.slice/io.max'
    assert lifts in found.advice


def test_a_cap_of_version_1_binds_where_its_group_reads_as_much(root: Path) -> None:
    capped_one(root, "read_bps_device", 1 << 20)
    capped_one(root, "write_iops_device", 100)
    limits = LimitWatch(root)
    one(root)
    looked(root, limits, 100.0)
    one(root, moved=2 << 20)
    (found,) = looked(root, limits, 102.0)
    assert (found.name, found.of, found.unit) == (
        "blkio.throttle",
        "bytes of reads at sda by shop.slice/db.service",
        "bytes_per_s",
    )
    assert (found.value, found.used_max) == (1 << 20, 1 << 20)
    assert 'echo "8:0 0" >' in found.advice
    assert found.advice.endswith("counted when it is asked for, and may come to the disk later.")


def test_a_cap_that_is_not_reached_or_not_set_is_silent(root: Path) -> None:
    for words in ("wiops=200", "wiops=max"):
        capped_two(root, words)
        limits = LimitWatch(root)
        two(root)
        looked(root, limits, 100.0)
        two(root, ios=170)
        assert looked(root, limits, 101.0) == (), words


def test_of_a_moment_nothing_is_told_and_its_ios_are_not_lost(root: Path) -> None:
    capped_two(root, "wiops=200")
    limits = LimitWatch(root)
    two(root)
    looked(root, limits, 100.0)
    two(root, ios=100)
    assert looked(root, limits, 100.2) == (), "a burst of a slice is no rate"
    two(root, ios=200)
    (found,) = looked(root, limits, 101.0)
    assert found.used_max == 200


def test_a_cap_that_comes_later_and_a_group_that_goes_are_seen(root: Path) -> None:
    """However seldom rows are told: it is looked for between them, too."""
    limits = LimitWatch(root)
    two(root)
    looked(root, limits, 100.0)
    capped_two(root, "wiops=200")
    assert looked(root, limits, 101.9, has_rows=False) == ()
    assert looked(root, limits, 102.0, has_rows=False) == ()
    two(root, ios=1_600)
    (found,) = looked(root, limits, 110.0)
    assert (found.value, found.used_max, found.looks, found.looked) == (200, 200, 1, 2)
    (root / "sys/fs/cgroup/unified/shop.slice/io.stat").unlink()
    assert [one.looks for one in looked(root, limits, 120.0)] == [1]


def test_a_search_that_takes_long_is_made_seldom(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    searches: list[float] = []

    def searched(root: Path) -> Iterator[Path]:
        at_s = float((root / "proc/uptime").read_text().split()[0])
        searches.append(at_s)
        (root / "proc/uptime").write_text(f"{at_s + 0.29:.2f} 9.00\n")
        yield from ()

    monkeypatch.setattr(control_groups, "_groups", searched)
    limits = LimitWatch(root)
    for second in range(31):
        looked(root, limits, 100.0 + second)
    assert searches == [100.0, 106.0, 112.0, 118.0, 124.0, 130.0]


def test_a_cap_at_all_of_its_few_looks_comes_before_what_binds_now_and_then(root: Path) -> None:
    capped_two(root, "wiops=200")
    for name, text in (("aio-max-nr", "100"), ("aio-nr", "100")):
        (root / "proc/sys/fs").mkdir(parents=True, exist_ok=True)
        (root / "proc/sys/fs" / name).write_text(text)
    limits = LimitWatch(root)
    found: tuple[BindingLimit, ...] = ()
    for tenth in range(21):
        (root / "proc/sys/fs/aio-nr").write_text("100" if tenth % 2 else "1")
        two(root, ios=20 * tenth)
        found = looked(root, limits, 100.0 + tenth / 10, has_rows=tenth in (10, 20))
    assert [(one.name, one.looks, one.looked) for one in found] == [
        ("io.max", 2, 2),
        ("fs.aio-max-nr", 10, 21),
    ]


def test_caps_of_bytes_and_of_ios_and_groups_of_one_name_are_told_apart(root: Path) -> None:
    """The service of another slice has the same last name."""
    groups = [root / f"sys/fs/cgroup/unified/{name}.slice/db.service" for name in "ab"]
    for group in groups:
        group.mkdir(parents=True)
        (group / "io.max").write_text("8:0 rbps=max wbps=1000000 riops=max wiops=100\n")
    limits = LimitWatch(root)
    found: tuple[BindingLimit, ...] = ()
    for second in range(3):
        for number, group in enumerate(groups, 1):
            done = f"wbytes={1_000_000 * second * number} rios=0 wios={100 * second * number}"
            (group / "io.stat").write_text(f"8:0 rbytes=0 {done}\n")
        found = looked(root, limits, 100.0 + second)
    told = {one.of: (one.unit, one.value, one.used_max, one.looks) for one in found}
    assert told == {
        f"{what} at sda by {name}.slice/db.service": (unit, value, value * number, 2)
        for what, unit, value in (("writes", "ios_per_s", 100), ("bytes of writes", "bytes_per_s", 1_000_000))
        for number, name in enumerate("ab", 1)
    }


def test_what_lifts_a_cap_is_a_command_that_a_shell_takes(root: Path) -> None:
    """Systemd writes a minus within a name as a backslash and its number."""
    for mount, name in (("unified", "io.max"), ("blkio", "blkio.throttle.write_iops_device")):
        group = root / "sys/fs/cgroup" / mount / r"my\x2ddb.slice"
        group.mkdir()
        (group / name).write_text("8:0 wiops=100\n" if name == "io.max" else "8:0 100\n")
    limits = LimitWatch(root)
    found: tuple[BindingLimit, ...] = ()
    for second in range(2):
        for mount, name, text in (
            ("unified", "io.stat", f"8:0 wios={100 * second}"),
            ("blkio", "blkio.throttle.io_serviced", f"8:0 Write {100 * second}"),
        ):
            (root / "sys/fs/cgroup" / mount / r"my\x2ddb.slice" / name).write_text(f"{text}\n")
        found = looked(root, limits, 100.0 + second)
    assert len(found) == 2
    for one in found:
        subprocess.run(
            ["sh", "-c", one.advice[one.advice.index("echo") : one.advice.index(" lifts")]], check=True
        )
    lifted = [path.read_text() for path in sorted(root.glob(r"sys/fs/cgroup/*/my*/*[xe]"))]
    assert lifted == ["8:0 0\n", "8:0 wiops=max\n"]
