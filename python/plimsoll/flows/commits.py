"""`plimsoll commits`: what commits of this host wait for, until it is ended."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from plimsoll.base.errors import WorldError
from plimsoll.base.units import format_seconds
from plimsoll.context import Context
from plimsoll.demand.pacing import Pace
from plimsoll.facts import CommitsOfRole, CommitWaits, Note, Run
from plimsoll.flows.record import get_ready, record
from plimsoll.native import commit_probe
from plimsoll.observe import log_flushes, roles
from plimsoll.observe.commit_causes import causes_of
from plimsoll.observe.commits import CommitTally
from plimsoll.observe.log_flushes import LogFlushProbe, LogFlushTurns
from plimsoll.requests.commits import CommitsRequest

if TYPE_CHECKING:
    from plimsoll.native.commit_probe import CommitCounts, CommitProbe, CommitRow

STEP_S = 1.0
_ROLES_TOLD_MAX = 20
_KERNEL_MIN = (6, 1)
_STAGE = "commits"
_SESSIONS = (roles.CLIENT_BACKEND, "postgres")
"""Roles of PostgreSQL's sessions, the second where their title was not read."""


class CommitReadings(LogFlushProbe, Protocol):
    """What reads the probe."""

    def read(self) -> tuple[list[CommitRow], CommitCounts]:
        """What was added since the reading before."""
        ...


@dataclass(frozen=True)
class InKernel:
    """The probe in this kernel."""

    probe: CommitProbe

    def see(self, executable: str) -> None:
        """Raises `probe-refused`."""
        commit_probe.see_log_flushes(self.probe, executable)

    def leave(self) -> None:
        """Raises `probe-refused`."""
        commit_probe.leave_log_flushes(self.probe)

    def read(self) -> tuple[list[CommitRow], CommitCounts]:
        """Raises `probe-unread`."""
        return commit_probe.read(self.probe)


def watch_commits(ctx: Context, asked: CommitsRequest) -> Run:
    """Watches, stores and returns the run; ended early, it holds what was seen until then.

    Raises what the start of the probe raises.
    """
    started_at = ctx.clock.now()
    _refuse_older_kernels(os.uname().release)
    probe = commit_probe.start()
    try:
        found = watched(ctx, asked, InKernel(probe))
    finally:
        probe.stop()
    parts: dict[str, Any] = {"commits": found, "notes": found.notes, "interrupted": ctx.cancel.is_set}
    return record(ctx, "commits", "what commits of this host wait for", started_at, **parts)


def _refuse_older_kernels(release: str) -> None:
    """Before 6.1 a kernel warns of such a probe as of a defect of its own, and some are set to stop then. Raises `probe-refused`.

    source: Linux commit 94dacdbd5d2d
    """
    numbers = re.match(r"(\d+)\.(\d+)", release)
    if numbers is not None and (int(numbers[1]), int(numbers[2])) < _KERNEL_MIN:
        message = f"commits are not taken apart on Linux {release}: a kernel before 6.1 takes such a probe for a defect"
        raise WorldError(
            "probe-refused", message, "Use a newer kernel; `plimsoll watch` works from Linux 5.5 on."
        )


def watched(ctx: Context, asked: CommitsRequest, probe: CommitReadings) -> CommitWaits:
    """What was seen until the time is over, or somebody ends it. Raises `probe-unread`."""
    turns = LogFlushTurns(probe, ctx.clock, log_flushes.postgres_executables)
    tally = CommitTally(wanted=asked.roles)
    get_ready()  # before the first turn, which it would make longer
    _, before = probe.read()
    began_s = ctx.clock.monotonic_s()
    turns.step()
    pace = Pace(ctx, STEP_S, asked.watched_s, _STAGE)
    for _ in pace.steps():
        rows, _ = probe.read()
        tally.add(rows)
        _tell(ctx, rows, asked.watched_s, pace.elapsed_s)
        turns.step()
    turns.end()
    rows, after = probe.read()
    tally.add(rows)
    duration_s = ctx.clock.monotonic_s() - began_s
    ctx.progress(_STAGE, "watched", finished=True)
    of_roles = tally.rows(duration_s, turns.seen_s)
    return CommitWaits(
        duration_s=duration_s,
        log_flushes_s=turns.seen_s,
        causes=causes_of(of_roles),
        rows=of_roles,
        lost_commits=_lost(after) - _lost(before),
        notes=(*_notes(_lost(after) - _lost(before), of_roles, turns), *_unnamed(tally), *_unmet(tally)),
    )


def _lost(counts: CommitCounts) -> int:
    return counts["lost_threads"] + counts["lost_rows"]


def _tell(ctx: Context, rows: list[CommitRow], watched_s: float | None, elapsed_s: float) -> None:
    commits = sum(row["commits"] for row in rows)
    left_s = None if watched_s is None else max(0.0, watched_s - elapsed_s)
    share = None if not watched_s else min(1.0, elapsed_s / watched_s)
    ctx.progress(_STAGE, f"{commits:,} commits since the look before", share, left_s)


def _notes(lost: int, rows: Sequence[CommitsOfRole], turns: LogFlushTurns) -> Iterator[Note]:
    """What is missing."""
    if lost:
        why = "the kernel had no room for their threads or rows"
        yield Note(code="commits-lost", message=f"{lost:,} commits at least are in no row: {why}")
    if turns.refusal is not None:
        message = (
            f"commits of PostgreSQL whose log another backend flushed are not seen: {turns.refusal.message}"
        )
        yield Note(code="followers-unseen", message=message)
    elif turns.seen_s and _is_silent(rows):
        message = (
            f"sessions of PostgreSQL flushed files, but none called XLogFlush in the {format_seconds(turns.seen_s)} in which its"
            " calls were watched: watch for longer, or its program calls something else; commits whose log another backend"
            " flushed are not seen"
        )
        yield Note(code="followers-unseen", message=message)


def _unnamed(tally: CommitTally) -> Iterator[Note]:
    """Sessions that are in another role than theirs."""
    if tally.untitled:
        commits = f"{tally.untitled:,} commits"
        message = (
            f"{commits} are of processes of databases that ended before their title was read, or that /proc does not show to this"
            " user (hidepid): their role is postgres or oracle, or the name of their instance ends in …"
        )
        yield Note(code="owners-gone", message=message)


def _unmet(tally: CommitTally) -> Iterator[Note]:
    """Roles that were asked for and committed nothing, with those that did."""
    seen = ", ".join(sorted(tally.seen)[:_ROLES_TOLD_MAX])
    for role in tally.wanted:
        if role not in tally.seen:
            among = f"; roles that were seen: {seen}" if seen else ""
            yield Note(code="filter-unmatched", message=f"no commit of the role {role} was seen{among}")


def _is_silent(rows: Sequence[CommitsOfRole]) -> bool:
    """Whether sessions of PostgreSQL flushed, and the probe of its calls never fired."""
    kinds = {row.kind for row in rows if row.role in _SESSIONS}
    return kinds == {"sync"}
