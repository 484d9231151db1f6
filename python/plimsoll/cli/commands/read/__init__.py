"""The verb `read`: reports of databases."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from plimsoll.cli.asking import asks

if TYPE_CHECKING:
    from plimsoll.cli.place import Place
    from plimsoll.cli.session import Session
    from plimsoll.requests.read import ReadRequest


task = "learn"


@asks("read.ReadRequest")
def command(asked: ReadRequest, place: Place) -> int:
    """Read Statspack and AWR reports.

    The kind is found from the content. What cannot be read is named with its reason, and the others are read.
    """
    from plimsoll.base.errors import UsageError
    from plimsoll.cli.session import session

    if asked.schema and place.store is not None:
        raise UsageError("option-idle", "--store would have no effect with --schema", "Leave it out.")
    with session(place) as here:
        if asked.schema:
            return _show_schema(here)
        return _read(here, asked, place)


def _read(here: Session, asked: ReadRequest, place: Place) -> int:
    from plimsoll.cli import output
    from plimsoll.cli.commands.read.data import document
    from plimsoll.cli.commands.read.show import data_tables, show_read, unreadable
    from plimsoll.flows.read import read_reports

    request = replace(asked, keep=asked.keep or place.store is not None)
    outcome = read_reports(here.ctx, request, here.until, lists=here.json)
    here.end_progress()
    for error in unreadable(outcome):
        output.fail(error)
    data = output.JsonText(document(outcome))
    # People see doubts beside their reports, unless they asked for rows alone.
    notes = (*outcome.notes, *outcome.doubts) if not place.is_for_people or outcome.rows else outcome.notes
    return here.finish(
        "read", data, lambda: show_read(outcome), notes, outcome.status, lambda: data_tables(outcome)
    )


def _show_schema(here: Session) -> int:
    from plimsoll.cli.commands.read.show import schema_table, show_schema
    from plimsoll.reports.schema import schema

    found = schema()
    return here.finish(
        "read-schema", {"tables": found}, lambda: show_schema(found), tables=lambda: [schema_table(found)]
    )
