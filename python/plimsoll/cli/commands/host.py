"""The verbs of `host`: how a host is built that databases share."""

from __future__ import annotations

from typing import TYPE_CHECKING

from plimsoll.cli.asking import asks
from plimsoll.cli.group import Group

if TYPE_CHECKING:
    from plimsoll.cli.place import Place
    from plimsoll.requests.host import HostShowRequest

task = "learn"
command = Group("Look at how a host is built.")


@command.command("show")
@asks("host.HostShowRequest")
def show(asked: HostShowRequest, place: Place) -> int:
    """Show how a host is built: NUMA nodes, cores, caches, distances, and the node of each disk and network card.

    Of this host, or of one that was recorded elsewhere. What could not be read, or contradicts itself, is named; nothing is
    guessed, and nothing is changed.
    """
    from plimsoll.cli.session import session
    from plimsoll.flows.host_show import show_host

    with session(place) as here:
        return here.finish_run(show_host(here.ctx, asked))
