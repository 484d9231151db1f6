"""What can be asked of `plimsoll host slice apply`, `verify` and `revert`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from plimsoll.requests import shared
from plimsoll.requests.asked import SECONDS, Asked, Examples, Request
from plimsoll.requests.host_slice_write import PLAN

WATCHED_S = 2.0
JOURNAL_FOLDER = "/var/lib/plimsoll/slices"

_DRY_RUN = Asked("dry_run", "Print each write, and change nothing.")
_WAY = Asked(
    "way",
    "How: systemd, cgroup-v2 or cgroup-v1.",
    shown="what runs this host",
    values=("systemd", "cgroup-v2", "cgroup-v1"),
    group="Target",
)
_JOURNAL = Asked(
    "journal",
    "Folder of root's for what was done, to take it back.",
    metavar="FOLDER",
    group="Target",
)


_WATCHED = shared.RUNTIME.but(help="How long CPUs of processes are watched.")
_CAPS = Asked(
    "caps",
    "Time of reads that try each cap on a disk.",
    unit=SECONDS,
    low=0.1,
    shown="none is tried",
    group="Checks",
)
_DATABASE = shared.DATABASE.but(
    help="A slice's PostgreSQL, asked for nodes of its memory.",
    shown="none is asked",
    values=("postgresql://",),
)
_OUT = shared.OUT.but(help="Write it as a page.", shown="")


@dataclass(frozen=True)
class HostSliceApplyRequest(Request):
    """A plan carried out on this host: all of it, or nothing."""

    verb = "host slice apply"
    tables: ClassVar[tuple[str, ...] | None] = ()
    keeps_runs = False
    tells_events = False
    examples: ClassVar[Examples] = (
        ("See each write that it takes", "host slice apply latest --dry-run"),
        ("Carry the plan out, as root", "host slice apply latest"),
        ("By plain writes, beside systemd", "host slice apply plan.json --way cgroup-v2"),
    )

    plan: str = PLAN.field()
    dry_run: bool = _DRY_RUN.field(False)
    way: str | None = _WAY.field(None)
    journal: str = _JOURNAL.field(JOURNAL_FOLDER)


@dataclass(frozen=True)
class HostSliceVerifyRequest(Request):
    """Slices of this host held against the plan that was applied."""

    verb = "host slice verify"
    tells_events = False
    examples: ClassVar[Examples] = (
        ("Whether every process is where it should be", "host slice verify"),
        ("With caps on disks tried, 10 seconds each", "host slice verify --caps 10s"),
        (
            "With the nodes of a server's shared memory, by its own count",
            "host slice verify --database postgresql://me@/bench",
        ),
        ("Watched for longer, as a page", "host slice verify --runtime 30s --out slices.html"),
    )

    watched_s: float = _WATCHED.field(WATCHED_S)
    caps_s: float | None = _CAPS.field(None)
    database: str | None = _DATABASE.field(None)
    journal: str = _JOURNAL.field(JOURNAL_FOLDER)
    out: str | None = _OUT.field(None)


@dataclass(frozen=True)
class HostSliceRevertRequest(Request):
    """What was applied, taken back."""

    verb = "host slice revert"
    tables: ClassVar[tuple[str, ...] | None] = ()
    keeps_runs = False
    tells_events = False
    examples: ClassVar[Examples] = (
        ("See what would be taken back", "host slice revert --dry-run"),
        ("Take it back", "host slice revert"),
    )

    dry_run: bool = _DRY_RUN.but(help="Say what would be taken back, and change nothing.").field(False)
    journal: str = _JOURNAL.field(JOURNAL_FOLDER)
