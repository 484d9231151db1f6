"""The verb `watch`: who does which I/O on this host."""

from __future__ import annotations

from typing import TYPE_CHECKING

from plimsoll.cli.asking import asks

if TYPE_CHECKING:
    from plimsoll.cli.place import Place
    from plimsoll.requests.watch import WatchRequest


task = "learn"
stays = True


@asks("watch.WatchRequest")
def command(asked: WatchRequest, place: Place) -> int:
    """Show who does which I/O, to which file, and how late.

    A probe in the kernel counts every I/O by role, file, operation and disk; on a terminal the rows move while it lasts, and at
    the end they are held against the kernel's own counters. It wants root, or CAP_BPF with CAP_PERFMON. It changes nothing, but
    first takes back what killed commands left, as all do.
    """
    from plimsoll.cli.ask import ask_password
    from plimsoll.cli.session import session
    from plimsoll.flows.watch import watch_io

    with session(place) as here:
        return here.finish_run(watch_io(here.ctx, asked, ask_password))
