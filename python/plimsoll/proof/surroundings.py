"""What a server was like around a drive: in which state it began, how it is set, and what its log says. One place for all proofs.

When all sessions are ready the log is switched and a checkpoint is made, in this order: a switch may begin a checkpoint by itself,
which must not run beside the sessions. The warm-up comes after both. So each window begins as long after a checkpoint as any other
of equal warm-up, and of the whole pages that PostgreSQL writes into its log after a checkpoint the first and most fall into the
warm-up, which is left out; how many were written in the window is told with it.

Source: PostgreSQL manual, "WAL configuration" (checkpoints, full_page_writes).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from plimsoll.base import limits
from plimsoll.base.errors import PlimsollError
from plimsoll.base.printable import printable
from plimsoll.base.redact import HIDDEN, names_secret, redact
from plimsoll.context import Context
from plimsoll.databases import Connection, LogPlace, ServerCounts, Session, reads_answers
from plimsoll.facts import Note, ProofStart, ServerLog
from plimsoll.proof.statements import has_statements, statement
from plimsoll.proof.watch import run_watched

_STAGE = "prove"
_WORKLOAD = "server"
_GONE = frozenset({"database-lost", "database-slow", "database-odd"})
"""After these nothing more may be asked of a session; anything else, the server's time limit too, refuses that one thing."""


class Surroundings:
    """To be made before a drive, with the session that prepares it, and called when all sessions are ready."""

    def __init__(self, ctx: Context, connection: Connection, control: Session) -> None:
        self._ctx, self._connection, self._control = ctx, connection, control
        self._start: ProofStart | None = None
        self._settings: dict[str, str] | None = None
        self._settings_unknown = ""
        self._place = LogPlace(unknown_because="the drive did not begin")
        self._log: ServerLog | None = None

    def __call__(self) -> None:
        """Looks at the settings and the log, then has the log switched and a checkpoint made.

        Raises Interrupted, and what a session raises whose server is gone.
        """
        self._settings, self._settings_unknown = _changed(self._control, self._connection.dialect)
        self._place = self._connection.log_place()
        self._start = settled(self._ctx, self._control, self._connection.dialect)

    def end(self) -> None:
        """Reads what the log has gained; also of a server that is gone, where its log is at hand."""
        self._log = self._connection.log_since(self._place)

    def facts(self, counts: ServerCounts) -> dict[str, Any]:
        """The fields of a proof. `counts` are those of the window."""
        start = self._start and self._start.model_copy(
            update={"checkpoints": counts.checkpoints, "full_page_images": counts.full_page_images}
        )
        return {"start": start, "server_settings": self._settings, "server_log": self._log}

    def doubts(self) -> Iterator[str]:
        """Why no figure is valid: the server crashed, or found its data damaged, whatever the sessions noticed."""
        if self._log is not None and self._log.graves:
            first = next(one for one in self._log.entries if one.grave)
            yield f"the server's log says that it crashed or that its data are damaged: {first.message}"

    def notes(self) -> Iterator[Note]:
        """What a reader must know: a start that was not settled, entries of the log, settings that could not be read."""
        if self._start is not None and (not self._start.checkpoint or self._start.log_switch is False):
            yield Note(code="start-unsettled", message=self._start.reason)
        if self._settings_unknown:
            message = f"which settings are not defaults is unknown: {self._settings_unknown}"
            yield Note(code="settings-unknown", message=message)
        if self._log is not None and self._log.entries:
            first = self._log.entries[0]
            message = f"the server's log has {log_words(self._log)} of the run, the worst: {first.message}"
            yield Note(code="server-log", message=message)


def settled(ctx: Context, session: Session, dialect: str) -> ProofStart:
    """A switch of the log and a checkpoint, or why not. Raises Interrupted, and what ends the session."""
    switched, why_no_switch = None, ""
    if has_statements(dialect, _WORKLOAD, "log_switch"):
        switched, why_no_switch = _done(ctx, session, dialect, "log_switch")
    ctx.progress(_STAGE, "waiting for a checkpoint")
    made, why_none = _done(ctx, session, dialect, "checkpoint")
    said = [
        "a checkpoint ended before the warm-up" if made else f"no checkpoint before the warm-up: {why_none}"
    ]
    if switched is None:
        said.append("this database's log has no files to switch")
    else:
        said.append(
            "the log was switched before it" if switched else f"the log was not switched: {why_no_switch}"
        )
    return ProofStart(checkpoint=made, log_switch=switched, reason="; ".join(said))


def _done(ctx: Context, session: Session, dialect: str, name: str) -> tuple[bool, str]:
    try:
        run_watched(ctx, session, statement(dialect, _WORKLOAD, name))
    except PlimsollError as error:
        if not error.id.startswith("database-") or error.id in _GONE:
            raise
        return False, error.message
    return True, ""


def _changed(session: Session, dialect: str) -> tuple[dict[str, str] | None, str]:
    """Settings that are not defaults, without passwords; or None and why."""
    try:
        return _read_changed(session, dialect), ""
    except PlimsollError as error:
        if error.id in _GONE:
            raise
        return None, error.message


@reads_answers
def _read_changed(session: Session, dialect: str) -> dict[str, str]:
    rows = session.run(statement(dialect, _WORKLOAD, "changed"))[: limits.SERVER_SETTINGS_MAX]
    return {
        printable(str(name)): shown_setting(str(name), "" if value is None else str(value))
        for name, value in rows
    }


def shown_setting(name: str, value: str) -> str:
    """A setting's value as it may be kept: what its name or the value itself tells to be a password is hidden."""
    if names_secret(name) and value:
        return HIDDEN
    return printable(redact(value, location=True))[: limits.SERVER_SETTING_LENGTH_MAX]


def log_words(log: ServerLog) -> str:
    """`1 fatal, 2 errors and 3 warnings`; only of a log that could be read."""
    counts = ((log.panics, "panic"), (log.fatals, "fatal"), (log.errors, "error"), (log.warnings, "warning"))
    found = [f"{count} {word}{'' if count == 1 else 's'}" for count, word in counts if count]
    return " and ".join([", ".join(found[:-1]), found[-1]] if len(found) > 1 else found)
