"""The verb `place`: which objects of a database belong on which tier of storage; below it uses of the same flash, what a DBA runs
to count them, scripts of a plan, and carrying it out.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from plimsoll.cli.asking import asks
from plimsoll.cli.commands.place.apply import apply
from plimsoll.cli.commands.place.flash import flash
from plimsoll.cli.commands.place.query import query
from plimsoll.cli.commands.place.script import script
from plimsoll.cli.group import Group

if TYPE_CHECKING:
    from plimsoll.cli.place import Place
    from plimsoll.requests.place import PlaceRequest

task = "judge"


@asks("place.PlaceRequest")
def plan(asked: PlaceRequest, place: Place) -> int:
    """Say which objects belong on which tier, and what that gains.

    From counts of I/Os for each object and the latencies of each tier: the best plan within capacities, budget and pins, with a
    proof of how far from best it can be, and the gain for every budget. The counts come from a live PostgreSQL, from what a DBA
    of an Oracle Database sends, from reports, or from a file. Nothing is moved.
    """
    from plimsoll.cli.ask import ask_password
    from plimsoll.cli.session import session
    from plimsoll.flows.place import place_objects

    with session(place) as here:
        return here.finish_run(place_objects(here.ctx, asked, ask_password))


command = Group(own=plan)
command.command("flash")(flash)
command.command("query")(query)
command.command("script")(script)
command.command("apply")(apply)
