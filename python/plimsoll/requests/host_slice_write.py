"""What can be asked of `plimsoll host slice write`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from plimsoll.requests.asked import NAMES, Asked, Examples, Request

PLAN = Asked(
    "plan",
    "Run id of a plan, or latest; or a file .json of host slice plan --json.",
    metavar="RUN|FILE",
    stands_first=True,
)
_OUT = Asked(
    "out",
    "New folder for the files.",
    metavar="FOLDER",
    short="-o",
    group="Output",
    is_written=True,
)
_ONLY = Asked(
    "only",
    "Kinds of files, such as systemd or cgroup-v1.",
    unit=NAMES,
    shown="all that the plan has a use for",
    group="Output",
)
_POSTGRES = Asked(
    "postgres",
    "PostgreSQL's bin folder: its programs count huge pages.",
    metavar="FOLDER",
    shown="a first guess, with the command",
    group="Database",
)


@dataclass(frozen=True)
class HostSliceWriteRequest(Request):
    """A plan of a host as files for those that carry it out."""

    verb = "host slice write"
    tables: ClassVar[tuple[str, ...] | None] = ()
    keeps_runs = False
    tells_events = False
    examples: ClassVar[Examples] = (
        ("The plan that was made last, in all forms", "host slice write latest --out slices"),
        ("For systemd alone", "host slice write latest --out slices --only systemd,postgresql"),
        (
            "With shared buffers as PostgreSQL counts them",
            "host slice write latest --out slices --postgres /usr/lib/postgresql/17/bin",
        ),
        ("A plan that was printed on another host", "host slice write plan.json --out slices"),
    )

    plan: str = PLAN.field()
    out: str = _OUT.field()
    only: tuple[str, ...] = _ONLY.field(())
    postgres: str | None = _POSTGRES.field(None)
