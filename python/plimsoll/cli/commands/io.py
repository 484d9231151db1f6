"""The verb `io`: one workload cell."""

from __future__ import annotations

from typing import TYPE_CHECKING

from plimsoll.cli.asking import asks

if TYPE_CHECKING:
    from plimsoll.cli.place import Place
    from plimsoll.requests.io import IoRequest


task = "measure"


@asks("io.IoRequest")
def command(asked: IoRequest, place: Place) -> int:
    """Measure one workload: rate, latency and cost."""
    from plimsoll.cli.session import session
    from plimsoll.flows.hot_file import measure_hot_file
    from plimsoll.flows.io import measure_io
    from plimsoll.flows.io_fill import measure_fill
    from plimsoll.flows.io_hosts import measure_on_hosts
    from plimsoll.requests.shared import on_hosts

    alone = measure_io if asked.fill is None else measure_fill
    together = measure_hot_file if asked.hot_file else measure_on_hosts
    with session(place) as here:
        return here.finish_run((together if on_hosts(asked) else alone)(here.ctx, asked))
