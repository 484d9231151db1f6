"""Others at work on the storage while it was measured: a line is then of what they left over."""

from __future__ import annotations

from plimsoll.facts._fact import Fact, Text


class Shared(Fact):
    """Who else used the device, what they moved, and what was watched so that they were not hurt. Unknown is None.

    Latencies are means of others' I/Os: before the load, and the highest of any step of it.
    """

    devices: tuple[str, ...] = ()
    databases: tuple[Text, ...] = ()
    """Running databases with files there, in words."""
    others_iops: float | None = None
    """I/Os per second of others."""
    others_mb_per_s: float | None = None
    """Megabytes (10^6 bytes) per second of others."""
    watched: tuple[Text, ...] = ()
    """What was looked at while the load stepped up; empty: nothing, for no database was there."""
    latency_us_before: float | None = None
    """Mean latency of others' I/Os before the load, in microseconds."""
    latency_us_most: float | None = None
    """The highest mean of any step of the load, in microseconds."""
    stopped: Text | None = None
    """Why the load was ended before the objective was missed; None where it was not."""

    @property
    def words(self) -> str:
        """Who they were, as a clause."""
        who = " and ".join(self.databases) or "others"
        where = f" on {', '.join(self.devices)}" if self.devices else ""
        if not self.others_iops and not self.others_mb_per_s:
            return f"{who}{where}"
        return f"{who}{where}, with {self.others_iops or 0:,.0f} I/Os and {self.others_mb_per_s or 0:,.1f} MB a second of their own"
