"""A pair of the server's own snapshots around a piece of work, for a report of AWR or Statspack over just that.

AWR is used only where the user says that the Diagnostics Pack is licensed, and the instance allows it. Its parameter alone
(`control_management_pack_access`) proves no licence: it names the pack by default. Else Statspack is used where it is installed,
else nothing, with the reason. While AWR's pair is open its automatic snapshots are
put off, and set back afterwards, also when the work fails.

Sources: Oracle Database PL/SQL Packages and Types Reference, DBMS_WORKLOAD_REPOSITORY; spdoc.txt of the server's installation.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Literal

from plimsoll.base.errors import PlimsollError
from plimsoll.databases._kind import Session

PUT_OFF_MINUTES = 1440
"""A day: longer than any proof. None at all (0) would forbid our own snapshots too."""


@dataclass
class ReportPair:
    """Numbers of the two snapshots, once they are taken. `reason` says why there are none, or what else was not done."""

    kind: Literal["awr", "statspack"] | None
    begin: int | None = None
    end: int | None = None
    reason: str = ""

    @property
    def words(self) -> str:
        """What there is for a report, or why there is none."""
        if self.kind is None or self.begin is None or self.end is None:
            return f"no report of the server's own goes with it: {self.reason or 'a snapshot could not be taken'}"
        also = f"; {self.reason}" if self.reason else ""
        return f"snapshots {self.begin} and {self.end} of {self.kind} were taken around it{also}"


@contextmanager
def report_pair(session: Session, queries: Mapping[str, str], licensed: bool) -> Iterator[ReportPair]:
    """Takes one snapshot before the block and one after it. What the server refuses of it is told, and stops nothing."""
    pair = _chosen(session, queries, licensed)
    interval = _put_off(session, queries, pair) if pair.kind == "awr" else None
    try:
        pair.begin = _taken(session, queries, pair)
        yield pair
        pair.end = _taken(session, queries, pair) if pair.begin is not None else None
    finally:
        if interval is not None:
            _set_back(session, queries, pair, interval)


def _chosen(session: Session, queries: Mapping[str, str], licensed: bool) -> ReportPair:
    try:
        ((packs, statspack),) = session.run(queries["report_choice"])
    except PlimsollError as error:
        return ReportPair(None, reason=error.message)
    is_allowed = "DIAGNOSTIC" in (packs or "").upper()
    if licensed and is_allowed:
        return ReportPair("awr")
    why = _NOT_ALLOWED if licensed else _NOT_LICENSED
    if statspack:
        return ReportPair("statspack", reason=why if licensed else "")
    return ReportPair(None, reason=f"{why}, and Statspack is not installed")


_NOT_ALLOWED = "control_management_pack_access does not allow AWR"
_NOT_LICENSED = "AWR needs a licence of the Diagnostics Pack, which --licensed diagnostics says that you hold"


def _taken(session: Session, queries: Mapping[str, str], pair: ReportPair) -> int | None:
    if pair.kind is None:
        return None
    try:
        return int(session.run(queries[f"{pair.kind}_snap"])[0][0])
    except PlimsollError as error:
        pair.reason = error.message
        return None


def _put_off(session: Session, queries: Mapping[str, str], pair: ReportPair) -> int | None:
    """The interval as it was; None where it was left as it is."""
    try:
        minutes = int(session.run(queries["awr_interval"])[0][0])
        session.run(queries["awr_interval_set"], (PUT_OFF_MINUTES,))
    except (PlimsollError, IndexError) as error:
        pair.reason = f"automatic snapshots were not put off: {error}"
        return None
    return minutes


def _set_back(session: Session, queries: Mapping[str, str], pair: ReportPair, minutes: int) -> None:
    try:
        session.run(queries["awr_interval_set"], (minutes,))
    except PlimsollError as error:
        pair.reason = f"automatic snapshots are still put off, set them back to every {minutes} minutes: {error.message}"
