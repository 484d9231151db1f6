"""Counts of a span in the words of its rows: in all, by the second, for each of something."""

from __future__ import annotations

from collections.abc import Callable

from plimsoll.base.units import format_rate
from plimsoll.demand.amounts import plus
from plimsoll.facts import Demand

_SMALL = 0.001
Format = Callable[[float], str]


class Counts:
    """The server's counts over the known intervals of a demand; None is unknown."""

    def __init__(self, demand: Demand) -> None:
        assert demand.mean is not None, "the caller has looked"
        self._counts = demand.counts
        self.seconds = demand.mean.duration_s
        self.block_bytes = demand.database.block_bytes or 8192
        self.major = demand.database.version_number // 10000

    def of(self, *names: str) -> float | None:
        """The first of these counts that there is: releases have other names for some."""
        return next((self._counts[name] for name in names if name in self._counts), None)

    @property
    def transactions(self) -> float | None:
        """Those that committed, and those that were rolled back."""
        return plus(self.of("pg_stat_database.xact_commit"), self.of("pg_stat_database.xact_rollback"))

    @property
    def checkpoints_timed(self) -> float | None:
        """Checkpoints that the clock began."""
        return self.of("pg_stat_checkpointer.num_timed", "pg_stat_bgwriter.checkpoints_timed")

    @property
    def checkpoints_requested(self) -> float | None:
        """Checkpoints that the log, or a command, asked for."""
        return self.of("pg_stat_checkpointer.num_requested", "pg_stat_bgwriter.checkpoints_req")

    @property
    def checkpoints(self) -> float | None:
        """Of both kinds."""
        return plus(self.checkpoints_timed, self.checkpoints_requested)

    def per_s(self, value: float | None) -> float | None:
        """For each second that is known."""
        return None if value is None else value / self.seconds


def ratio(value: float | None, each: float | None) -> float | None:
    """The one for each of the other; None where either is unknown, or there was none."""
    return None if value is None or not each else value / each


def said(value: float | None, words: Format = format_rate) -> str:
    """The value in words, or that it is unknown; what is not nothing never reads as 0."""
    if value is None:
        return "unknown"
    return f"< {_SMALL}" if words is format_rate and 0 < value < _SMALL else words(value)


def said_each(value: float | None, each: float | None, words: Format = format_rate) -> str:
    """The one for each of the other in words; `none` where there was none of the other."""
    return "none" if each == 0 else said(ratio(value, each), words)


def whole(count: float) -> str:
    """A count to the last digit."""
    return f"{count:,.0f}"
