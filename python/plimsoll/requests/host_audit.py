"""What can be asked of `plimsoll host audit`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from plimsoll.requests import shared
from plimsoll.requests.asked import Asked, Examples, Request, idle
from plimsoll.requests.host import FROM, OUT

WATCHED_S = 2.0

_RECORDING = FROM.but(help="A recorded host: folder or archive with its sys and proc.")
_WATCHED = shared.RUNTIME.but(help="How long interrupts, CPUs and steal are watched.", aliases=("for",))
_PID = Asked(
    "pid",
    "A process to look at as a database.",
    metavar="PID",
    shown="database servers, by their names",
    group="Target",
)


@dataclass(frozen=True)
class HostAuditRequest(Request):
    """A host that databases run on, looked at for what costs them time or memory."""

    verb = "host audit"
    tells_events = False
    examples: ClassVar[Examples] = (
        ("What is wrong with this host", "host audit"),
        ("Watched for longer while there is load, as a page", "host audit --runtime 30s --out audit.html"),
        ("A program that is no database server", "host audit --pid 4711"),
        ("What a recording tells of a host", "host audit --from db1.tar.bz2"),
    )

    source: str | None = _RECORDING.field(None)
    pids: tuple[int, ...] = _PID.field(())
    watched_s: float = _WATCHED.field(WATCHED_S)
    out: str | None = OUT.field(None)

    def refuse_idle(self, given: frozenset[str]) -> None:
        """Of a recording no time passes, and no process is there."""
        if self.source is not None:
            idle(
                given,
                HostAuditRequest,
                "with --from: a recording has no processes, and no time passes in it",
                "pids",
                "watched_s",
            )
