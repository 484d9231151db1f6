"""The host beside a proof: its CPUs and devices second by second, on the window's own axis."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

from plimsoll.base.errors import PlimsollError
from plimsoll.context import Context
from plimsoll.databases import Connection
from plimsoll.demand.local import is_here
from plimsoll.facts import BlockOrigin, DeviceSecond, HostSecond, Proof, Snapshot
from plimsoll.host.cpu_users import CpuTimes, cpu_times, cpu_use, main_process
from plimsoll.host.devices import device_beneath
from plimsoll.host.sampler import HostSampler


class Beside:
    """The host while the block of `beside` ran. It is this machine: for a database on another one it says nothing."""

    def __init__(self, ctx: Context) -> None:
        self._pulse = HostSampler(ctx.clock)
        self._cpus: CpuTimes | None = None
        self._ended = False

    def start(self) -> None:
        """Begins."""
        self._cpus = cpu_times()
        self._pulse.start()

    def end(self) -> None:
        """Ends the sampling if nobody asked for the figures."""
        if not self._ended:
            self._ended = True
            self._pulse.stop()

    def added(self, proof: Proof, connection: Connection) -> Proof:
        """The proof with the host's seconds of its window, where the server still runs and on this machine."""
        if self._ended or proof.window is None:
            return proof
        try:
            if not is_here(connection):
                return proof
            now = connection.snapshot()
        except PlimsollError:
            return proof
        self._ended = True
        hosts, devices = self._pulse.stop(_on_our_clock(now, proof.window.start))
        inside_s = proof.window.duration_s
        hosts = tuple(second for second in hosts if second.start_s < inside_s)
        devices = tuple(second for second in devices if second.start_s < inside_s)
        return proof.model_copy(
            update={
                "host_seconds": hosts,
                "device_seconds": devices,
                "cpu_use": cpu_use(self._cpus, cpu_times(), main_process(connection.server_process)),
                "origin": _with_device(proof.origin, connection, devices, hosts),
            }
        )


@contextmanager
def beside(ctx: Context) -> Iterator[Beside]:
    """Watches the host until the end of the block."""
    watch = Beside(ctx)
    watch.start()
    try:
        yield watch
    finally:
        watch.end()


def _on_our_clock(snapshot: Snapshot, instant: datetime) -> float:
    """An instant of the server's clock on our monotonic one."""
    assert snapshot.monotonic_s is not None, "a live snapshot knows when it was taken"
    return snapshot.monotonic_s + (instant - snapshot.taken_at.astimezone(UTC)).total_seconds()


def _with_device(
    origin: BlockOrigin | None,
    connection: Connection,
    devices: Sequence[DeviceSecond],
    hosts: Sequence[HostSecond],
) -> BlockOrigin | None:
    """The reads of the device beneath the data, by the kernel's count, over the same seconds."""
    folder = data_folder(connection)
    name = None if folder is None else device_beneath(folder)
    span_s = sum(second.duration_s for second in hosts)
    if origin is None or name is None or not span_s:
        return origin
    reads = sum(second.reads_per_s * second.duration_s for second in devices if second.device == name)
    return origin.model_copy(update={"device": name, "device_by_counter_per_s": reads / span_s})


def data_folder(connection: Connection) -> Path | None:
    """Where the server says that its data lie; None where it does not say."""
    found = connection.database.settings.get("data_directory")
    return Path(found) if found else None
