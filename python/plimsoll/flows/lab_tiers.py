"""`plimsoll lab tiers`: a slow and a fast tier of storage with a PostgreSQL on the slow one, until somebody asks it to end.

The server, and whoever measures the tiers for it, are in control groups where the slow tier is capped or the page cache bounded.
The scratch takes back what was made in reverse order: first the server, then its control groups, then the mount with the file
systems, then the disks.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass
from pathlib import Path

from plimsoll.base.errors import ExitStatus, UsageError
from plimsoll.base.units import format_bytes
from plimsoll.context import Context
from plimsoll.databases import embedded
from plimsoll.facts import DeviceCap, Note, ServedTier, ServedTiers
from plimsoll.flows import lab_tier_disks
from plimsoll.flows.lab_disk import empty_folder, refuse_beyond_memory
from plimsoll.flows.lab_tier_disks import Disk, Mounted, Wanted
from plimsoll.host import control_groups
from plimsoll.host.control_groups import Group
from plimsoll.host.device_counts import DeviceCounts
from plimsoll.placement.tier_text import as_toml
from plimsoll.ports import files, processes
from plimsoll.ports.control_groups import BLOCK_IO, MEMORY, Controller, Place
from plimsoll.requests.lab import TiersRequest
from plimsoll.supply.dialled import parse_law, specification
from plimsoll.supply.tier_latencies import measured_tier

TIERS_FILE, URL_FILE = "tiers.toml", "url"
"""In the named folder; the URL is written last, once all is ready."""
_PASSWORD_FILE, _TABLESPACE = "password", "tablespace"
_SPAN_SHARE = 0.25
"""Of a tier's disk, that its latencies are measured over: an arm moves as far as within a database that fills it so far."""
_CAPACITY_SHARE = 0.85
"""Of a tier's disk, that is left for a database beside the file system's own and a copy under way."""
_SERVER_BYTES_MIN = 48 << 20
"""What the server holds beside its cache, with a few sessions and some pages of files."""
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


@dataclass(frozen=True)
class ServedWhole:
    """What was served, what is to be said of it, and how it ended."""

    tiers: ServedTiers
    notes: tuple[Note, ...] = ()
    status: ExitStatus = ExitStatus.DONE


@dataclass(frozen=True)
class _Bounds:
    """The control groups of the server, by what they bound; none where nothing is."""

    groups: Mapping[Controller, Group]

    def inside(self) -> AbstractContextManager[None]:
        """This process, and what it starts meanwhile, are bounded until the end of the block."""
        return control_groups.inside(tuple(dict.fromkeys(self.groups.values())))

    def page_cache_bytes(self) -> int | None:
        """What files hold in memory of what is bounded."""
        return self.groups[MEMORY].page_cache_bytes() if MEMORY in self.groups else None


def serve_tiers(ctx: Context, asked: TiersRequest) -> ServedWhole:
    """Serves the tiers until the time is over or somebody asks to end; the scratch takes them back.

    Raises UsageError `disk-folder`, `disk-law-unreadable`, `tiers-bound`; WorldError `disk-memory`, `tiers-root`, `tiers-loop`,
    `control-group-missing`, `control-group-refused`, `tiers-refused`, `tier-unmeasured`, and what an embedded database raises.
    """
    wanted = _wanted(asked)
    _check_bound(asked)
    folder = empty_folder(Path(asked.folder))
    lab_tier_disks.check_means()
    places = control_groups.places(_controllers(asked))
    held_bytes = sum(one.size_bytes for one in wanted) + (asked.buffered_bytes or 0)
    refuse_beyond_memory(held_bytes, "--slow-size, --fast-size or --buffered")
    disks = [lab_tier_disks.disk_of(ctx, folder, one, asked.seed) for one in wanted]
    mounted = lab_tier_disks.mount_all(ctx, folder, disks)
    bounds = _bounds(ctx, asked, places, mounted)
    tiers = [_measured(ctx, one, bounds) for one in mounted]
    tiers_file = folder / TIERS_FILE
    files.write_new(tiers_file, as_toml([one.tier for one in tiers]))
    with ExitStack() as stack:
        with bounds.inside():
            server = stack.enter_context(embedded.running(ctx, mounted[0].point, _settings(asked)))
        url = embedded.url_by_file(server, folder / _PASSWORD_FILE)
        _make_tablespaces(ctx, server, tiers)
        files.write_new(folder / URL_FILE, f"{url}\n")
        _tell(ctx, url, tiers_file, asked, mounted)
        began_s, before = ctx.clock.monotonic_s(), [one.counts() for one in mounted]
        ended = _wait(ctx, {"the database": server.process, **_servers(disks)}, asked.seconds)
        served_s = ctx.clock.monotonic_s() - began_s
        page_cache_bytes = bounds.page_cache_bytes()
    served = ServedTiers(
        url=url,
        tiers_file=str(tiers_file),
        tiers=_counted(tiers, mounted, before),
        by=asked.by,
        buffered_bytes=asked.buffered_bytes,
        page_cache_bytes=page_cache_bytes,
        seed=asked.seed,
        served_s=served_s,
    )
    notes = (*_notes_of(asked), *_notes_of_ended(ended))
    return ServedWhole(served, notes, ExitStatus.DONE_IN_PART if ended else ExitStatus.DONE)


def _counted(
    tiers: Sequence[ServedTier], mounted: Sequence[Mounted], before: Sequence[DeviceCounts | None]
) -> tuple[ServedTier, ...]:
    """The tiers with what their disks and devices counted."""
    return tuple(
        tier.model_copy(
            update={
                "counters": one.disk.counters(),
                "at_device": lab_tier_disks.traffic(counts, one.counts()),
            }
        )
        for tier, one, counts in zip(tiers, mounted, before, strict=True)
    )


def _wanted(asked: TiersRequest) -> list[Wanted]:
    """The slow tier, then the fast one. Raises UsageError `disk-law-unreadable`."""
    sizes = {"slow": asked.slow_size_bytes, "fast": asked.fast_size_bytes}
    if asked.by == "throttle":
        cap = DeviceCap(iops=asked.slow_iops, mb_per_s=asked.slow_mb_per_s)
        return [Wanted(name, size, cap=cap if name == "slow" else None) for name, size in sizes.items()]
    laws = {"slow": asked.slow_law, "fast": asked.fast_law}
    for name, size in sizes.items():
        specification(parse_law(laws[name]), size, asked.seed)
    return [Wanted(name, size, law=laws[name]) for name, size in sizes.items()]


def _check_bound(asked: TiersRequest) -> None:
    """Raises UsageError `tiers-bound` where the server itself would take all that it is bound to."""
    least_bytes = asked.cache_bytes + _SERVER_BYTES_MIN
    if asked.buffered_bytes is not None and asked.buffered_bytes < least_bytes:
        message = (
            f"--buffered: {format_bytes(asked.buffered_bytes)} leave nothing for pages of files beside a server with a "
            f"cache of {format_bytes(asked.cache_bytes)}"
        )
        hint = f"Give at least {format_bytes(least_bytes)}, or less with --cache."
        raise UsageError("tiers-bound", message, hint)


def _controllers(asked: TiersRequest) -> list[Controller]:
    """Whose control groups are needed."""
    wanted = {BLOCK_IO: asked.by == "throttle", MEMORY: asked.buffered_bytes is not None}
    return [one for one, is_wanted in wanted.items() if is_wanted]


def _bounds(
    ctx: Context, asked: TiersRequest, places: Mapping[Controller, Place], mounted: Sequence[Mounted]
) -> _Bounds:
    groups = control_groups.new_groups(ctx.scratch, places, "tiers")
    for one in mounted:
        if one.wanted.cap is not None:
            groups[BLOCK_IO].cap(one.number, one.wanted.cap)
    if asked.buffered_bytes is not None:
        groups[MEMORY].bound_memory(asked.buffered_bytes)
    return _Bounds(groups)


def _settings(asked: TiersRequest) -> Mapping[str, str]:
    """What caches the server's data files is its own cache, or all that it is bound to; the planner must think so, too."""
    cached_bytes = asked.buffered_bytes or asked.cache_bytes
    sizes = {
        "shared_buffers": f"{asked.cache_bytes >> 10}kB",
        "effective_cache_size": f"{cached_bytes >> 10}kB",
    }
    direct = {} if asked.buffered_bytes is None else {"debug_io_direct": ""}
    return {**_SETTINGS, **sizes, **direct}


def _servers(disks: Sequence[Disk]) -> dict[str, processes.Process[str]]:
    return {f"the disk of tier {disk.wanted.name}": disk.server for disk in disks if disk.server is not None}


def _measured(ctx: Context, mounted: Mounted, bounds: _Bounds) -> ServedTier:
    wanted = mounted.wanted
    tier = measured_tier(
        ctx,
        wanted.name,
        mounted.point,
        span_bytes=int(wanted.size_bytes * _SPAN_SHARE),
        capacity_bytes=int(wanted.size_bytes * _CAPACITY_SHARE),
        bounds=bounds.inside,
    )
    return ServedTier(
        tier=tier,
        tablespace=wanted.name,
        folder=str(mounted.point),
        mount_options=lab_tier_disks.MOUNT_OPTIONS,
        size_bytes=wanted.size_bytes,
        law=wanted.law,
        cap=wanted.cap,
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


def _tell(ctx: Context, url: str, tiers_file: Path, asked: TiersRequest, mounted: Sequence[Mounted]) -> None:
    until = "until Ctrl-C" if asked.seconds is None else f"for {asked.seconds:g} s"
    ctx.remark("lab", f"serving {url} {until}")
    ctx.remark("lab", f"the tiers are described in {tiers_file}")
    for one in mounted:
        ctx.remark("lab", f"tablespace {one.wanted.name} in {one.point}: {one.wanted.words}")
    if asked.buffered_bytes is not None:
        bound = format_bytes(asked.buffered_bytes)
        ctx.remark(
            "lab", f"the server reads through the page cache, all of which and its own memory have {bound}"
        )


def _wait(ctx: Context, watched: Mapping[str, processes.Process[str]], seconds: float | None) -> list[str]:
    """Which of them ended by themselves, as soon as one did; none when it was served for as long as was asked."""
    deadline_s = None if seconds is None else ctx.clock.monotonic_s() + seconds
    while not (ended := [name for name, process in watched.items() if process.poll() is not None]):
        left_s = _LOOK_S if deadline_s is None else min(_LOOK_S, deadline_s - ctx.clock.monotonic_s())
        if left_s <= 0 or ctx.cancel.wait(left_s):
            return []
    return ended


def _notes_of(asked: TiersRequest) -> tuple[Note, ...]:
    """What whoever plans by these tiers has to know of them."""
    notes = []
    if asked.by == "throttle":
        message = (
            "the slow tier is capped and has no latency of its own: whoever asks for less than the cap hardly waits, and the "
            "latencies in tiers.toml are those of one who asks without a pause"
        )
        notes.append(Note(code="tiers-capped", message=message))
    if asked.buffered_bytes is not None:
        message = (
            f"the server reads through the page cache: {format_bytes(asked.buffered_bytes)} bound its processes, its own cache and "
            "the pages of its files on both tiers together"
        )
        notes.append(Note(code="tiers-buffered", message=message))
    return tuple(notes)


def _notes_of_ended(ended: list[str]) -> tuple[Note, ...]:
    return tuple(
        Note(code="tiers-ended", message=f"{name} ended by itself, and the tiers were served until then")
        for name in ended
    )
