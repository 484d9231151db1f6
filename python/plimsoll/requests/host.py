"""What can be asked of the verbs of `plimsoll host`."""

from __future__ import annotations

from typing import ClassVar

from plimsoll.base.values import value
from plimsoll.requests import shared
from plimsoll.requests.asked import Asked, Examples, Request

FROM = Asked(
    "from",
    "A recorded host: folder or archive with its sys and proc, or text of numactl --hardware.",
    metavar="PATH",
    shown="this host",
    group="Target",
)
_SLICES = Asked(
    "slices",
    "TOML file of the slices: cores, memory and devices of each database.",
    metavar="FILE",
    stands_first=True,
)
OUT = shared.OUT.but(help="Write it as a page.", shown="")


@value
class HostShowRequest(Request):
    """How a host is built: nodes, cores, CPUs, caches, distances, devices."""

    verb = "host show"
    tells_events = False
    examples: ClassVar[Examples] = (
        ("This host", "host show"),
        (
            "A host of which sys and proc were recorded, as a page",
            "host show --from db1.tar.bz2 --out db1.html",
        ),
        ("A host of which somebody sent a text, as JSON", "host show --from numactl.txt --json"),
    )

    source: str | None = FROM.field(None)
    out: str | None = OUT.field(None)


@value
class HostSlicePlanRequest(Request):
    """A host divided among databases: whole cores and memory for each, near to each other and to its devices."""

    verb = "host slice plan"
    tells_events = False
    examples: ClassVar[Examples] = (
        ("This host, for the databases of a file", "host slice plan slices.toml"),
        (
            "A host that was recorded elsewhere, as a page",
            "host slice plan slices.toml --from db1.tar.bz2 --out plan.html",
        ),
        ("The same as JSON", "host slice plan slices.toml --from numactl.txt --json"),
    )

    slices: str = _SLICES.field()
    source: str | None = FROM.field(None)
    out: str | None = OUT.field(None)
