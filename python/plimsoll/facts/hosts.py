"""One workload from several hosts at the same time: what each of them got, and what all got together."""

from __future__ import annotations

from datetime import datetime

from plimsoll.facts._fact import Fact, Note, Text
from plimsoll.facts.cell import Cell, Window
from plimsoll.facts.check import Check
from plimsoll.facts.latency import LatencyUs
from plimsoll.facts.target import Target


class HostPart(Fact):
    """What one host did. Times are the client's, after the difference of both clocks was taken off."""

    host: str
    """As it was named."""
    clock_offset_us: float
    """How far its clock was ahead of the client's before the run, in microseconds; below zero: behind."""
    clock_error_us: float
    """The offset is true to so much, in microseconds: half of the shortest round trip."""
    clock_drift_us: float | None = None
    """How much the offset had changed after the run, in microseconds; None where the host was lost."""
    begun_late_us: float | None = None
    """From the common moment to its first I/O, in microseconds."""
    iops: float | None = None
    """I/Os per second in the steady window, of one that was lost while it was there; None where it has no part in it."""
    mb_per_s: float | None = None
    """MB per second in the steady window, in units of 10^6 bytes."""
    latency_us: LatencyUs | None = None
    """Of its slices of time that lie within the steady window."""
    lost_because: Text | None = None
    """Why nothing more came of it; None where it ended as asked."""
    windows: tuple[Window, ...] = ()
    """What it told while it measured, from when the measured time began for all."""
    target: Target | None = None
    """What it measured."""
    cell: Cell | None = None
    """Its whole measurement; None where it was lost before its end."""


class TogetherOnHosts(Fact):
    """All hosts together, in the steady window: from when the last one measured until the first one ended."""

    hosts: tuple[HostPart, ...]
    """In the order in which they were named."""
    began_at: datetime
    """The moment at which all began, by the client's clock; the warm-up comes first."""
    start_spread_us: float | None = None
    """From the first host's first I/O to the last host's first, in microseconds."""
    end_spread_us: float | None = None
    """From the end of the first host's last I/O to that of the last host's, in microseconds; lost hosts are left out."""
    spread_error_us: float | None = None
    """By how much clocks may be wrong about either spread, in microseconds: the errors of the two that are known least."""
    steady_from_s: float | None = None
    """Begin of the steady window, in seconds after the common begin of the measured time."""
    steady_s: float | None = None
    """Its length, in seconds; None where hosts have no time together."""
    asked_s: float
    """The measured time that was asked for, in seconds."""
    complete_s: float | None = None
    """How long all hosts measured at the same time, those too that were lost later, in seconds; None where they never did."""
    complete_iops: float | None = None
    """Sum of all hosts in that time: with no host lost that of the steady window."""
    iops: float | None = None
    """Sum of the hosts that were there to the end, in the steady window."""
    mb_per_s: float | None = None
    """The same, in units of 10^6 bytes."""
    latency_us: LatencyUs | None = None
    """Of all of these hosts' I/Os in slices of time that lie within the steady window."""
    one_storage: bool | None = None
    """Whether all hosts see the same file or folder; None where that cannot be told, as with simulated storage."""
    checks: tuple[Check, ...] = ()
    """Whether the sum is one: all hosts together for long enough, and none that falls behind."""
    notes: tuple[Note, ...] = ()

    @property
    def left(self) -> list[str]:
        """Names of those that were there to the end."""
        return [one.host for one in self.hosts if one.lost_because is None]
