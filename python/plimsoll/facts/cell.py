"""One measured point: a workload on a target for a while."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from plimsoll.base.limits import DEVICE_BYTES_SHARE_MAX, DEVICE_BYTES_SLACK
from plimsoll.facts._fact import Fact, Note
from plimsoll.facts.check import Check
from plimsoll.facts.latency import LatencyUs
from plimsoll.facts.workload import Arrivals, Clients, Op, Workload

_AWAY_S = 1.0
_AWAY_SHARE = 0.02
"""A server that was away for longer, or for more of the measured time, makes a mean rate that it never had."""


class Cpu(Fact):
    """CPU time of the whole process over the measured window, kernel threads made for its I/O included."""

    user: float
    """In programs, in seconds."""
    system: float
    """In the kernel, in seconds."""


class Window(Fact):
    """A slice of the measured time, for drift and for pictures."""

    start_s: float
    """When it began, in seconds from the start of the measured time."""
    duration_s: float
    iops: float
    latency_us_p50: float | None = None
    latency_us_p99: float | None = None
    latency_us_max: float | None = None
    first_end_s: float | None = None
    """When the first of its I/Os ended, in seconds from the start of the measured time; None where none did, or it is not known."""
    last_end_s: float | None = None
    """The same of the last one."""


class HostTime(Fact):
    """What all CPUs of the machine did in the measured window, by everyone, in CPU seconds (proc_stat(5))."""

    user_s: float
    """In programs, in CPU seconds."""
    system_s: float
    """Interrupts included."""
    steal_s: float
    """A CPU of this virtual machine was ready to run, and its host ran something else."""


class AtDevices(Fact):
    """What we moved from the first I/O to the last, warm-up and ending too, beside what the kernel counted at the devices.

    The devices' counters are /sys/dev/block/*/stat: theirs are all I/Os of the machine, each part of a split one for itself.
    """

    devices: tuple[str, ...]
    reads: int
    """Reads that we did."""
    read_bytes: int
    """Bytes that we read."""
    writes: int
    """Writes that we did."""
    write_bytes: int
    """Bytes that we wrote."""
    device_reads: int
    """Reads that the devices counted."""
    device_read_bytes: int
    """Bytes read, by the devices' count."""
    device_writes: int
    """Writes that the devices counted."""
    device_write_bytes: int
    """Bytes written, by the devices' count."""
    of_mounts: bool = False
    """Counted at NFS mounts: an I/O is as many requests as the kernel's client makes of it, and some may go past its own count."""
    others_bytes_per_s: float | None = None
    """What was moved there in a moment after the run, without us. It is looked at only where the devices moved more than we did."""

    @property
    def ios(self) -> int:
        """What we did."""
        return self.reads + self.writes

    @property
    def bytes(self) -> int:
        """What we moved."""
        return self.read_bytes + self.write_bytes

    @property
    def device_ios(self) -> int:
        """What the devices did."""
        return self.device_reads + self.device_writes

    @property
    def device_bytes(self) -> int:
        """What they moved."""
        return self.device_read_bytes + self.device_write_bytes

    @property
    def moved_more(self) -> bool:
        """Whether the devices moved more than we asked for, by more than what a file system keeps of its own."""
        more = self.device_bytes - self.bytes
        return more > DEVICE_BYTES_SLACK and more > DEVICE_BYTES_SHARE_MAX * self.bytes


class Outage(Fact):
    """A part of the measured window in which a measuring thread had no connection to its server."""

    start_s: float
    """When it began, in seconds from the start of the measured time."""
    duration_s: float
    share: float
    """Of the threads with connections, how many had none, on average over its time."""


class ServerPath(Fact):
    """What went over one address of a server in the measured window, over all jobs. An I/O may be several requests."""

    address: str
    """Of the server."""
    requests: int
    """Requests that were answered."""
    requests_per_s: float
    """Requests that were answered, per second of the measured time."""
    mb_per_s: float
    share: float | None
    """Of all requests over all paths; None without any."""
    latency_us_p50: float | None = None
    """From sending a request to its answer."""
    latency_us_p99: float | None = None
    latency_us_max: float | None = None
    losses: int
    """How often the path was lost, warm-up and ending too."""
    away_s: float
    """For how long it was away, on average over the jobs."""


class Group(Clients):
    """Clients of one kind that were at work at the same time as the other groups of the cell."""

    classes: tuple[str, ...]
    """Names of its classes."""
    runtime_s: float | None = None
    """How long it was measured, where it began or ended by itself; None: as long as the cell. Its rates are over this time."""
    memory: str | None = None
    """Where its buffers lay (fio's mem), where another tool has told."""


class ClassResult(Fact):
    """What one class of the workload got."""

    name: str
    """The class's name in its workload."""
    op: Op
    """Whether it reads or writes."""
    block_bytes: int
    """Bytes of each of its I/Os; with several sizes the largest."""
    ios: int
    errors: int
    iops: float
    mb_per_s: float
    latency_us: LatencyUs
    service_us: LatencyUs | None = None
    submission_us: LatencyUs | None = None
    """How long the calls took that hand I/Os over (fio's slat), where they were timed apart. `latency_us` of such a result holds
    them or not, as its run says."""
    distinct_blocks: int | None = None
    """About how many different blocks its I/Os visited (standard error 0.8 %); few of many mean that a cache may have answered."""
    space_blocks: int | None = None
    """How many blocks it could reach."""


class CellOnHost(Fact):
    """One host's share of what several measured at the same time. Its figures are named as those of the whole."""

    name: str
    """The host, as it was named."""
    ios: int
    """I/Os that ended in the measured window."""
    errors: int
    iops: float
    runtime_s: float
    """Length of its measured window, in seconds."""
    offered_ios: int | None = None
    """Open loop: I/Os that were due."""
    latency_us: LatencyUs
    service_us: LatencyUs | None = None
    classes: tuple[ClassResult, ...]
    """What each class of the workload got there."""
    engine: str
    arrivals: Arrivals
    """How its own I/Os came."""
    jobs: int
    cpu_s: Cpu
    """CPU time over the measured window, in seconds."""
    processor_wait_share: float | None = None
    """Share of the time in which a measuring thread waited for a CPU."""
    host: HostTime | None = None
    """What the CPUs of the machine did meanwhile; None where it is not known."""
    backlog_ios_max: int | None = None
    """Open loop: the most I/Os that were due and not yet submitted at any moment."""
    lateness_us_max: float | None = None
    """Open loop: how late the host itself started an I/O although a slot was free."""
    ended_early: str = ""
    """Empty, or why its measurement ended before its time."""
    windows: tuple[Window, ...] = ()
    """Its measured time in slices."""


class Cell(Fact):
    """The result. With a rate, `latency_us` counts from when each I/O was due; `service_us` from when it was submitted.

    With several groups, `engine`, `jobs`, `depth` and `arrivals` are those of the first one; `groups` has them all.

    `mb_per_s` is in units of 10^6 bytes. `ended_early` is empty, or the reason: stopped, gave_up, ios_max, errors.
    """

    iops: float
    """I/Os per second of all measured classes: of those that ended in the measured time, whenever they began, and at a rate that
    was kept up of those that were due in it."""
    mb_per_s: float
    ios: int
    """I/Os that began in the measured time, those that ended after it too. Latencies are theirs."""
    completed_ios: int | None = None
    """I/Os that ended in the measured window, whenever they began; None where that was not counted."""
    errors: int
    """I/Os that failed, in other runs too that it stands for, and in rounds and checks that its answer rests on."""
    runtime_s: float
    """Length of the measured window, in seconds."""
    latency_us: LatencyUs
    service_us: LatencyUs | None = None
    cpu_us_per_io: float | None
    """CPU time of the whole process for each I/O, in microseconds; None without any, or with clients beside."""
    cpu_s: Cpu
    """CPU time over the measured window, in seconds."""
    engine: str
    direct: bool
    """Whether the page cache was bypassed."""
    workload: Workload
    arrivals: Arrivals
    jobs: int
    depth: int
    """I/Os outstanding per job."""
    started_at: datetime
    warm_up_s: float
    """Time before the measured window, in no figure, in seconds."""
    ended_early: str = ""
    """Empty, or why the measurement ended before its time."""
    offered_ios: int | None = None
    """Open loop: I/Os that were due in the measured window."""
    backlog_ios_max: int | None = None
    """Open loop: the most I/Os that were due and not yet submitted at any moment."""
    lateness_us_max: float | None = None
    """Open loop: how late we ourselves started an I/O although a slot was free; large values mean the tool is the limit."""
    context_switches: int | None = None
    """How often a measuring thread gave its CPU up or lost it; None where it is not counted."""
    processor_wait_share: float | None = None
    """Share of the time in which a measuring thread was ready to run while no CPU was free; then the host, not the
    storage, made the I/Os late."""
    cpu_threads_s: float | None = None
    """Of `cpu_s`, what the measuring threads used; the rest is the kernel's workers for their I/Os, and our book-keeping."""
    cpu_workers_s: float | None = None
    """Of `cpu_s`, what the kernel's own threads used for our I/Os (io_uring's io-wq and sqpoll); None where it is not counted."""
    host: HostTime | None = None
    """What the CPUs of the machine did meanwhile; None where it is not known."""
    merge: bool = False
    """Whether the kernel was let to make one I/O of neighbouring ones."""
    stable: Literal["file", "data", "none"] | None = None
    """How durable an NFS server was asked to make writes; None where nothing was written to one."""
    outages: tuple[Outage, ...] = ()
    """When there was no connection to the server."""
    paths: tuple[ServerPath, ...] = ()
    """What went over each address of the server."""
    at_devices: AtDevices | None = None
    """None where no block device is beneath, or none that counts."""
    groups: tuple[Group, ...] = ()
    """Clients that were at work at the same time, each with its engine, jobs and depth."""
    hosts: tuple[CellOnHost, ...] = ()
    """Where several hosts measured at the same time, what each of them did; all other figures are of them together."""
    seed: int | None = None
    """Of every random choice; with `--seed` the same offsets and arrivals can be drawn again."""
    checks: tuple[Check, ...] = ()
    """Whether this cell is valid, and why."""
    classes: tuple[ClassResult, ...]
    """What each class of the workload got."""
    beside: tuple[ClassResult, ...] = ()
    """Classes of clients that ran beside the measured ones. They are in no other figure but CPU time, and `groups`
    names them last."""
    windows: tuple[Window, ...] = ()
    """The measured time in slices."""
    held: tuple[ClassResult, ...] = ()
    """Where the rate went to another level for good: what each class got from then on, but for the window in which it changed.
    Empty where it did not, or where distributions of windows were not kept."""
    held_latency_us: LatencyUs | None = None
    """Of all classes together in that part."""
    notes: tuple[Note, ...] = ()

    @property
    def change(self) -> Check | None:
        """The check that found that the rate went to another level for good, with `before_iops`, `after_iops`, `cliff_at_s` and
        `held_from_s`; None for no change."""
        return self.fall or self.rise

    @property
    def rise(self) -> Check | None:
        """The check that found that the rate rose for good; None for no rise."""
        found = (check for check in self.checks if check.name == "drift" and check.passed is False)
        return next((check for check in found if "after_iops" in check.figures), None)

    @property
    def told_latency_us(self) -> LatencyUs | None:
        """The latencies that stand beside the rate that was held: of the same part of the time, None where those are not known."""
        return self.latency_us if self.change is None else self.held_latency_us

    @property
    def told_classes(self) -> tuple[ClassResult, ...]:
        """What each class got beside that rate; empty where that is not known."""
        return self.classes if self.change is None else self.held

    @property
    def fall(self) -> Check | None:
        """The check that found that the rate fell for good, with `before_iops`, `after_iops` and `cliff_at_s`; None for no fall."""
        return next((check for check in self.checks if check.name == "cliff" and check.passed is False), None)

    @property
    def held_iops(self) -> float:
        """The rate that was held to the end: after it went to another level for good that one, for `iops` was never held then, and
        beside outages the one while the server was there."""
        if self.change is not None:
            return self.change.figures["after_iops"]
        return self.iops * self.connected_factor

    @property
    def connected_factor(self) -> float:
        """By how much the rate of any part was higher while the server was there than over the whole time; 1 where no outage says
        so, after a fall for good, and where I/Os arrived at a rate."""
        connected_s = self.runtime_s - self.outage_s
        known = self.lost_rate and connected_s > 0
        return self.runtime_s / connected_s if known else 1.0

    @property
    def lost_rate(self) -> bool:
        """Whether the time without the server is missing in `iops`. What arrives at a rate is not lost: it is caught up afterwards,
        and the rate while the server was there was never higher than the one that was asked for."""
        return self.was_away and self.change is None and self.arrivals.kind == "closed"

    @property
    def was_away(self) -> bool:
        """Whether the server was away for so long that the mean rate is none that was ever held; not where a connection was made
        anew at once."""
        longest_s = max((one.duration_s for one in self.outages), default=0.0)
        return longest_s > _AWAY_S or self.outage_s > _AWAY_SHARE * self.runtime_s

    @property
    def outage_s(self) -> float:
        """How long the server was away in the measured window, as a share of the threads that had no connection."""
        return sum(one.duration_s * one.share for one in self.outages)

    @property
    def held_mb_per_s(self) -> float:
        """The same of `mb_per_s`."""
        return self.mb_per_s * (self.held_iops / self.iops) if self.iops else self.mb_per_s
