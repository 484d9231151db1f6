"""The verb `agent`: one host's part of a measurement that was begun elsewhere."""

from __future__ import annotations

from typing import TYPE_CHECKING

from plimsoll.cli.asking import asks

if TYPE_CHECKING:
    from plimsoll.cli.place import Place
    from plimsoll.requests.agent import AgentRequest

task = "measure"


@asks("agent.AgentRequest")
def command(asked: AgentRequest, place: Place) -> int:
    """Do one host's part of a measurement on several.

    --hosts starts it on each of them and talks to it by its standard input and output. It ends with its client, and keeps nothing.
    """
    from plimsoll.cli.session import session
    from plimsoll.flows.agent import serve
    from plimsoll.ports.files import standard_streams

    heard, said = standard_streams()
    # Its client ends it, and takes what it says for a reason.
    with session(place, tells_end=False) as here:
        return int(serve(here.ctx, heard, said))
