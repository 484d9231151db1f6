"""The verb `shapes`: what the parts of a database do to each other on one storage."""

from __future__ import annotations

from typing import TYPE_CHECKING

from plimsoll.cli.asking import asks

if TYPE_CHECKING:
    from plimsoll.cli.place import Place
    from plimsoll.requests.shapes import ShapesRequest


task = "measure"


@asks("shapes.ShapesRequest")
def command(asked: ShapesRequest, place: Place) -> int:
    """Measure what database clients do to each other.

    Readers, scans, checkpoints and the log, each alone and beside each other. The measured time is that of each combination.
    """
    from plimsoll.cli.session import session
    from plimsoll.flows.shapes import measure_shapes

    with session(place) as here:
        return here.finish_run(measure_shapes(here.ctx, asked))
