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
    """The run of the collector that took it: only within one can `monotonic_s` be compared."""
    notes: Several[Note] = ()
    """What its session could not see, or the server does not count."""


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
