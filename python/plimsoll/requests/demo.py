"""What can be asked of `plimsoll demo`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from plimsoll.base.limits import DEFAULT_SLO
from plimsoll.requests import shared
from plimsoll.requests.asked import Examples, Request


@dataclass(frozen=True)
class DemoRequest(Request):
    """The main job once, on this machine alone."""

    verb = "demo"
    examples: ClassVar[Examples] = (
        ("On the disk below /var/tmp, within two minutes", "demo --folder /var/tmp --out demo.html"),
    )

    folder: str | None = shared.FOLDER.field(None)
    out: str = shared.OUT.field("plimsoll-demo.html")
    slo: str = shared.SLO.field(DEFAULT_SLO)
