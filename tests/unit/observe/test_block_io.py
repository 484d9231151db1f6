"""Rows of the probe with the names that belong to them."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from plimsoll import _core
from plimsoll.base.errors import PlimsollError
from plimsoll.host.layers import Layers
from plimsoll.observe.block_io import BlockWatch
from plimsoll.observe.disk_names import DiskNames
from plimsoll.ports import files, processes

NS_PER_TICK = 10**9 // os.sysconf("SC_CLK_TCK")


class CannedProbe:
    """Gives the readings that it was made with."""

    def __init__(
        self, *readings: list[dict[str, Any]], begin: str | None = "block_io_start", lost: int = 0
    ) -> None:
        self.readings = list(readings)
        self.event = begin
        self.lost = lost
        self.cuts = 0

    def begin(self) -> str | None:
        return self.event

    def names_direct(self) -> bool:
        return True

    def book_on_askers(self, worker: int, server: int) -> str | None:
        return None if worker > 0 and server > 0 else "no worker"

    def cut(self) -> None:
        self.cuts += 1

    def read(self) -> tuple[list[dict[str, Any]], dict[str, int]]:
        if not self.readings:
            error = _core.CoreError("the probe was stopped")
            error.id, error.message, error.hint, error.errno = (
                "probe-unread",
                "the probe was stopped",
                None,
                None,
            )
            raise error
        counts = {"lost_requests": self.lost, "lost_rows": 2 * self.lost, "lost_row_bytes": 0}
        return self.readings.pop(0), counts | {
            "orphans": 3,
            "requeued": 1,
            "merged": 5,
            "untimed": 2,
            "unasked": 9,
        }


def row(**given: Any) -> dict[str, Any]:
    me = processes.own_identity()
    return {
        "owner_pid": me.pid,
        "owner_started_ns": me.start_ticks * NS_PER_TICK,
        "owner_server": None,
        "command": "fio",
        "device": (7, 1_048_575),
        "operation": "read",
        "file_kind": "unknown",
        "file_device": None,
        "inode": None,
        "ios": 4,
        "bytes": 32_768,
        "errors": 0,
        "begun_ios": 4,
        "queue_ns": 8_000,
        "service_ns": 400_000,
        "latency_hdr": _core.hdr_of_counts([(100.0, 4)]),
        "sizes": [(8192, 4)],
    } | given


def watch(*readings: list[dict[str, Any]], **given: Any) -> BlockWatch:
    probe: Any = CannedProbe(*readings, **given)
    return BlockWatch(probe)


def test_a_row_says_who_what_where_and_how_late() -> None:
    (found,) = watch([row()]).read().rows
    assert (found.role, found.pid, found.device) == ("fio", os.getpid(), "7:1048575")
    assert (found.operation, found.ios, found.bytes, found.sizes) == ("read", 4, 32_768, ((8192, 4),))
    assert found.queue_us_mean == 2.0
    assert found.service_us.count == 4
    assert found.service_us.p50 == pytest.approx(100.0, rel=0.01)
    assert (found.file, found.file_kind, found.inode_number) == (None, "unknown", None)


def test_what_no_process_asked_for_is_the_kernels() -> None:
    (found,) = (
        watch([row(owner_pid=None, owner_started_ns=None, command=None, operation="flush")]).read().rows
    )
    assert (found.role, found.pid, found.operation) == ("kernel", None, "flush")


def test_a_wait_that_nobody_saw_begin_is_unknown_not_zero() -> None:
    (found,) = watch([row(begun_ios=0, queue_ns=0)], begin=None).read().rows
    assert (found.begun_ios, found.queue_us_mean) == (0, None)


def test_the_wait_is_that_of_ios_of_which_it_is_known() -> None:
    """Before Linux 6.5 the others went to the disk unseen."""
    (found,) = watch([row(ios=8, begun_ios=2, queue_ns=8_000)], begin="block_rq_insert").read().rows
    assert (found.begun_ios, found.queue_us_mean) == (2, 4.0)
    (flush,) = watch([row(operation="flush", begun_ios=4)], begin="block_rq_insert").read().rows
    assert (flush.begun_ios, flush.queue_us_mean) == (0, None)


def test_ends_without_a_begin_are_no_rows_and_counted_for_each_disk() -> None:
    nobody = {"owner_pid": None, "owner_started_ns": None, "command": None}
    found = watch([row(), row(operation="unbegun", ios=3, bytes=0, **nobody)]).read()
    assert [one.operation for one in found.rows] == ["read"]
    assert (found.unbegun_at, found.begin) == ({"7:1048575": 3}, "block_io_start")


def test_a_cut_is_the_probes() -> None:
    seen = watch([])
    seen.cut()
    probe: Any = seen.probe
    assert probe.cuts == 1


def test_what_the_kernel_writes_later_has_the_name_that_its_owner_gave_it(tmp_path: Path) -> None:
    path = tmp_path / "segment"
    with path.open("w") as file:
        number = os.fstat(file.fileno())
        of_file = {
            "file_kind": "inode",
            "file_device": (os.major(number.st_dev), os.minor(number.st_dev)),
            "inode": number.st_ino,
        }
        kernels = row(owner_pid=None, owner_started_ns=None, command=None, **of_file)
        first, second = (seen := watch([row(**of_file)], [kernels])).read().rows, seen.read().rows
    assert [one.file for one in (*first, *second)] == [str(path), str(path)]


def test_a_process_that_has_ended_keeps_its_role_and_its_number_is_no_other_processs() -> None:
    long_ago = row(command="ora_lgwr_X", owner_started_ns=NS_PER_TICK)
    seen = watch([long_ago], [long_ago])
    assert [seen.read().rows[0].role, seen.read().rows[0].role] == ["lgwr X", "lgwr X"]


def test_what_is_lost_is_told() -> None:
    reading = watch([], lost=7).read()
    assert (reading.lost_ios, reading.unbegun, reading.requeued, reading.merged) == (21, 3, 1, 5)
    assert reading.untimed == 2


def test_a_probe_that_is_gone_is_an_error_of_its_own() -> None:
    with pytest.raises(PlimsollError) as caught:
        watch().read()
    assert caught.value.id == "probe-unread"


def test_a_disk_is_known_by_its_number_also_where_sysfs_has_no_link(tmp_path: Path) -> None:
    """A way to an NVMe disk is hidden; of some that are there is no number at all."""
    diskstats = tmp_path / "diskstats"
    diskstats.write_text(" 259 7 nvme0c0n1 1 0 0\n   0 0 nvme0c1n1 1 0 0\n")
    names = DiskNames(str(diskstats), Layers(tmp_path))
    names.look_again()
    assert [names.name(number) for number in ((259, 7), (259, 1_048_575))] == ["nvme0c0n1", "259:1048575"]


def test_a_row_tells_on_which_disks_its_disk_lies(tmp_path: Path) -> None:
    (tmp_path / "diskstats").write_text(" 7 99 loop99 1 0 0\n")
    for name in ("loop99/slaves/sda", "loop99/mq", "sda/mq"):
        (tmp_path / name).mkdir(parents=True)
    seen = watch([row(device=(7, 99))])
    seen._disks = DiskNames(str(tmp_path / "diskstats"), Layers(tmp_path))
    (found,) = seen.read().rows
    assert (found.device, found.above) == ("loop99", ("sda",))


def test_what_a_process_did_before_it_ran_another_program_is_the_first_programs() -> None:
    """Such as a shell's that has a command take its place; with one that ended likewise."""
    ended = {"owner_started_ns": NS_PER_TICK}
    rows = [row(command=command, **more) for more in ({}, ended) for command in ("bash", "dd", "bash")]
    assert [one.role for one in watch(rows).read().rows] == ["bash", "dd", "bash"] * 2


def test_files_of_the_kernels_own_are_read_once_for_a_process_and_not_for_a_row(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    opened: list[object] = []
    read_bytes = files.read_bytes
    monkeypatch.setattr(files, "read_bytes", lambda path: opened.append(path) or read_bytes(path))
    seen = watch([row(bytes=8_192 * at, ios=at) for at in range(1, 1_001)])
    assert len(seen.read().rows) == 1_000
    assert opened == [f"/proc/{os.getpid()}/cmdline"]


@pytest.fixture
def child() -> Iterator[processes.Identity]:
    """A process that runs its parent's program, as those of a server do; who started this one may run another."""
    words = (sys.executable, "-c", "print(flush=True); input()")
    with subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as started:
        assert started.stdout is not None, "it was asked for"
        started.stdout.readline()  # Before that the kernel may not have its command line yet.
        found = processes.identity(started.pid)
        assert found is not None, "it waits"
        yield found
        started.communicate(b"\n")


def test_what_a_worker_did_is_its_askers_and_of_one_that_is_gone_it_is_untitled(
    child: processes.Identity,
) -> None:
    done = {"owner_server": 1, "owner_started_ns": 0, "command": "postgres"}
    found = watch([row(**done, owner_pid=child.pid), row(**done, owner_pid=4_194_305)])
    found.askers.meet(child.pid, child.start_ticks * NS_PER_TICK)
    theirs, gone = found.read().rows
    assert (theirs.pid, theirs.is_untitled) == (child.pid, False)
    assert (gone.role, gone.pid, gone.is_untitled) == ("postgres", None, True)


def test_what_could_not_be_read_of_workers_is_counted() -> None:
    found = watch([row()])
    assert found.read().unasked == 9
