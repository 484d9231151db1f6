"""Snapshots that a collector keeps in the store, one after the other, so that intervals are made of them later."""

from __future__ import annotations

from datetime import datetime

from plimsoll.facts._fact import Fact, Note, Several
from plimsoll.facts.demand import Database
from plimsoll.facts.snapshot import Snapshot


class KeptSnapshot(Fact):
    """A snapshot as the store keeps it, one of a series, with the settings of that moment."""

    series: str
    """What is watched: user, host, port and database, as the collector was told."""
    database: Database
    """Which database answered, and its settings at that moment."""
    snapshot: Snapshot
    """Its counters."""
    collector: str
    """The run of the collector that took it: within one, intervals are as long as `monotonic_s` says."""
    boot: str | None = None
    """Which start of the collector's machine it was, by its kernel: so long two runs have one monotonic clock. None: not known."""
    reverts: int = 0
    """How often that machine was put back to an earlier state since it was started, as a virtual machine can be: each time its
    monotonic clock goes on from there, and so do counters of its server."""
    notes: Several[Note] = ()
    """What its session could not see, or the server does not count."""
    removed_after: int = 0
    """Snapshots that followed it and were removed as they aged: the interval from it to the next one is the sum of theirs."""


class SnapshotSeries(Fact):
    """A series of kept snapshots, in short."""

    series: str
    """What is watched: user, host, port and database, as the collector was told."""
    snapshots: int
    """How many are kept."""
    first_at: datetime
    """When the oldest of them was taken, by the server's clock."""
    last_at: datetime
    """When the newest of them was taken, by the server's clock."""
    size_bytes: int
    """What they take in the store."""


class ThinnedSeries(Fact):
    """What thinning did with a series of kept snapshots, or would do."""

    series: str
    """What is watched: user, host, port and database, as the collector was told."""
    snapshots: int
    """How many were kept before."""
    removed: int
    """How many of them were removed, so that their intervals were added up to longer ones."""
    forgotten: int
    """How many were removed because they were older than what was to be kept."""
    days: int
    """How many days were changed."""
    size_bytes_before: int
    """What the series took in the store before."""
    size_bytes: int | None
    """What it takes now; None where it was only looked at."""
