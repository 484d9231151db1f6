"""The machine's seconds: shares, rates and waits from recorded counters, and the counters of this machine."""

from __future__ import annotations

import json
import mmap
import os
import shutil
import subprocess
import threading
from itertools import pairwise
from pathlib import Path

import pytest

from plimsoll.facts import DeviceSecond
from plimsoll.host import devices, sampler
from plimsoll.host.device_counts import device_counts
from plimsoll.ports.clock import SystemClock
from plimsoll.ports.files import read_text

STAT = """cpu  1000 200 300 4000 50 10 20 30 400 100
cpu0 1000 200 300 4000 50 10 20 30 400 100
intr 8885920 0 0 1
ctxt 1990473
procs_running 5
procs_blocked 2"""
LATER_STAT = """cpu  1100 210 340 4030 60 11 29 40 450 110
cpu0 1100 210 340 4030 60 11 29 40 450 110
procs_running 1
procs_blocked 0"""
PRESSURE = (
    "some avg10=1.00 avg60=0.49 avg300=1.02 total={}\nfull avg10=0.00 avg60=0.00 avg300=0.00 total=99999999"
)
DISKS = """ 259       0 nvme0n1 1000 5 80000 2000 500 7 16000 4000 0 3000 6000 9 0 800 3 40 80
 259       1 nvme0n1p1 900 5 70000 1900 400 7 15000 3900 0 2900 5800 9 0 800 3 0 0
   8       0 sda 10 0 80 20 0 0 0 0 0 20 20 0 0 0 0 0 0
   8       1 sda1 10 0 80 20 0 0 0 0 0 20 20 0 0 0 0 0 0
   7       0 loop0 50 0 400 10 0 0 0 0 0 10 10 0 0 0 0
 252       1 dm-1 100 0 800 10 0 0 0 0 0 10 10 0 0 0 0 0 0
 252      10 dm-10 100 0 800 10 0 0 0 0 0 10 10 0 0 0 0 0 0"""
LATER_DISKS = """ 259       0 nvme0n1 3000 5 112000 2400 1000 7 24000 6000 2 4500 9000 9 0 800 3 60 90
 259       1 nvme0n1p1 2900 5 102000 2300 900 7 23000 5900 2 4400 8800 9 0 800 3 0 0
   8       0 sda 10 0 80 20 0 0 0 0 0 20 20 0 0 0 0 0 0
   8       1 sda1 10 0 80 20 0 0 0 0 0 20 20 0 0 0 0 0 0
   7       0 loop0 60 0 480 20 0 0 0 0 0 20 20 0 0 0 0
 252       1 dm-1 100 0 800 10 0 0 0 0 0 10 10 0 0 0 0 0 0
 252      10 dm-10 200 0 1600 60 0 0 0 0 0 60 60 0 0 0 0 0 0
   8      16 sdb 7 0 56 1 0 0 0 0 0 1 1 0 0 0 0 0 0"""


def sample(
    at_s: float, stat: str = STAT, disks: str = DISKS, io_us: int | None = None, cpu_us: int | None = None
) -> sampler.Sample:
    return sampler.Sample(
        at_s=at_s, cpu=sampler.cpu_ticks(stat), runnable=sampler.runnable(stat),
        pressures_us={"cpu": cpu_us, "io": io_us, "memory": None}, devices=device_counts(disks),
    )  # fmt: skip


def spans(*samples: sampler.Sample) -> list[tuple[sampler.Sample, sampler.Sample]]:
    return list(pairwise(samples))


def seconds_by_device(before: str, after: str, duration_s: float = 2.0) -> dict[str, DeviceSecond]:
    found = sampler.device_seconds(
        spans(sample(10.0, STAT, before), sample(10.0 + duration_s, STAT, after)), 9
    )
    return {second.device: second for second in found}


def test_shares_of_all_processors_add_up_to_one() -> None:
    (second,) = sampler.host_seconds(
        spans(sample(10.0, io_us=1_000_000), sample(12.0, LATER_STAT, io_us=1_500_000)), 9.0
    )
    # 110 ticks of users and nice ones, 50 of the system and interrupts, 10 each of waiting and stolen, 30 idle; guests' are users'.
    assert second.user_share == pytest.approx(110 / 210)
    assert second.system_share == pytest.approx(50 / 210)
    assert second.iowait_share == second.steal_share == pytest.approx(10 / 210)
    assert second.idle_share == pytest.approx(30 / 210)
    assert (second.start_s, second.duration_s) == (1.0, 2.0)
    assert second.io_pressure_share == pytest.approx(0.25)
    assert second.cpu_pressure_share is None


def test_the_reader_itself_is_not_among_the_tasks_that_run() -> None:
    assert sampler.runnable(STAT) == 4
    assert sampler.runnable(LATER_STAT) == 0
    assert sampler.runnable("cpu 1 2") is None


def test_pressure_is_that_of_some_and_none_where_the_kernel_has_none() -> None:
    assert sampler.pressure_us(PRESSURE.format(14639709593)) == 14639709593
    assert sampler.pressure_us(None) is None
    assert sampler.pressure_us("") is None


def test_idle_time_that_was_set_back_is_no_time() -> None:
    back = STAT.replace("1000 200 300 4000 50", "1050 200 300 3990 30")
    (second,) = sampler.host_seconds(spans(sample(0.0), sample(1.0, back)), 0.0)
    assert (second.user_share, second.idle_share, second.iowait_share) == (1.0, 0.0, 0.0)


def test_what_cannot_be_read_gives_no_second_rather_than_zero() -> None:
    assert sampler.cpu_ticks("") is None
    assert sampler.cpu_ticks("cpu  1 2 3 4") is None
    assert sampler.host_seconds(spans(sample(0.0, ""), sample(1.0)), 0.0) == ()
    assert sampler.host_seconds(spans(sample(0.0), sample(1.0)), 0.0) == (), "no tick passed"


def test_rates_waits_and_queue_of_a_device() -> None:
    second = seconds_by_device(DISKS, LATER_DISKS)["nvme0n1"]
    assert (second.start_s, second.duration_s) == (1.0, 2.0)
    assert (second.reads_per_s, second.writes_per_s, second.flushes_per_s) == (1000, 250, 10)
    assert second.read_mb_per_s == pytest.approx(32000 * 512 / 1e6 / 2)
    assert second.write_mb_per_s == pytest.approx(8000 * 512 / 1e6 / 2)
    assert (second.read_await_us, second.write_await_us) == (200.0, 4000.0)
    assert second.queue_mean == pytest.approx(1.5)
    assert second.busy_share == pytest.approx(0.75)


def test_partitions_and_idle_devices_are_left_out_and_a_device_that_came_has_no_first_figure() -> None:
    assert set(seconds_by_device(DISKS, LATER_DISKS)) == {"nvme0n1", "loop0", "dm-10"}
    assert set(device_counts(DISKS)) == {"nvme0n1", "sda", "loop0", "dm-1", "dm-10"}


def test_flushes_and_waits_that_are_not_known_are_none() -> None:
    loop = seconds_by_device(DISKS, LATER_DISKS)["loop0"]
    assert loop.flushes_per_s is None, "its line is that of a kernel that does not count them"
    assert loop.write_await_us is None, "nothing was written"
    assert loop.read_await_us == 1000.0


def test_times_that_began_anew_after_32_bits() -> None:
    before = f"8 0 sda 1000 0 8000 {2**32 - 50} 0 0 0 0 0 {2**32 - 100} {2**32 - 10}"
    after = "8 0 sda 1100 0 8800 50 0 0 0 0 0 100 190"
    second = seconds_by_device(before, after, 1.0)["sda"]
    assert second.read_await_us == 1000.0
    assert (second.busy_share, second.queue_mean) == (0.2, 0.2)


def test_a_device_that_took_anothers_name_gives_no_figure() -> None:
    assert seconds_by_device("8 0 sda 1000 0 1 1 0 0 0 0 0 1 1", "8 0 sda 5 0 1 1 0 0 0 0 0 1 1") == {}


def test_a_disk_without_listed_parent_is_a_disk() -> None:
    counts = " 0 0 0 0 0 0 0 0 0 0 0"
    listed = "\n".join(f"1 1 {name}{counts}" for name in ("xvda1", "mmcblk0", "mmcblk0p2", "mmcblk0boot0"))
    assert set(device_counts(f"{listed}\ngarbage\n8 0 sdz 1 2 three\n")) == {
        "xvda1",
        "mmcblk0",
        "mmcblk0boot0",
    }


class Script:
    """A clock and a procfs that go on by the same script: a second with each sample, whatever time it is."""

    def __init__(self, instants: list[float]) -> None:
        self.instants, self.taken = instants, 0
        self.done = threading.Event()

    def monotonic_s(self) -> float:
        return self.instants[min(self.taken, len(self.instants) - 1)]

    def now(self) -> object:
        raise AssertionError("wall time is not asked for")

    def sleep(self, seconds: float) -> None:
        raise AssertionError("nobody sleeps on this clock")

    def read(self, path: object) -> str | None:
        if str(path) == "/proc/stat":
            return f"cpu  {100 * self.taken} 0 0 {100 * self.taken} 0 0 0 0 0 0\nprocs_running 3"
        if str(path) == "/proc/diskstats":
            line = f"8 0 sda {10 * self.taken} 0 80 5 0 0 0 0 0 1 1"
            self.taken += 1
            if self.taken >= len(self.instants):
                self.done.set()
            return line
        return PRESSURE.format(500_000 * self.taken) if str(path).endswith("/io") else None


def test_a_pulse_samples_on_a_schedule_and_tells_seconds_from_the_origin() -> None:
    script = Script([100.0, 100.999, 101.999, 102.999])
    beat = sampler.HostSampler(script, script.read)  # type: ignore[arg-type]
    beat.start()
    assert script.done.wait(30)
    host, disks = beat.stop(origin_s=100.999)
    assert [second.start_s for second in host] == pytest.approx([0.0, 1.0])
    assert [second.duration_s for second in host] == pytest.approx([1.0, 1.0])
    assert {second.user_share for second in host} == {0.5}
    assert [second.runnable for second in host] == [2, 2]
    assert [second.start_s for second in disks] == pytest.approx([0.0, 1.0])
    assert [second.reads_per_s for second in disks] == pytest.approx([10.0, 20.0])


def test_seconds_after_the_end_are_left_out() -> None:
    script = Script([100.0, 100.999, 101.999, 102.999])
    beat = sampler.HostSampler(script, script.read)  # type: ignore[arg-type]
    beat.start()
    assert script.done.wait(30)
    host, disks = beat.stop(until_s=102.2)
    assert [second.start_s for second in host] == pytest.approx([0.0, 0.999])
    assert [second.start_s for second in disks] == pytest.approx([0.0, 0.999])


def test_seconds_that_were_missed_are_passed_over() -> None:
    script = Script([100.0, 104.999, 105.999])
    beat = sampler.HostSampler(script, script.read)  # type: ignore[arg-type]
    beat.start()
    assert script.done.wait(30)
    host, _ = beat.stop()
    assert [second.start_s for second in host] == pytest.approx([0.0, 4.999])
    assert [second.duration_s for second in host] == pytest.approx([4.999, 1.0])


def test_stop_ends_the_thread_and_gives_the_rest_of_a_second() -> None:
    threads = threading.active_count()
    beat = sampler.HostSampler(SystemClock(), period_s=30.0)
    beat.start()
    assert threading.active_count() == threads + 1
    started_s = SystemClock().monotonic_s()
    ticks = sampler.cpu_ticks(read_text("/proc/stat") or "")
    while sampler.cpu_ticks(read_text("/proc/stat") or "") == ticks:
        pass
    host, _ = beat.stop()
    assert threading.active_count() == threads
    assert SystemClock().monotonic_s() - started_s < 20, "it does not wait for its next second"
    assert len(host) == 1


def test_processes_tell_what_was_read_for_them_or_nothing() -> None:
    texts = {"/proc/7/io": "rchar: 5\nread_bytes: 4096\nwrite_bytes: 1", "/proc/8/io": "read_bytes: 8192"}
    assert sampler.process_read_bytes([7, 8], lambda path: texts.get(str(path))) == 12288
    assert sampler.process_read_bytes([7, 9], lambda path: texts.get(str(path))) is None
    assert sampler.process_read_bytes([], texts.get) == 0


def test_processes_tell_how_long_they_had_a_cpu_and_waited_for_one() -> None:
    texts = {"/proc/7/schedstat": "177929126 23485646 823\n", "/proc/8/schedstat": ""}
    assert sampler.process_cpu_ns(7, lambda path: texts.get(str(path))) == (177_929_126, 23_485_646)
    assert sampler.process_cpu_ns(8, lambda path: texts.get(str(path))) is None
    assert sampler.process_cpu_ns(9, lambda path: texts.get(str(path))) is None


# On this machine.

FILE_BYTES = 8 << 20
BLOCK_BYTES = 64 << 10


def written_directly(path: Path) -> None:
    """Eight MiB in blocks of 64 KiB past the cache, then forced out."""
    block = mmap.mmap(-1, BLOCK_BYTES)
    block.write(os.urandom(BLOCK_BYTES))
    descriptor = os.open(path, os.O_CREAT | os.O_WRONLY | os.O_DIRECT)
    try:
        for _ in range(FILE_BYTES // BLOCK_BYTES):
            os.write(descriptor, block)
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """On a device whose counters the kernel shows."""
    name = devices.device_beneath(tmp_path)
    if name is None or name not in device_counts(read_text("/proc/diskstats") or ""):
        pytest.skip("no block device with counters lies beneath the folder of the tests")
    return tmp_path


def of_device(folder: Path, found: tuple[DeviceSecond, ...]) -> list[DeviceSecond]:
    name = devices.device_beneath(folder)
    return [second for second in found if second.device == name]


def test_a_file_written_past_the_cache_shows_in_the_lane_of_its_device(folder: Path) -> None:
    beat = sampler.HostSampler(SystemClock(), period_s=0.2)
    beat.start()
    written_directly(folder / "direct")
    host, found = beat.stop()
    lane = of_device(folder, found)
    assert sum(second.write_mb_per_s * second.duration_s for second in lane) >= FILE_BYTES / 1e6 * 0.999
    assert sum(second.writes_per_s * second.duration_s for second in lane) >= 1
    assert all(
        second.write_await_us is not None and second.write_await_us >= 0
        for second in lane
        if second.writes_per_s
    )
    assert all(0 <= second.busy_share <= 1 for second in lane)
    for second in host:
        shares = (
            second.user_share, second.system_share, second.iowait_share, second.steal_share, second.idle_share,
        )  # fmt: skip
        assert sum(shares) == pytest.approx(1.0)


@pytest.mark.skipif(shutil.which("fio") is None, reason="fio is not installed")
def test_fio_counts_the_same_reads(folder: Path) -> None:
    """Whatever else reads from the device meanwhile comes on top, so the lane may show more, never less."""
    written_directly(folder / "direct")
    command = [
        "fio", "--name=reads", f"--filename={folder / 'direct'}", "--rw=randread", "--bs=4k", "--direct=1",
        "--readonly", "--ioengine=psync", "--number_ios=500", "--output-format=json",
    ]  # fmt: skip
    beat = sampler.HostSampler(SystemClock(), period_s=0.2)
    beat.start()
    done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=folder)
    _, found = beat.stop()
    job = json.loads(done.stdout)["jobs"][0]["read"]
    lane = of_device(folder, found)
    reads = sum(second.reads_per_s * second.duration_s for second in lane)
    read_mb = sum(second.read_mb_per_s * second.duration_s for second in lane)
    assert job["total_ios"] == 500
    assert reads >= job["total_ios"] * 0.999
    assert read_mb >= job["io_bytes"] / 1e6 * 0.999


def test_the_kernel_tells_what_was_read_for_this_process(folder: Path) -> None:
    written_directly(folder / "direct")
    before = sampler.process_read_bytes([os.getpid()])
    if before is None:
        pytest.skip("this kernel does not account I/O to processes")
    block = mmap.mmap(-1, FILE_BYTES)
    descriptor = os.open(folder / "direct", os.O_RDONLY | os.O_DIRECT)
    try:
        assert os.readv(descriptor, [block]) == FILE_BYTES
    finally:
        os.close(descriptor)
    after = sampler.process_read_bytes([os.getpid()])
    assert after is not None
    assert after - before >= FILE_BYTES


def test_no_device_lies_beneath_what_is_not_there() -> None:
    assert devices.device_beneath(Path("/no/such/file")) is None
    assert devices.device_beneath(Path("/proc/self/stat")) is None
