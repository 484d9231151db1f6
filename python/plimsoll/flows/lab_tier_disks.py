"""The disks beneath the tiers of `plimsoll lab tiers`, and the file systems on them.

By law each disk is served by a command of its own: this process looks into the file systems on them, and nobody may wait for
answers that he has to give himself. By throttle each is a file in memory, which costs no time of its own. All file systems hang on
one mount in the named folder, so that the scratch takes them back as one.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from plimsoll.base.errors import WorldError
from plimsoll.base.units import format_bytes, format_mb, format_rate
from plimsoll.context import Context
from plimsoll.databases import embedded
from plimsoll.facts import DeviceCap, DeviceTraffic, DiskCounters
from plimsoll.flows.lab_disk import DISK
from plimsoll.host.device_counts import SECTOR_BYTES, DeviceCounts, counts_beneath
from plimsoll.ports import files, mounts, processes

MOUNT_OPTIONS = "noatime"
_COUNTERS = "counters.json"
_MEMORY_BYTES = 1 << 20
"""For what lies beside the tiers in the named folder."""
_START_S_MAX = 60.0
_LOOK_S = 0.2
_PACKAGES = "mkfs.ext4 is in Debian's package e2fsprogs, losetup and mount are in mount; `modprobe loop` makes loop devices."


@dataclass(frozen=True)
class Wanted:
    """A tier to be made: by a law, or in memory, with a cap or without one."""

    name: str
    size_bytes: int
    law: str | None = None
    cap: DeviceCap | None = None

    @property
    def words(self) -> str:
        """`2 GiB, law=seek`."""
        return f"{format_bytes(self.size_bytes)}, {words_of(self.law, self.cap)}"


def words_of(law: str | None, cap: DeviceCap | None) -> str:
    """What makes a tier as slow as it is."""
    if law is not None:
        return law
    if cap is None:
        return "as fast as memory"
    rate = None if cap.iops is None else f"{format_rate(cap.iops)} reads and as many writes"
    amount = None if cap.mb_per_s is None else f"{format_mb(cap.mb_per_s)} MB read and as many written"
    return f"at most {', and '.join(one for one in (rate, amount) if one)} per second, without latency"


@dataclass(frozen=True)
class Disk:
    """What lies beneath a tier: `image` is the file that is its device."""

    wanted: Wanted
    image: Path
    server: processes.Process[str] | None = None
    """Serves it by its law; None: the file is in memory."""

    def counters(self) -> DiskCounters | None:
        """What it counted until now; None where it has no law, and once it does not say."""
        text = None if self.server is None else files.read_text(self.image.with_name(_COUNTERS))
        return None if text is None else DiskCounters.model_validate_json(text)


@dataclass(frozen=True)
class Mounted:
    """A tier's file system, and the loop device that it is on."""

    disk: Disk
    point: Path
    device: str
    number: str

    @property
    def wanted(self) -> Wanted:
        """What was to be made."""
        return self.disk.wanted

    def counts(self) -> DeviceCounts | None:
        """What the kernel has counted at the device; None where it does not say."""
        found = counts_beneath(Path(self.device))
        return None if found is None else found[1]


def traffic(before: DeviceCounts | None, after: DeviceCounts | None) -> DeviceTraffic | None:
    """What reached a device between two looks."""
    if before is None or after is None:
        return None
    return DeviceTraffic(
        reads=after.reads - before.reads,
        writes=after.writes - before.writes,
        read_bytes=(after.read_sectors - before.read_sectors) * SECTOR_BYTES,
        write_bytes=(after.write_sectors - before.write_sectors) * SECTOR_BYTES,
    )


def check_means() -> None:
    """Raises WorldError `tiers-root`, `tiers-loop`."""
    if not processes.is_root():
        message = "cannot put file systems on loop devices and mount them without root's rights"
        raise WorldError("tiers-root", message, "Run it as root, on a machine where root may mount.")
    missing = mounts.missing_for_files()
    if missing is not None:
        raise WorldError("tiers-loop", f"cannot make a device of a file: {missing}", _PACKAGES)


def disk_of(ctx: Context, folder: Path, wanted: Wanted, seed: int) -> Disk:
    """The disk, which is there already if it has a law, and else once the file systems are made.

    Raises WorldError `tiers-refused`, and what the scratch raises.
    """
    if wanted.law is None:
        return Disk(wanted, folder / f"{wanted.name}.{DISK}")
    return _served(ctx, wanted, wanted.law, seed)


def _served(ctx: Context, wanted: Wanted, law: str, seed: int) -> Disk:
    """A disk served by a command of its own, once it is there."""
    ctx.progress("lab", f"filling the disk of tier {wanted.name}")
    work = ctx.scratch.new_folder(embedded.default_folder(), "tier")
    folder, log_path = files.ensure_folder(work / DISK), work / "log"
    words = ["--law", law, "--size", str(wanted.size_bytes), "--seed", str(seed)]
    with files.open_output(log_path) as log:
        command = [sys.executable, "-m", "plimsoll", "lab", "disk", str(folder), *words]
        server = ctx.scratch.start(command, folder=work, stderr=log)
    disk = Disk(wanted, folder / DISK, server)
    deadline_s = ctx.clock.monotonic_s() + _START_S_MAX
    while not os.path.exists(disk.image):
        ctx.cancel.check()
        if server.poll() is not None or ctx.clock.monotonic_s() > deadline_s:
            said = " ".join((files.read_text(log_path) or "nothing").split())
            raise refused(f"could not serve the disk of tier {wanted.name}: {said}")
        ctx.clock.sleep(_LOOK_S)
    return disk


def refused(message: str) -> WorldError:
    """What the system did not let us make."""
    hint = "Both tiers need loop devices and mounts on this machine; in a container, run it on the host."
    return WorldError("tiers-refused", message, hint)


def mount_all(ctx: Context, folder: Path, disks: Sequence[Disk]) -> list[Mounted]:
    """One mount in memory over the folder, and in it those of the tiers: whoever takes it away takes them with it.

    Raises WorldError `tiers-refused`.
    """
    held_bytes = sum(disk.wanted.size_bytes for disk in disks if disk.server is None)
    try:
        mounts.mount_memory(str(folder), ctx.scratch.mounting(folder, "tiers"), _MEMORY_BYTES + held_bytes)
        return [_mounted(ctx, folder, disk) for disk in disks]
    except OSError as error:
        raise refused(f"could not make the tiers in {folder}: {error.strerror or error}") from error


def _mounted(ctx: Context, folder: Path, disk: Disk) -> Mounted:
    ctx.progress("lab", f"making the file system of tier {disk.wanted.name}")
    is_in_memory = disk.server is None
    if is_in_memory:
        files.allocate(disk.image, disk.wanted.size_bytes)
    point = files.ensure_folder(folder / disk.wanted.name)
    mounts.make_file_system(str(disk.image))
    made = mounts.mount_file(str(disk.image), str(point), MOUNT_OPTIONS, is_in_memory)
    return Mounted(disk, point, made.source, made.device)
