"""`plimsoll lab tiers`: a slow and a fast tier of storage with a PostgreSQL on the slow one, until somebody asks it to end.

Each tier is a disk of the laboratory, served by a command of its own: this one looks into the file systems on them, and nobody may
wait for answers that he has to give himself. All of it hangs on one mount in the named folder, so that the scratch takes it back
as one: first the server, then that mount with the file systems beneath, then the disks.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from plimsoll.base.errors import ExitStatus, WorldError
from plimsoll.base.units import format_bytes
from plimsoll.context import Context
from plimsoll.databases import embedded
from plimsoll.facts import DiskCounters, Note, ServedTier, ServedTiers
from plimsoll.flows.lab_disk import DISK, empty_folder, refuse_beyond_memory
from plimsoll.placement.tier_text import as_toml
from plimsoll.ports import files, mounts, processes
from plimsoll.requests.lab import TiersRequest
from plimsoll.supply.dialled import parse_law, specification
from plimsoll.supply.tier_latencies import measured_tier

MOUNT_OPTIONS = "noatime"
TIERS_FILE, URL_FILE = "tiers.toml", "url"
"""In the named folder; the URL is written last, once all is ready."""
_PASSWORD_FILE, _TABLESPACE, _COUNTERS = "password", "tablespace", "counters.json"
_MEMORY_BYTES = 1 << 20
_SPAN_SHARE = 0.25
"""Of a tier's disk, that its latencies are measured over: an arm moves as far as within a database that fills it so far."""
_CAPACITY_SHARE = 0.85
"""Of a tier's disk, that is left for a database beside the file system's own and a copy under way."""
_START_S_MAX = 60.0
_LOOK_S = 0.2
_SETTINGS: Mapping[str, str] = {
    # A session may then read as many blocks at once as it asks for, also with a small cache.
    "max_connections": "20",
    # Each query is one session's work, so that what it waits for adds up to its time.
    "max_parallel_workers_per_gather": "0",
    "autovacuum": "off",
    # A load and a move write their pages once, and not a second time into WAL.
    "wal_level": "minimal",
    "max_wal_senders": "0",
    "checkpoint_timeout": "1h",
}
_HINT = "Both tiers need loop devices, mounts and mkfs.ext4 (Debian's package e2fsprogs) on this machine."


@dataclass(frozen=True)
class ServedWhole:
    """What was served, what is to be said of it, and how it ended."""

    tiers: ServedTiers
    notes: tuple[Note, ...] = ()
    status: ExitStatus = ExitStatus.DONE


@dataclass(frozen=True)
class _Wanted:
    """A tier to be made."""

    name: str
    law: str
    size_bytes: int


@dataclass(frozen=True)
class _Disk:
    """The disk beneath a tier, served by another process."""

    wanted: _Wanted
    folder: Path
    server: processes.Process[str]

    def counters(self) -> DiskCounters | None:
        """What it counted until now; None once it does not say."""
        text = files.read_text(self.folder / _COUNTERS)
        return None if text is None else DiskCounters.model_validate_json(text)


def serve_tiers(ctx: Context, asked: TiersRequest) -> ServedWhole:
    """Serves the tiers until the time is over or somebody asks to end; the scratch takes them back.

    Raises UsageError `disk-folder`, `disk-law-unreadable`; WorldError `disk-memory`, `tiers-root`, `tiers-refused`,
    `tier-unmeasured`, and what an embedded database raises.
    """
    wanted = [
        _Wanted("slow", asked.slow_law, asked.slow_size_bytes),
        _Wanted("fast", asked.fast_law, asked.fast_size_bytes),
    ]
    for one in wanted:
        specification(parse_law(one.law), one.size_bytes, asked.seed)
    folder = empty_folder(Path(asked.folder))
    _check_rights()
    refuse_beyond_memory(sum(one.size_bytes for one in wanted), "--slow-size or --fast-size")
    disks = [_served_disk(ctx, one, asked.seed) for one in wanted]
    _mount_all(ctx, folder, disks)
    tiers = [_measured(ctx, folder, disk) for disk in disks]
    tiers_file = folder / TIERS_FILE
    files.write_new(tiers_file, as_toml([one.tier for one in tiers]))
    cache = f"{asked.cache_bytes >> 10}kB"
    # Nothing beneath the server caches its data files, and the planner must not think so.
    settings = {**_SETTINGS, "shared_buffers": cache, "effective_cache_size": cache}
    with embedded.running(ctx, folder / "slow", settings) as server:
        url = embedded.url_by_file(server, folder / _PASSWORD_FILE)
        _make_tablespaces(ctx, server, tiers)
        files.write_new(folder / URL_FILE, f"{url}\n")
        _tell(ctx, url, tiers_file, tiers, asked.seconds)
        began_s = ctx.clock.monotonic_s()
        ended = _wait(ctx, {"the database": server.process, **_servers(disks)}, asked.seconds)
        served_s = ctx.clock.monotonic_s() - began_s
    counted = tuple(
        tier.model_copy(update={"counters": disk.counters()}) for tier, disk in zip(tiers, disks, strict=True)
    )
    served = ServedTiers(
        url=url, tiers_file=str(tiers_file), tiers=counted, seed=asked.seed, served_s=served_s
    )
    return ServedWhole(served, _notes(ended), ExitStatus.DONE_IN_PART if ended else ExitStatus.DONE)


def _check_rights() -> None:
    if not processes.is_root():
        message = "cannot put file systems on loop devices and mount them without root's rights"
        raise WorldError("tiers-root", message, "Run it as root, on a machine where root may mount.")


def _servers(disks: list[_Disk]) -> dict[str, processes.Process[str]]:
    return {f"the disk of tier {disk.wanted.name}": disk.server for disk in disks}


def _served_disk(ctx: Context, wanted: _Wanted, seed: int) -> _Disk:
    """A disk served by a command of its own, once it is there."""
    ctx.progress("lab", f"filling the disk of tier {wanted.name}")
    work = ctx.scratch.new_folder(embedded.default_folder(), "tier")
    folder, log_path = files.ensure_folder(work / DISK), work / "log"
    words = ["--law", wanted.law, "--size", str(wanted.size_bytes), "--seed", str(seed)]
    with files.open_output(log_path) as log:
        command = [sys.executable, "-m", "plimsoll", "lab", "disk", str(folder), *words]
        server = ctx.scratch.start(command, folder=work, stderr=log)
    disk = _Disk(wanted, folder, server)
    deadline_s = ctx.clock.monotonic_s() + _START_S_MAX
    while not os.path.exists(folder / DISK):
        ctx.cancel.check()
        if server.poll() is not None or ctx.clock.monotonic_s() > deadline_s:
            said = " ".join((files.read_text(log_path) or "nothing").split())
            raise _refused(f"could not serve the disk of tier {wanted.name}: {said}")
        ctx.clock.sleep(_LOOK_S)
    return disk


def _refused(message: str) -> WorldError:
    return WorldError("tiers-refused", message, _HINT)


def _mount_all(ctx: Context, folder: Path, disks: list[_Disk]) -> None:
    """One mount in memory over the folder, and in it those of the tiers: whoever takes it away takes them with it."""
    try:
        mounts.mount_memory(str(folder), ctx.scratch.mounting(folder, "tiers"), _MEMORY_BYTES)
        for disk in disks:
            ctx.progress("lab", f"making the file system of tier {disk.wanted.name}")
            point = files.ensure_folder(folder / disk.wanted.name)
            mounts.make_file_system(str(disk.folder / DISK))
            mounts.mount_file(str(disk.folder / DISK), str(point), MOUNT_OPTIONS)
    except OSError as error:
        raise _refused(f"could not make the tiers in {folder}: {error.strerror or error}") from error


def _measured(ctx: Context, folder: Path, disk: _Disk) -> ServedTier:
    wanted = disk.wanted
    place = folder / wanted.name
    tier = measured_tier(
        ctx,
        wanted.name,
        place,
        span_bytes=int(wanted.size_bytes * _SPAN_SHARE),
        capacity_bytes=int(wanted.size_bytes * _CAPACITY_SHARE),
    )
    return ServedTier(
        tier=tier,
        tablespace=wanted.name,
        folder=str(place),
        mount_options=MOUNT_OPTIONS,
        size_bytes=wanted.size_bytes,
        law=wanted.law,
    )


def _make_tablespaces(ctx: Context, server: embedded.Server, tiers: list[ServedTier]) -> None:
    """One on each tier; what nobody says otherwise of lies on the slow one, temporary files as well."""
    with embedded.connected(ctx, server) as connection:
        session = connection.session("plimsoll lab")
        try:
            for tier in tiers:
                place = embedded.hand_over(server, Path(tier.folder), _TABLESPACE)
                session.run(f"create tablespace {tier.tablespace} location '{place}'")
            for setting in ("default_tablespace", "temp_tablespaces"):
                session.run(f"alter database postgres set {setting} = '{tiers[0].tablespace}'")
        finally:
            session.close()


def _tell(ctx: Context, url: str, tiers_file: Path, tiers: list[ServedTier], seconds: float | None) -> None:
    until = "until Ctrl-C" if seconds is None else f"for {seconds:g} s"
    ctx.remark("lab", f"serving {url} {until}")
    ctx.remark("lab", f"the tiers are described in {tiers_file}")
    for one in tiers:
        size = format_bytes(one.size_bytes)
        ctx.remark("lab", f"tablespace {one.tablespace} in {one.folder}: {size}, {one.law}")


def _wait(ctx: Context, watched: Mapping[str, processes.Process[str]], seconds: float | None) -> list[str]:
    """Which of them ended by themselves, as soon as one did; none when it was served for as long as was asked."""
    deadline_s = None if seconds is None else ctx.clock.monotonic_s() + seconds
    while not (ended := [name for name, process in watched.items() if process.poll() is not None]):
        left_s = _LOOK_S if deadline_s is None else min(_LOOK_S, deadline_s - ctx.clock.monotonic_s())
        if left_s <= 0 or ctx.cancel.wait(left_s):
            return []
    return ended


def _notes(ended: list[str]) -> tuple[Note, ...]:
    return tuple(
        Note(code="tiers-ended", message=f"{name} ended by itself, and the tiers were served until then")
        for name in ended
    )
