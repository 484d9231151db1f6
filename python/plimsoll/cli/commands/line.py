"""The verb `line`: the highest rate at which the objective still holds."""

from __future__ import annotations

from typing import TYPE_CHECKING

from plimsoll.cli.asking import asks

if TYPE_CHECKING:
    from plimsoll.cli.place import Place
    from plimsoll.requests.line import LineRequest


task = "measure"


@asks("line.LineRequest")
def command(asked: LineRequest, place: Place) -> int:
    """Find the highest rate that keeps an objective.

    Arrivals come at a rate whatever became of the earlier ones, and latency counts from when each was due.
    """
    from plimsoll.cli.session import session
    from plimsoll.flows.line import measure_line
    from plimsoll.flows.line_hosts import measure_line_on_hosts
    from plimsoll.requests.shared import on_hosts

    with session(place) as here:
        return here.finish_run((measure_line_on_hosts if on_hosts(asked) else measure_line)(here.ctx, asked))
