"""What this machine and its block devices do second by second, from the kernel's own counters: no program is started.

A proof lays these figures under its own: when operations became slow, was it the CPU, the device, or neither? The
counters are those of /proc/stat, /proc/diskstats (proc_stat(5), the kernel's iostats.rst) and /proc/pressure (psi.rst).
They count for the whole machine, whoever was at work.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from itertools import pairwise

from plimsoll.facts import DeviceSecond, HostSecond
from plimsoll.host.device_counts import SECTOR_BYTES, DeviceCounts, device_counts
from plimsoll.ports import files
from plimsoll.ports.clock import Clock

PERIOD_S = 1.0
_PRESSURES = ("cpu", "io", "memory")
_WRAP_MS = 2**32
"""Times in /proc/diskstats are of 32 bits: they begin anew after 49 days of work."""

Read = Callable[[str], str | None]


@dataclass(frozen=True)
class CpuTicks:
    """Time of all CPUs since the machine started, in ticks. What guests used is in `user` already."""

    user: int
    system: int
    iowait: int
    steal: int
    idle: int


@dataclass(frozen=True)
class Sample:
    """The counters at one moment. What the kernel does not tell is None."""

    at_s: float
    cpu: CpuTicks | None
    runnable: int | None
    pressures_us: dict[str, int | None] = field(default_factory=dict)
    devices: dict[str, DeviceCounts] = field(default_factory=dict)


class HostSampler:
    """Samples each second in a thread of its own, on a schedule that does not drift, from `start` until `stop`."""

    def __init__(self, clock: Clock, read: Read = files.read_text, period_s: float = PERIOD_S) -> None:
        self._clock, self._read, self._period_s = clock, read, period_s
        self._samples: list[Sample] = []
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._run, name="plimsoll-sampler", daemon=True)

    def start(self) -> None:
        """Takes the first sample before it returns, the others in the background."""
        self._samples.append(self._sample())
        self._thread.start()

    def stop(
        self, origin_s: float | None = None, until_s: float | None = None
    ) -> tuple[tuple[HostSecond, ...], tuple[DeviceSecond, ...]]:
        """Ends the sampling; the seconds from `origin_s` to `until_s` on the clock's monotonic scale, by default all of them.

        A second counts when its middle lies between the two. Devices that did nothing in all of them are left out.
        """
        self._ended.set()
        self._thread.join()
        origin_s = self._samples[0].at_s if origin_s is None else origin_s
        last = self._sample()
        # A rest of a second too short for figures of its own goes to the second before it.
        if len(self._samples) > 1 and last.at_s - self._samples[-1].at_s < self._period_s / 2:
            self._samples.pop()
        self._samples.append(last)
        spans = [
            (before, after)
            for before, after in pairwise(self._samples)
            if origin_s <= (before.at_s + after.at_s) / 2
            and (until_s is None or (before.at_s + after.at_s) / 2 <= until_s)
        ]
        return host_seconds(spans, origin_s), device_seconds(spans, origin_s)

    def _run(self) -> None:
        first_s, number = self._samples[0].at_s, 0
        while True:
            # After a pause of the machine the seconds that were missed are passed over, not made up for.
            number = max(number + 1, int((self._clock.monotonic_s() - first_s) / self._period_s) + 1)
            if self._ended.wait(max(0.0, first_s + number * self._period_s - self._clock.monotonic_s())):
                return
            self._samples.append(self._sample())

    def _sample(self) -> Sample:
        stat = self._read("/proc/stat") or ""
        return Sample(
            at_s=self._clock.monotonic_s(),
            cpu=cpu_ticks(stat),
            runnable=runnable(stat),
            pressures_us={name: pressure_us(self._read(f"/proc/pressure/{name}")) for name in _PRESSURES},
            devices=device_counts(self._read("/proc/diskstats") or ""),
        )


def cpu_ticks(stat: str) -> CpuTicks | None:
    """All CPUs together, from the text of /proc/stat. Kernels before 2.6.11 knew no steal: None."""
    line = re.match(r"cpu +(\d[\d ]*)", stat)
    ticks = [int(number) for number in line[1].split()] if line else []
    if len(ticks) < 8:
        return None
    user, nice, system, idle, iowait, irq, softirq, steal = ticks[:8]
    return CpuTicks(user + nice, system + irq + softirq, iowait, steal, idle)


def runnable(stat: str) -> int | None:
    """Tasks that run or want to, from the text of /proc/stat. The one that reads it is always among them: it is left out."""
    found = re.search(r"^procs_running (\d+)$", stat, re.MULTILINE)
    return max(0, int(found[1]) - 1) if found else None


def pressure_us(text: str | None, tasks: str = "some") -> int | None:
    """How long some task has waited, or all that had work (`full`), in microseconds; None where the kernel does not count."""
    found = re.search(rf"^{tasks} .*total=(\d+)$", text or "", re.MULTILINE)
    return int(found[1]) if found else None


def host_seconds(spans: Iterable[tuple[Sample, Sample]], origin_s: float) -> tuple[HostSecond, ...]:
    """What the machine did in each span; one in which no tick passed is left out."""
    found = (_host_second(before, after, origin_s) for before, after in spans)
    return tuple(second for second in found if second is not None)


def _host_second(before: Sample, after: Sample, origin_s: float) -> HostSecond | None:
    duration_s = after.at_s - before.at_s
    if before.cpu is None or after.cpu is None or duration_s <= 0:
        return None
    # The kernel may set back waiting and idle time by some ticks: that is no time at all.
    ticks = {
        name: max(0, getattr(after.cpu, name) - getattr(before.cpu, name))
        for name in ("user", "system", "iowait", "steal", "idle")
    }
    total = sum(ticks.values())
    if not total:
        return None
    shares = {name: count / total for name, count in ticks.items()}
    return HostSecond(
        start_s=before.at_s - origin_s, duration_s=duration_s,
        user_share=shares["user"], system_share=shares["system"], iowait_share=shares["iowait"],
        steal_share=shares["steal"], idle_share=shares["idle"], runnable=after.runnable,
        cpu_pressure_share=_pressure_share(before, after, "cpu"),
        io_pressure_share=_pressure_share(before, after, "io"),
        memory_pressure_share=_pressure_share(before, after, "memory"),
    )  # fmt: skip


def _pressure_share(before: Sample, after: Sample, name: str) -> float | None:
    then_us, now_us = before.pressures_us.get(name), after.pressures_us.get(name)
    if then_us is None or now_us is None or now_us < then_us:
        return None
    # The files are read one after the other, so a span may seem a little shorter than what was waited in it.
    return min(1.0, (now_us - then_us) / 1e6 / (after.at_s - before.at_s))


def device_seconds(spans: Iterable[tuple[Sample, Sample]], origin_s: float) -> tuple[DeviceSecond, ...]:
    """What each device did in each span, in order of time; devices without any I/O in all of them are left out."""
    found = [
        second
        for before, after in spans
        for name, counts in after.devices.items()
        if name in before.devices
        and (second := _device_second(name, before.devices[name], counts, before, after, origin_s))
    ]
    busy = {
        second.device for second in found if second.reads_per_s or second.writes_per_s or second.flushes_per_s
    }
    return tuple(second for second in found if second.device in busy)


def _device_second(
    name: str, then: DeviceCounts, now: DeviceCounts, before: Sample, after: Sample, origin_s: float
) -> DeviceSecond | None:
    """None where another device took the name in between: its counters began anew."""
    duration_s, reads, writes = after.at_s - before.at_s, now.reads - then.reads, now.writes - then.writes
    if duration_s <= 0 or reads < 0 or writes < 0:
        return None
    flushes = None if now.flushes is None or then.flushes is None else now.flushes - then.flushes
    duration_ms = 1000 * duration_s
    return DeviceSecond(
        device=name, start_s=before.at_s - origin_s, duration_s=duration_s,
        reads_per_s=reads / duration_s, writes_per_s=writes / duration_s,
        flushes_per_s=None if flushes is None else flushes / duration_s,
        read_mb_per_s=(now.read_sectors - then.read_sectors) * SECTOR_BYTES / 1e6 / duration_s,
        write_mb_per_s=(now.write_sectors - then.write_sectors) * SECTOR_BYTES / 1e6 / duration_s,
        read_await_us=_await_us(then.read_ms, now.read_ms, reads),
        write_await_us=_await_us(then.write_ms, now.write_ms, writes),
        queue_mean=_passed_ms(then.weighted_ms, now.weighted_ms) / duration_ms,
        busy_share=min(1.0, _passed_ms(then.busy_ms, now.busy_ms) / duration_ms),
    )  # fmt: skip


def _await_us(then_ms: int, now_ms: int, ios: int) -> float | None:
    return 1000 * _passed_ms(then_ms, now_ms) / ios if ios else None


def _passed_ms(then_ms: int, now_ms: int) -> int:
    return (now_ms - then_ms) % _WRAP_MS


def process_read_bytes(pids: Iterable[int], read: Read = files.read_text) -> int | None:
    """Bytes that these processes have had fetched from storage (proc_pid_io(5)); None where one of them does not tell."""
    total = 0
    for pid in pids:
        found = re.search(r"^read_bytes: (\d+)$", read(f"/proc/{pid}/io") or "", re.MULTILINE)
        if found is None:
            return None
        total += int(found[1])
    return total


def process_cpu_ns(pid: int, read: Read = files.read_text) -> tuple[int, int] | None:
    """Nanoseconds that a process of one thread had a CPU, and that it was ready and waited for one (sched-stats.rst).

    None where the kernel does not tell.
    """
    fields = (read(f"/proc/{pid}/schedstat") or "").split()
    return (int(fields[0]), int(fields[1])) if len(fields) == 3 and all(map(str.isdigit, fields)) else None
