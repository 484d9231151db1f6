"""What sessions were at: time at work and idle within a transaction, and what they waited for where that was sampled."""

from __future__ import annotations

from plimsoll.base import limits
from plimsoll.base.units import format_rate, format_share
from plimsoll.charts import Table
from plimsoll.facts import Demand
from plimsoll.results._activity._counts import Counts, said
from plimsoll.results._activity._section import ActivitySection, nobody, unknown
from plimsoll.results._blocks import Block, Grid

_MS_PER_S = 1000


def _blocks(demand: Demand) -> list[Block]:
    counts = Counts(demand)
    timed = (
        ("at work", counts.of("pg_stat_database.active_time")),
        ("idle within a transaction", counts.of("pg_stat_database.idle_in_transaction_time")),
    )
    rows = tuple((label, said(counts.per_s(_seconds(total)))) for label, total in timed)
    table = Table(("sessions", "on average"), rows, (False, True))
    return [Grid("Sessions, by the server's own count of their time", table), *_waits(demand)]


def _seconds(milliseconds: float | None) -> float | None:
    return None if milliseconds is None else milliseconds / _MS_PER_S


def _waits(demand: Demand) -> list[Block]:
    seconds: dict[str, float] = {}
    sampled_s = 0.0
    for one in demand.intervals:
        if one.gap is None and one.sessions_at_work is not None:
            sampled_s += one.duration_s
            for name, sessions in one.sessions_at_work.items():
                seconds[name] = seconds.get(name, 0.0) + sessions * one.duration_s
    if not sampled_s and demand.rows is not None and demand.rows.waits is not None:
        return []  # a section of its own tells them
    if not sampled_s:
        why = f"they are looked at where snapshots are at most {limits.AT_WORK_S_MAX:g} s apart, by a login that sees others"
        return [unknown("What sessions waited for", why)]
    total_s = sum(seconds.values())
    if not total_s:
        return [nobody("What sessions waited for", "any of the looks that were taken with the snapshots")]
    rows = tuple(
        (name, format_rate(spent_s / sampled_s), format_share(spent_s / total_s))
        for name, spent_s in sorted(seconds.items(), key=lambda item: -item[1])
        if spent_s
    )
    table = Table(("at work, and waiting for", "sessions", "share"), rows, (False, True, True))
    return [Grid("What sessions at work waited for, sampled with each snapshot; cpu: for nothing", table)]


SECTION = ActivitySection(30, _blocks)
