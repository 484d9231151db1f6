"""The verb `commits`: what commits wait for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from plimsoll.cli.asking import asks

if TYPE_CHECKING:
    from plimsoll.cli.place import Place
    from plimsoll.requests.commits import CommitsRequest


task = "learn"
stays = True


@asks("commits.CommitsRequest")
def command(asked: CommitsRequest, place: Place) -> int:
    """Show what commits wait for: disk, processor or each other.

    A probe in the kernel takes each commit of any process apart: waiting for others, for the write, for the flush and for a
    processor, and being on one. It wants root, or CAP_BPF with CAP_PERFMON. It changes nothing, but first takes back what
    killed commands left, as all do.
    """
    from plimsoll.cli.session import session
    from plimsoll.flows.commits import watch_commits

    with session(place) as here:
        return here.finish_run(watch_commits(here.ctx, asked))
