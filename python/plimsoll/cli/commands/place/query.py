"""`plimsoll place query`: what a DBA of an Oracle Database runs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from plimsoll.cli.asking import asks
from plimsoll.cli.output import envelope, print_document, say_lines

if TYPE_CHECKING:
    from plimsoll.cli.place import Place
    from plimsoll.requests.place_query import PlaceQueryRequest


@asks("place_query.PlaceQueryRequest")
def query(asked: PlaceQueryRequest, place: Place) -> int:
    """Print the SQL*Plus script that counts an Oracle Database's I/Os by object.

    It reads and changes nothing. What it prints is given to plimsoll place.
    """
    from plimsoll.placement.objects.oracle_samples import script

    text = script(asked.name)
    if place.json:
        print_document(envelope("place-query", {"name": asked.name, "script": text}))
    else:
        say_lines(text.rstrip("\n"))
    return 0
