"""Commits as rows that people understand: readings of the probe (`native/commit_probe.py`) added up by role and kind."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from plimsoll.facts import CommitCause, CommitsOfRole, CommitsUnderWay, CommitTimes, LatencyUs
from plimsoll.facts.commits import HANGING_S, CommitKind
from plimsoll.native.latency import latency
from plimsoll.observe.commit_causes import time_share
from plimsoll.observe.roles import Roles, is_postgres, is_running
from plimsoll.ports import files

if TYPE_CHECKING:
    from plimsoll.native.commit_probe import CommitRow, CommitUnderWay

F = TypeVar("F", CommitsOfRole, CommitCause)
_NS_PER_US = 1_000.0
_NS_PER_S = 1e9
_APART_S_MIN = 0.1
"""Of less time no rate is told."""
_PARTS_MAX = 64
"""Distributions that wait to be made one."""


class _Key(NamedTuple):
    role: str
    kind: CommitKind


@dataclass
class _Sum:
    commits: int = 0
    commits_in_turns: int = 0
    errors: int = 0
    total_ns: int = 0
    queue_ns: int = 0
    write_ns: int = 0
    flush_ns: int = 0
    run_queue_ns: int = 0
    processor_ns: int = 0
    other_ns: int = 0
    dispatches: int = 0
    flushes: int = 0
    behind_ns: int = 0
    slept_ns: int = 0
    beyond: int = 0
    pids: set[int] = field(default_factory=set)
    distributions: list[bytes] = field(default_factory=list)

    def add(self, row: CommitRow, is_turn: bool) -> None:
        self.commits += row["commits"]
        self.commits_in_turns += row["commits"] if is_turn else 0
        self.errors += row["errors"]
        self.total_ns += row["total_ns"]
        self.queue_ns += row["queue_ns"]
        self.write_ns += row["write_ns"]
        self.flush_ns += row["flush_ns"]
        self.run_queue_ns += row["run_queue_ns"]
        self.processor_ns += row["processor_ns"]
        self.other_ns += row["other_ns"]
        self.dispatches += row["dispatches"]
        self.flushes += row["flushes"]
        self.behind_ns += row["behind_ns"]
        self.slept_ns += row["slept_ns"]
        self.beyond += row["beyond"]
        self.pids.add(row["owner_pid"])
        self.distributions.append(row["latency_hdr"])
        if len(self.distributions) >= _PARTS_MAX:
            merged = latency(self.distributions).hdr
            self.distributions = [] if merged is None else [merged]


@dataclass
class CommitTally:
    """What was added up so far."""

    roles: Roles = field(default_factory=Roles)
    wanted: tuple[str, ...] = ()
    """Roles; none: all of them."""
    seen: set[str] = field(default_factory=set)
    """Roles of all commits that were seen, whatever is wanted."""
    flushed: dict[str, set[int]] = field(default_factory=dict)
    """Processes that flushed since the reading before, by role."""
    untitled: int = 0
    """Commits of processes whose title was never read, by which alone it is known what they are."""
    _sums: dict[_Key, _Sum] = field(default_factory=dict)

    def add(self, rows: Iterable[CommitRow], is_turn: bool = False) -> int:
        """What one more reading holds; `is_turn`: calls of XLogFlush were seen meanwhile. How many commits of the wanted roles it
        holds: a wait for a standby is a part of one of them."""
        self.roles.look_again()
        wanted = 0
        self.flushed.clear()
        for row in rows:
            role = self.roles.of(row["owner_pid"], row["owner_started_ns"], row["command"], row["title"])
            self.seen.add(role.name)
            self.untitled += row["commits"] if role.is_untitled else 0
            self._sums.setdefault(_Key(role.name, row["kind"]), _Sum()).add(row, is_turn)
            if row["flushes"]:
                self.flushed.setdefault(role.name, set()).add(row["owner_pid"])
            wanted += row["commits"] if self._is_wanted(role.name) and row["kind"] != "standby" else 0
        return wanted

    def asked_for(self, found: Iterable[F]) -> tuple[F, ...]:
        """Those of the roles that are wanted."""
        return tuple(one for one in found if self._is_wanted(one.role))

    def _is_wanted(self, role: str) -> bool:
        return not self.wanted or role in self.wanted

    def rows(self, duration_s: float, log_flushes_s: float | None) -> tuple[CommitsOfRole, ...]:
        """Those of all roles, with most time in commits first; calls of XLogFlush were seen for their own part of the time."""
        found = [
            _fact(key, one, _per_s(key, one, duration_s, log_flushes_s)) for key, one in self._sums.items()
        ]
        return tuple(sorted(found, key=lambda row: (-time_share(row), row.role, row.kind)))

    def under_way(self, found: Iterable[CommitUnderWay]) -> tuple[CommitsUnderWay, ...]:
        """Commits that have begun and not ended, those of the longest first."""
        self.roles.look_again()
        of_keys: dict[_Key, list[CommitUnderWay]] = {}
        for one in found:
            role = self.roles.of(one["owner_pid"], one["owner_started_ns"], _command_of(one))
            self.seen.add(role.name)
            if self._is_wanted(role.name):
                of_keys.setdefault(_Key(role.name, one["kind"]), []).append(one)
        facts = (_under_way(key, some) for key, some in of_keys.items())
        return tuple(sorted(facts, key=lambda fact: (-fact.longest_s, fact.role, fact.kind)))


def _command_of(one: CommitUnderWay) -> str | None:
    """That of the process that waits for its commit; None where it has just ended."""
    command = (files.read_text(f"/proc/{one['owner_pid']}/comm") or "").strip()
    # A process could end before it was read, and its number be given out anew.
    return command if command and is_running(one["owner_pid"], one["owner_started_ns"]) else None


def _under_way(key: _Key, found: Sequence[CommitUnderWay]) -> CommitsUnderWay:
    longest = max(found, key=lambda one: one["for_ns"])
    return CommitsUnderWay(
        role=key.role,
        kind=key.kind,
        commits=len(found),
        hanging=sum(one["for_ns"] >= HANGING_S * _NS_PER_S for one in found),
        longest_s=longest["for_ns"] / _NS_PER_S,
        longest_in=longest["part"],
    )


def _per_s(key: _Key, one: _Sum, duration_s: float, log_flushes_s: float | None) -> float | None:
    """Flushes of PostgreSQL within calls of XLogFlush are commits of other kinds while those are seen, so that the rate of its
    flushes is that of the other time; None where there was hardly any."""
    if key.kind != "sync":
        return one.commits / (log_flushes_s or duration_s)
    if not is_postgres(key.role) or not log_flushes_s:
        return one.commits / duration_s
    apart_s = duration_s - log_flushes_s
    return (one.commits - one.commits_in_turns) / apart_s if apart_s >= _APART_S_MIN else None


def _fact(key: _Key, one: _Sum, commits_per_s: float | None) -> CommitsOfRole:
    is_any = one.commits > 0
    is_behind = is_any and key.kind != "standby"
    return CommitsOfRole(
        role=key.role,
        kind=key.kind,
        processes=len(one.pids),
        commits=one.commits,
        errors=one.errors,
        commits_per_s=commits_per_s,
        flushes=one.flushes,
        dispatches_mean=one.dispatches / one.commits if is_any else None,
        total_us_mean=_mean_us(one.total_ns, one.commits) if is_any else None,
        times=_times(one) if is_any else None,
        behind_us_mean=_mean_us(one.behind_ns, one.commits) if is_behind else None,
        slept_us_mean=_mean_us(one.slept_ns, one.commits) if is_behind else None,
        latency_us=latency(one.distributions) if is_any else LatencyUs(count=0),
        beyond=one.beyond,
    )


def _times(one: _Sum) -> CommitTimes:
    return CommitTimes(
        queue_us=_mean_us(one.queue_ns, one.commits),
        write_us=_mean_us(one.write_ns, one.commits),
        flush_us=_mean_us(one.flush_ns, one.commits),
        run_queue_us=_mean_us(one.run_queue_ns, one.commits),
        processor_us=_mean_us(one.processor_ns, one.commits),
        other_us=_mean_us(one.other_ns, one.commits),
    )


def _mean_us(sum_ns: int, commits: int) -> float:
    return sum_ns / commits / _NS_PER_US
