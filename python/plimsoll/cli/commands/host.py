"""The verbs of `host`: how a host is built that databases share."""

from __future__ import annotations

from typing import TYPE_CHECKING

from plimsoll.cli.asking import asks
from plimsoll.cli.group import Group

if TYPE_CHECKING:
    from plimsoll.cli.place import Place
    from plimsoll.requests.host import HostShowRequest, HostSlicePlanRequest

task = "learn"
command = Group("Look at how a host is built, and divide it among databases.")


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


_slice = Group("Divide a host among databases.")
command.members["slice"] = _slice


@_slice.command("plan")
@asks("host.HostSlicePlanRequest")
def plan(asked: HostSlicePlanRequest, place: Place) -> int:
    """Plan which cores and how much memory of which NUMA nodes each database of a host is given.

    The plan costs the least there is, or says how near to that it is: whole cores, memory and devices near to them, few and
    unshared caches. Where the host has not enough, it says which constraint stands against it, and the smallest change that
    lifts it. Nothing is changed.
    """
    from plimsoll.cli.session import session
    from plimsoll.flows.host_slice_plan import plan_host_slices

    with session(place) as here:
        return here.finish_run(plan_host_slices(here.ctx, asked))
