"""The verb `place`: which objects of a database belong on which tier of storage."""

from __future__ import annotations

from typing import TYPE_CHECKING

from plimsoll.cli.asking import asks

if TYPE_CHECKING:
    from plimsoll.cli.place import Place
    from plimsoll.requests.place import PlaceRequest, ScriptName


task = "judge"


@asks("place.PlaceRequest")
def command(asked: PlaceRequest, place: Place) -> int:
    """Say which objects belong on which tier, and what that gains.

    From counts of I/Os for each object and the latencies of each tier: the best plan within capacities, budget and pins, with a
    proof of how far from best it can be, and the gain for every budget. The counts come from a live PostgreSQL, from what a DBA
    of an Oracle Database sends, from reports, or from a file. Nothing is moved.
    """
    from plimsoll.cli.ask import ask_password
    from plimsoll.cli.session import session
    from plimsoll.flows.place import place_objects

    if asked.script is not None:
        return _print_script(asked.script, place)
    with session(place) as here:
        return here.finish_run(place_objects(here.ctx, asked, ask_password))


def _print_script(name: ScriptName, place: Place) -> int:
    from plimsoll.cli.output import envelope, print_document, say_lines
    from plimsoll.placement.objects.oracle_samples import script

    text = script(name)
    if place.json:
        print_document(envelope("place-script", {"name": name, "script": text}))
    else:
        say_lines(text.rstrip("\n"))
    return 0
