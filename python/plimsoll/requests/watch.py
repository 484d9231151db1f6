"""What can be asked of `plimsoll watch`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from plimsoll.base.errors import UsageError
from plimsoll.base.nearest import did_you_mean
from plimsoll.requests import shared
from plimsoll.requests.asked import NAMES, SECONDS, Asked, Examples, Request, idle

EVERY_S = 1.0
WORDS = ("role", "database", "tablespace", "file", "device", "cgroup")
"""What rows can be put together by."""
_WATCHED = shared.RUNTIME.but(help="How long it is watched.", shown="until it is ended", aliases=("for",))
_EVERY = Asked(
    "every",
    "How often rows are read and shown.",
    unit=SECONDS,
    low=0.1,
    high=3_600.0,
    group="Time",
)
_DATABASE = shared.DATABASE.but(
    help="Name relations in place of files, as this PostgreSQL tells them.", values=("postgresql://",)
)
_DEVICE = Asked(
    "device",
    "Show this disk alone, by the kernel's name, such as sda or nvme0n1; again for another.",
    metavar="DISK",
    shown="",
    group="Data",
)
_ROLE = Asked(
    "role",
    "Show this role alone, such as checkpointer, 'lgwr ORCL' or kernel; again for another.",
    metavar="ROLE",
    shown="",
    group="Data",
)
_FILE = Asked(
    "file",
    "Show files alone whose path holds this, such as pg_wal; again for another.",
    metavar="PART",
    shown="",
    group="Data",
)
_IN_DATABASE = Asked(
    "in_database",
    "Show this database alone; again for another.",
    metavar="NAME",
    shown="",
    group="Data",
)
_IN_TABLESPACE = Asked(
    "in_tablespace",
    "Show this tablespace alone; again for another.",
    metavar="NAME",
    shown="",
    group="Data",
)
_IN_CGROUP = Asked(
    "in_cgroup",
    "Show this control group alone; again for another.",
    metavar="PATH",
    shown="",
    group="Data",
)
_BY = Asked(
    "by",
    "Sum by role,database,tablespace,file,device,cgroup.",
    unit=NAMES,
    shown="",
    values=WORDS,
    group="Data",
)
_CALLS = Asked("calls", "Time calls that read, write or flush files, too.", group="Data")
_LIMITS = Asked("limits", "Tell limits of kernel and control groups that bind.", group="Data")


@dataclass(frozen=True)
class WatchRequest(Request):
    """Who does which I/O on this host, to which file, how large and how late."""

    verb = "watch"
    examples: ClassVar[Examples] = (
        ("Until Ctrl-C", "watch"),
        ("For half a minute, as JSON", "watch --runtime 30s --json"),
        ("What goes to the log of PostgreSQL, on one disk", "watch --runtime 30s --file pg_wal --device sda"),
        ("By table and index of a PostgreSQL here", "watch --database postgresql://monitor@localhost/shop"),
        ("By database and tablespace", "watch --by database,tablespace --runtime 30s"),
        (
            "What one service asks for, by file",
            "watch --in-cgroup /system.slice/postgresql.service --by file",
        ),
        ("With limits of the kernel that bind", "watch --runtime 30s --limits"),
        ("What the page cache answers, too", "watch --runtime 30s --calls"),
        ("What the kernel does by itself", "watch --runtime 30s --role kernel"),
    )

    watched_s: float | None = _WATCHED.field(None)
    every_s: float = _EVERY.field(EVERY_S)
    devices: tuple[str, ...] = _DEVICE.field(())
    roles: tuple[str, ...] = _ROLE.field(())
    files: tuple[str, ...] = _FILE.field(())
    databases: tuple[str, ...] = _IN_DATABASE.field(())
    tablespaces: tuple[str, ...] = _IN_TABLESPACE.field(())
    cgroups: tuple[str, ...] = _IN_CGROUP.field(())
    by: tuple[str, ...] = _BY.field(())
    database: str | None = _DATABASE.field(None)
    calls: bool = _CALLS.field(False)
    limits: bool = _LIMITS.field(False)

    def __post_init__(self) -> None:
        """Raises UsageError `watch-by` and `watch-cgroup`."""
        super().__post_init__()
        unknown = [word for word in self.by if word not in WORDS]
        if unknown:
            message = f"--by {','.join(self.by)}: nothing is summed by {unknown[0]}"
            hint = f"{did_you_mean(unknown[0], WORDS)}The words are {', '.join(WORDS)}."
            raise UsageError("watch-by", message, hint)
        if "device" in self.by and self.calls:
            message = "--calls cannot be summed by device: a call goes to a file and not to a disk"
            raise UsageError("watch-by", message, "Leave out --calls, or the word device.")
        relative = [path for path in self.cgroups if not path.startswith("/")]
        if relative:
            message = f"--in-cgroup {relative[0]} is no path of a control group"
            raise UsageError("watch-cgroup", message, "Give it as in /proc/PID/cgroup, from the first / on.")

    def refuse_idle(self, given: frozenset[str]) -> None:
        """Raises UsageError `option-idle`."""
        if self.watched_s is not None and self.every_s > self.watched_s:
            idle(given, WatchRequest, "with a shorter --runtime", "every_s")
        if self.devices:
            idle(given, WatchRequest, "with --device, as a call goes to a file and not to a disk", "calls")
