"""The verb `advise`: what a database waits for, and whether faster storage would help."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from plimsoll.cli.asking import asks

if TYPE_CHECKING:
    from plimsoll.cli.place import Place
    from plimsoll.requests.advise import AdviseRequest


task = "judge"


@asks("advise.AdviseRequest")
def command(asked: AdviseRequest, place: Place) -> int:
    """Say what a database waits for, and what would help.

    Rules look at Statspack and AWR reports, or at a PostgreSQL or MariaDB that is watched. Each finding names its cells, and the
    seconds of DB time that it stands for.
    """
    from plimsoll.cli import output
    from plimsoll.cli.ask import ask_password
    from plimsoll.cli.data import of_runs
    from plimsoll.cli.results.report import unread
    from plimsoll.cli.session import session
    from plimsoll.cli.show import show_result
    from plimsoll.flows.advise import advise_on, keep_advice, write_pages
    from plimsoll.results import unread_data

    with session(place) as here:
        found = advise_on(here.ctx, asked, ask_password, here.until)
        here.end_progress()
        run = keep_advice(here.ctx, found)
        for error in unread(found.unread):
            output.fail(error)
        if asked.out is not None and found.advice.verdicts:
            write_pages(run, Path(asked.out))
        data = output.JsonFact({"run": run.id, **unread_data(run.results.get("unread"))}, found.advice)
        return here.finish(
            "advise", data, lambda: show_result(run), run.notes, found.status, lambda: of_runs([run])
        )
