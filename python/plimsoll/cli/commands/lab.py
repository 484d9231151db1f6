"""The verbs of `lab`: things with known properties, to try measurements on."""

from __future__ import annotations

from typing import TYPE_CHECKING

from plimsoll.cli.asking import asks
from plimsoll.cli.group import Group
from plimsoll.cli.output import say

if TYPE_CHECKING:
    from plimsoll.cli.place import Place
    from plimsoll.facts import DiskTimes, ServedDisk, ServedTiers, Tier
    from plimsoll.requests.lab import DiskRequest, TiersRequest

task = "measure"
command = Group("Serve storage of known speed, to test measurements on.")


@command.command("disk")
@asks("lab.DiskRequest")
def serve_disk(asked: DiskRequest, place: Place) -> int:
    """Serve a disk whose service times follow a law, or a mirror of two laws, as a file in a mounted folder.

    Reads and writes are real, and are answered when the law says so, never earlier. It takes /dev/fuse, and root or fusermount3.
    """
    from plimsoll.cli.session import session
    from plimsoll.flows.lab_disk import serve_disk

    with session(place) as here:
        served = serve_disk(here.ctx, asked)
        return here.finish(
            "lab-disk",
            served.disk.model_dump(mode="json"),
            lambda: _show(served.disk),
            served.notes,
            served.status,
        )


@command.command("tiers")
@asks("lab.TiersRequest")
def serve_tiers(asked: TiersRequest, place: Place) -> int:
    """Serve a slow and a fast tier of storage, with a PostgreSQL on the slow one, to try placements on.

    Each tier is a disk of dialled speed, or one in memory of which the slow one is capped, with a file system and a tablespace. Its
    latencies are measured and written as tiers.toml. It takes root and loop devices, /dev/fuse for laws, control groups for a cap
    and a bound; all of it is removed at the end.
    """
    from plimsoll.cli.session import session
    from plimsoll.flows.lab_tiers import serve_tiers

    with session(place) as here:
        served = serve_tiers(here.ctx, asked)
        return here.finish(
            "lab-tiers",
            served.tiers.model_dump(mode="json"),
            lambda: _show_tiers(served.tiers),
            served.notes,
            served.status,
        )


def _show_tiers(tiers: ServedTiers) -> None:
    from plimsoll.base.units import format_bytes, format_seconds
    from plimsoll.flows.lab_tier_disks import words_of

    say(f"{tiers.url}: {format_seconds(tiers.served_s)}")
    for one in tiers.tiers:
        say(f"  {one.tablespace:5} {_tier(one.tier)}; {words_of(one.law, one.cap)}")
        if one.at_device is not None:
            say(f"        {one.at_device.reads:,} reads, {one.at_device.writes:,} writes at its device")
    if tiers.page_cache_bytes is not None:
        say(f"  files in the page cache at the end: {format_bytes(tiers.page_cache_bytes)}")


def _tier(tier: Tier) -> str:
    from plimsoll.base.units import format_us

    kinds = {"small read": tier.small_read_us, "large read": tier.large_read_us, "write": tier.small_write_us}
    return ", ".join(f"{name} {format_us(points[0].latency_us)}" for name, points in kinds.items())


def _show(disk: ServedDisk) -> None:
    from plimsoll.base.units import format_bytes, format_seconds

    counted = disk.counters
    mirrored = "" if disk.mirror_law is None else f" mirrored on {disk.mirror_law}"
    say(f"{disk.path}: {format_seconds(disk.served_s)}, {disk.law}{mirrored}")
    say(f"  reads    {counted.reads:,}, {format_bytes(counted.read_bytes)}")
    say(f"  writes   {counted.writes:,}, {format_bytes(counted.write_bytes)}")
    say(f"  flushes  {counted.flushes:,}")
    say(f"  busy     {format_seconds(counted.busy_s)}; at most {counted.in_flight_max:,} at a time")
    say(f"  by the law       {_times(counted.latency_us)}")
    say(f"  answered late by {_times(counted.late_us)}")
    for name, side in zip(("first", "second"), counted.sides, strict=False):
        say(f"  {name} side: {side.reads:,} reads, {side.writes:,} writes, {_times(side.latency_us)}")


def _times(times: DiskTimes) -> str:
    from plimsoll.base.units import format_us

    shown = {"mean": times.mean, "p50": times.p50, "p99": times.p99, "max": times.max}
    return ", ".join(f"{name} {format_us(us)}" for name, us in shown.items())
