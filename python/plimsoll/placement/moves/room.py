"""Whether the next step may begin: room in its tablespace's file system and for the log, and standbys that keep up with it.

A tablespace that fills up costs a copy; a log that fills up stops the server (PostgreSQL manual, "WAL Configuration").
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from plimsoll.base.errors import SafetyError, UsageError, WorldError
from plimsoll.base.units import format_bytes, format_share, parse_bytes
from plimsoll.databases import Session
from plimsoll.placement.moves import catalogue
from plimsoll.placement.moves.catalogue import Lag, Log
from plimsoll.ports import files

SPARE_SHARE = 0.05
"""Free space map, visibility map and pages that are not quite full: a copy is not to the byte as large as what it is of."""
SPARE_BYTES = 16 << 20
LOG_SPACE = "pg_wal"
"""No tablespace can be called so: names that begin with pg_ are the server's."""
LOG_TIMES_MAX = 2
"""The server may pass max_wal_size while a checkpoint is under way."""


@dataclass
class Room:
    """How much is free in each tablespace. `stated` are the bytes that the user says are free, at the beginning."""

    session: Session
    is_here: bool
    stated: Mapping[str, int]
    _at_start: dict[str, int | None] = field(default_factory=dict)

    def free_bytes(self, space: str) -> int | None:
        """The lesser of what the file system says, if it is of this machine, and what the user says; None: neither is known."""
        known = [one for one in (self._measured(space), self._left_of_stated(space)) if one is not None]
        return min(known, default=None)

    def check(self, space: str, needed_bytes: int) -> None:
        """That a copy fits. Raises WorldError `moves-no-room`, SafetyError `moves-room-unknown`."""
        free = self.free_bytes(space)
        if free is None:
            raise SafetyError(
                "moves-room-unknown",
                f"free space of the tablespace {space} is unknown: the server is on another host",
                f"Look with df on the server, and state it: --free-bytes {space}=SIZE.",
            )
        wanted = needed_bytes + int(SPARE_SHARE * needed_bytes) + SPARE_BYTES
        if free < wanted:
            raise WorldError(
                "moves-no-room",
                f"not enough space: the tablespace {space} has {format_bytes(free)} free, and the next step needs "
                f"{format_bytes(wanted)} (the copy, {format_share(SPARE_SHARE)} and {format_bytes(SPARE_BYTES)})",
                "Nothing of this step was begun, and what was moved before stays. "
                "Make room, then run the command again: it continues from here.",
            )

    def check_log(self, space: str, copy_bytes: int, log_bytes: int) -> None:
        """That WAL of so much fits beside the copy. Raises WorldError `moves-no-room`, SafetyError `moves-room-unknown`."""
        log = catalogue.log(self.session)
        kept = log_bytes if log.is_held else min(log_bytes, LOG_TIMES_MAX * log.size_bytes_max)
        if kept <= SPARE_BYTES:
            return
        free = self._free_for_log(log)
        if free is None:
            raise SafetyError(
                "moves-room-unknown",
                f"free space for WAL is unknown, and the next step may keep {format_bytes(kept)} of it: the server is on "
                f"another host, or its {LOG_SPACE} is closed to this user",
                f"Look with df on the server, and state it: --free-bytes {LOG_SPACE}=SIZE. A full {LOG_SPACE} stops the server.",
            )
        beside = copy_bytes if self._shares_with_log(space) else 0
        wanted = kept + beside + int(SPARE_SHARE * (kept + beside)) + SPARE_BYTES
        if free < wanted:
            also = f" and the copy, {format_bytes(beside)}, on the same file system" if beside else ""
            raise WorldError(
                "moves-no-room",
                f"not enough space: {LOG_SPACE} has {format_bytes(free)} free, and the next step needs {format_bytes(wanted)} "
                f"({format_bytes(kept)} of WAL{also}, {format_share(SPARE_SHARE)} and {format_bytes(SPARE_BYTES)})",
                "Nothing of this step was begun, and what was moved before stays. A full pg_wal would stop the server. "
                "Make room, then run the command again: it continues from here.",
            )

    def _free_for_log(self, log: Log) -> int | None:
        known = [
            one for one in (self._measured_at(self._log_folder()), self._left_for_log(log)) if one is not None
        ]
        return min(known, default=None)

    def _left_for_log(self, log: Log) -> int | None:
        """What was stated, less what was written since the first look where nothing of it may be removed."""
        if LOG_SPACE not in self.stated:
            return None
        before = self._at_start.setdefault(LOG_SPACE, log.written_bytes)
        since = (log.written_bytes or 0) - (before or 0) if log.is_held else 0
        return self.stated[LOG_SPACE] - since

    def _shares_with_log(self, space: str) -> bool:
        places = (self._location(space), self._log_folder())
        try:
            return None not in places and files.share_file_system(*(Path(one or "") for one in places))
        except OSError:
            return False

    def _location(self, space: str) -> str | None:
        return (catalogue.locations(self.session).get(space) or None) if self.is_here else None

    def _log_folder(self) -> str | None:
        return (catalogue.log_folder(self.session) or None) if self.is_here else None

    def _measured(self, space: str) -> int | None:
        return self._measured_at(self._location(space))

    @staticmethod
    def _measured_at(location: str | None) -> int | None:
        try:
            return None if location is None else files.free_bytes(Path(location))
        except OSError:
            return None

    def _left_of_stated(self, space: str) -> int | None:
        """What was stated, less what the tablespace has grown by since the first look."""
        if space not in self.stated:
            return None
        now = catalogue.space_size(self.session, space)
        before = self._at_start.setdefault(space, now)
        return self.stated[space] - ((now or 0) - (before or 0))


def stated_of(words: Sequence[str]) -> dict[str, int]:
    """`TABLESPACE=SIZE` as a table. Raises UsageError `free-bytes-unreadable`, `size-unreadable`."""
    found: dict[str, int] = {}
    for word in words:
        space, equals, size = word.rpartition("=")
        if not (space and equals and size):
            hint = "Write a tablespace and what is free in it, such as --free-bytes fast=200g."
            raise UsageError("free-bytes-unreadable", f"--free-bytes: '{word}' is not TABLESPACE=SIZE", hint)
        found[space] = parse_bytes(size)
    return found


def check_lags(lags: Sequence[Lag], most_bytes: int) -> None:
    """That nobody is too far behind the log. Raises WorldError `moves-standby-behind`."""
    behind = [one for one in lags if one.bytes is not None and one.bytes > most_bytes]
    if behind:
        worst = max(behind, key=lambda one: one.bytes or 0)
        raise WorldError(
            "moves-standby-behind",
            f"could not go on: {worst.who} is {format_bytes(worst.bytes or 0)} "
            f"of WAL behind, more than the {format_bytes(most_bytes)} of --replica-lag",
            "What was moved stays. Wait until it has caught up, then run the command again; --replica-lag allows more.",
        )


def unknown_lags(lags: Sequence[Lag]) -> list[str]:
    """Standbys of which this user may not know how far they are."""
    return [one.who for one in lags if one.bytes is None]
