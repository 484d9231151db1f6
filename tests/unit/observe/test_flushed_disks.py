"""What the disks beneath flushed files took, in made trees of /proc and sysfs."""

from __future__ import annotations

from pathlib import Path

import pytest

from plimsoll.host.layers import Layers
from plimsoll.observe.device_check import Counters
from plimsoll.observe.flushed_disks import DiskTimes, FlushedDisks

ROOT, LOG = "8:1 / / rw - ext4 /dev/sda1 rw", "8:16 / /log rw - xfs /dev/sdb rw"
SHARE, MEMORY = "0:50 / /share rw - nfs4 server:/share rw", "0:51 / /run rw - tmpfs tmpfs rw"
SEGMENT = "/log/000000010000000000000018"
WRITES, READS = "0100002", "0100000"


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


def test_of_several_disks_the_slowest_counts_and_all_time(host: Host) -> None:
    host.process(7, one=("/home/one", 60, WRITES), two=("/log/two", 61, WRITES))
    (found,) = host.times()
    assert (found.names, found.ios) == (("sda", "sdb"), 340)
    assert found.us_mean_max == pytest.approx(202_000 / 40)
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


def test_processes_that_ended_and_many_descriptors_are_no_trouble(host: Host) -> None:
    host.process(7, **{f"a{number}": (f"/run/{number}", 63, WRITES) for number in range(450)})
    host.process(8, one=("/log/one", 61, WRITES))
    assert host.times(flushed={"writer": {6, 7, 8}}) == (), "the first has too many to be looked at in one go"
    (found,) = host.times(flushed={"writer": {6, 7, 8, 9}})
    assert found.names == ("sdb",)
