"""The verb `redact`: reports of databases without the names in them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from plimsoll.cli.asking import asks
from plimsoll.cli.output import print_text, say, talk

if TYPE_CHECKING:
    from plimsoll.cli.place import Place
    from plimsoll.flows.redact import RedactOutcome
    from plimsoll.requests.redact import RedactRequest

task = "learn"


@asks("redact.RedactRequest")
def command(asked: RedactRequest, place: Place) -> int:
    """Take names, paths and SQL out of reports, to give them away.

    Each name becomes another of the same length, the same in all files of one call; every number stays. What is not known to be
    Oracle's own word is taken for a name. Sources are never written to.
    """
    from plimsoll.cli.session import session
    from plimsoll.flows.redact import redact_reports

    with session(place) as here:
        found = redact_reports(here.ctx, asked)
        data = {"files": [file.data for file in found.files], "text": found.text}
        return here.finish("redact", data, lambda: _show(found), found.notes, found.status)


def _show(found: RedactOutcome) -> None:
    for file in found.files:
        if file.problem is not None:
            talk(f"not redacted: {file.problem}")
        elif file.out is not None:
            say(f"{file.source} → {file.out}")
    if found.text is not None:
        print_text(found.text)
