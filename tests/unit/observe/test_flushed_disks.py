"""What the disks beneath flushed files took, in made trees of /proc and sysfs."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from plimsoll.host.layers import Layers
from plimsoll.observe.device_check import Counters
from plimsoll.observe.flushed_disks import DiskTimes, FlushedDisks

ROOT, LOG = "8:1 / / rw - ext4 /dev/sda1 rw", "8:16 / /log rw - xfs /dev/sdb rw"
SHARE, MEMORY = "0:50 / /share rw - nfs4 server:/share rw", "0:51 / /run rw - tmpfs tmpfs rw"
SEGMENT = "/log/000000010000000000000018"
WRITES, READS, ADDS = "0100002", "0100000", "0102001"


class Host:
    """Two disks, and processes with files on them."""

    def __init__(self, root: Path) -> None:
        self.root = root
        for name, number in (("sda", "8:0"), ("sdb", "8:16"), ("loop0", "7:0")):
            folder = root / "sys/devices" / name
            (folder / "mq").mkdir(parents=True)
            (folder / "queue").mkdir()
            (folder / "queue/iostats").write_text("1\n")
            self.link(f"sys/block/{name}", folder)
            self.link(f"sys/dev/block/{number}", folder)
        part = root / "sys/devices/sda/sda1"
        part.mkdir()
        (part / "partition").write_text("1\n")
        self.link("sys/dev/block/8:1", part)
        self.table = "\n".join(
            f"{number} 1 {line}" for number, line in enumerate((ROOT, LOG, SHARE, MEMORY), 60)
        )
        self.process("self")
        self.disks = FlushedDisks(
            root / "proc",
            Counters(str(root / "diskstats"), root / "sys/block"),
            Layers(root / "sys/block", lambda: self.table),
        )

    def link(self, name: str, to: Path) -> None:
        (self.root / name).parent.mkdir(parents=True, exist_ok=True)
        (self.root / name).symlink_to(to)

    def process(self, pid: int | str, **opened: tuple[str, int, str]) -> None:
        """Path, mount and flags of each of its descriptors."""
        folder = self.root / "proc" / str(pid)
        for name in ("fd", "fdinfo"):
            (folder / name).mkdir(parents=True)
        (folder / "mountinfo").write_text(self.table)
        for number, (path, mount, flags) in enumerate(opened.values()):
            (folder / "fd" / str(number)).symlink_to(path)
            (folder / "fdinfo" / str(number)).write_text(f"pos:\t0\nflags:\t{flags}\nmnt_id:\t{mount}\n")

    def counts(self, **of_disks: tuple[int, int, int, int]) -> None:
        """Writes and flushes with their milliseconds."""
        lines = (
            f" 8 0 {name} 1 0 8 1 {writes} 0 8 {write_ms} 0 9 9 0 0 0 0 {flushes} {flush_ms}"
            for name, (writes, write_ms, flushes, flush_ms) in of_disks.items()
        )
        (self.root / "diskstats").write_text("\n".join(lines) + "\n")

    def times(self, *roles: str, flushed: dict[str, set[int]] | None = None) -> tuple[DiskTimes, ...]:
        """Of four seconds in which one of both writes and flushes 300 times, and the other 40."""
        self.counts(sda=(900, 90, 90, 9), sdb=(50, 70, 50, 30), loop0=(0, 0, 0, 0))
        self.disks.begin()
        self.disks.look(flushed or {"writer": {7}})
        self.counts(sda=(1_100, 92, 190, 11), sdb=(70, 170, 70, 130), loop0=(0, 0, 0, 0))
        self.disks.end()
        return self.disks.of_roles(4.0)(roles or ("writer",))


@pytest.fixture
def host(tmp_path: Path) -> Host:
    return Host(tmp_path)


def test_the_disk_is_that_of_files_which_are_open_to_be_written(host: Host) -> None:
    host.process(7, one=("/home/one", 60, WRITES), log=("/log/read", 61, READS))
    (found,) = host.times()
    assert (found.names, found.ios) == (("sda",), 300)
    assert found.us_mean_max == pytest.approx((4_000 + 2_000) / 300), "times are told in whole milliseconds"
    assert found.us_per_s_max == pytest.approx(6_000 / 4)
    assert found.flush_us_mean_min == pytest.approx((2_000 - 1_000) / 100), "at least"


def test_of_several_disks_the_slowest_counts_and_all_time(host: Host) -> None:
    host.process(7, one=("/home/one", 60, WRITES), two=("/log/two", 61, WRITES))
    (found,) = host.times()
    assert (found.names, found.ios) == (("sda", "sdb"), 340)
    assert found.us_mean_max == pytest.approx(202_000 / 40)
    assert found.flush_us_mean_min == pytest.approx(99_000 / 20)
    assert found.us_per_s_max == pytest.approx(208_000 / 4)


def test_who_has_the_log_open_flushes_that_unless_he_flushes_data(host: Host) -> None:
    opened = {"data": ("/srv/base/5/16384", 60, WRITES), "log": (SEGMENT, 61, WRITES)}
    host.process(7, **opened)
    host.process(8, **opened)
    flushed = {"client backend": {7}, "checkpointer": {8}}
    (log,) = host.times("client backend", flushed=flushed)
    (both,) = host.times("checkpointer", flushed=flushed)
    assert (log.names, both.names) == (("sdb",), ("sda", "sdb"))


@pytest.mark.parametrize(
    ("path", "mount"),
    [("/share/a", 62), ("/run/a", 63), ("socket:[7]", 99), ("/dev/null", 60)],
    ids=["a server's", "in memory", "no file", "no disk"],
)
def test_where_no_disk_is_known_nothing_is_told(host: Host, path: str, mount: int) -> None:
    host.process(7, one=(path, mount, WRITES))
    assert host.times() == ()
    assert host.times("nobody") == ()


def test_a_disk_that_does_not_count_or_got_nothing_tells_nothing(host: Host) -> None:
    host.process(7, one=("/home/one", 60, WRITES))
    (host.root / "sys/block/sda/queue/iostats").write_text("0\n")
    assert host.times() == ()
    (host.root / "sys/block/sda/queue/iostats").write_text("1\n")
    host.disks.begin()
    host.disks.end()
    assert host.disks.of_roles(4.0)(("writer",)) == ()


def test_a_file_on_a_disk_that_lies_on_another_is_held_against_both(host: Host) -> None:
    (host.root / "sys/devices/loop0/loop").mkdir()
    (host.root / "sys/devices/loop0/loop/backing_file").write_text("/log/image\n")
    host.table += "\n70 1 7:0 / /made rw - ext4 /dev/loop0 rw"
    host.process(7, one=("/made/one", 70, WRITES))
    host.counts(sdb=(0, 0, 0, 0), loop0=(0, 0, 0, 0))
    host.disks.begin()
    host.disks.look({"writer": {7}})
    host.counts(sdb=(10, 8, 10, 10), loop0=(10, 98, 10, 100))
    host.disks.end()
    found = host.disks.of_roles(1.0)(("writer",))
    assert [(one.names, one.us_mean_max) for one in found] == [(("loop0",), 10_000.0), (("sdb",), 1_000.0)]


def test_a_journal_on_another_disk_leaves_it_unknown(host: Host) -> None:
    host.table = host.table.replace("/dev/sda1 rw", "/dev/sda1 rw,logdev=/dev/sdb")
    (host.root / "proc/self/mountinfo").write_text(host.table)
    host.process(7, one=("/home/one", 60, WRITES))
    assert host.times() == ()


@pytest.mark.parametrize("path", ["/share/data", "/pool/data"], ids=["a server's", "of many disks"])
def test_a_file_without_a_known_disk_leaves_all_of_the_role_unknown(host: Host, path: str) -> None:
    """What the process says goes to a disk, and nobody flushes that."""
    host.table += "\n71 1 0:60 / /pool rw - zfs pool rw"
    mount = 62 if path.startswith("/share") else 71
    host.process(7, data=(path, mount, WRITES), one=("/home/one", 60, WRITES))
    host.process(8, one=("/home/one", 60, WRITES))
    assert host.times(flushed={"writer": {7, 8}}) == ()


def test_a_log_without_a_known_disk_leaves_sessions_unknown_and_data_does_not(host: Host) -> None:
    segment = SEGMENT.replace("/log", "/share")
    host.process(7, data=("/srv/base/5/16384", 60, WRITES), log=(segment, 62, WRITES))
    assert host.times("client backend", flushed={"client backend": {7}}) == ()
    host.process(8, data=("/share/base/5/16384", 62, WRITES), log=(SEGMENT, 61, WRITES))
    (found,) = host.times("walwriter", flushed={"walwriter": {8}})
    assert found.names == ("sdb",)


def test_a_session_that_has_no_log_open_tells_nothing_of_it(host: Host) -> None:
    host.process(7, data=("/srv/base/5/16384", 60, WRITES))
    assert host.times("client backend", flushed={"client backend": {7}}) == ()
    (data,) = host.times("checkpointer", flushed={"checkpointer": {7}})
    assert data.names == ("sda",)


def test_what_a_process_says_stands_for_it_only_where_it_writes_nothing_else(host: Host) -> None:
    said = ("/home/errors", 60, ADDS)
    host.process(7, none=("/dev/null", 60, READS), out=said, errors=said, data=("/log/data", 61, WRITES))
    host.process(8, none=("/dev/null", 60, READS), out=said, errors=said)
    assert [one.names for one in host.times("a", flushed={"a": {7}})] == [("sdb",)]
    assert [one.names for one in host.times("b", flushed={"b": {8}})] == [("sda",)]
    host.process(
        9,
        none=("/dev/null", 60, READS),
        out=said,
        any=("/home/any", 60, WRITES),
        data=("/log/data", 61, WRITES),
    )
    (both,) = host.times("c", flushed={"c": {9}})
    assert both.names == ("sda", "sdb"), "a daemon may have closed it and opened a file in its place"


@pytest.mark.parametrize(
    ("path", "mount"),
    [("/run/a", 63), ("/memfd:a (deleted)", 9), ("socket:[7]", 9), ("/dev/null", 60), ("pipe", 60)],
)
def test_what_is_no_file_on_a_disk_leaves_the_others_known(
    host: Host, tmp_path: Path, path: str, mount: int
) -> None:
    if path == "pipe":
        path = str(tmp_path / "pipe")
        os.mkfifo(path)
    host.process(7, one=(path, mount, WRITES), two=("/log/two", 61, WRITES))
    assert [one.names for one in host.times()] == [("sdb",)]


def test_processes_that_ended_are_no_trouble_and_many_descriptors_take_several_looks(host: Host) -> None:
    """All of a process or nothing: the file on a server is the last."""
    opened = {f"a{number}": ("/home/one", 60, WRITES) for number in range(850)}
    host.process(7, **opened, last=("/share/a", 62, WRITES))
    host.process(8, **opened)
    for role, pid, known in (("writer", 7, False), ("dd", 8, True)):
        for looks in range(1, 4):
            assert bool(host.times(role, flushed={role: {6, pid, 9}})) == (known and looks == 3)


def test_each_role_and_each_process_has_its_turn(host: Host) -> None:
    """Nine processes of one, of which the last alone is on another disk; and a role behind it."""
    for pid in range(10, 18):
        host.process(pid, **{f"a{number}": ("/home/one", 60, WRITES) for number in range(390)})
    host.process(18, one=("/log/one", 61, WRITES))
    flushed = {"many": set(range(10, 19)), "few": {18}}
    assert [one.names for one in host.times("few", flushed=flushed)] == [("sdb",)]
    found = [host.times("many", flushed=flushed) for _ in range(10)]
    assert [one.names for one in found[-1]] == [("sda", "sdb")]


def test_of_a_process_that_ended_within_a_look_nothing_is_told(host: Host) -> None:
    host.process(7, **{f"a{number}": ("/home/one", 60, WRITES) for number in range(450)})
    host.process(8, one=("/log/one", 61, WRITES))
    host.times(flushed={"writer": {7}})
    shutil.rmtree(host.root / "proc/7")
    (found,) = host.times(flushed={"writer": {8}})
    assert found.names == ("sdb",)
