"""The verb `settle`: a stored verdict held against what happened after the move."""

from __future__ import annotations

from typing import TYPE_CHECKING

from plimsoll.cli.asking import asks

if TYPE_CHECKING:
    from plimsoll.cli.place import Place
    from plimsoll.requests.settle import SettleRequest


task = "judge"


@asks("settle.SettleRequest")
def command(asked: SettleRequest, place: Place) -> int:
    """Check a stored verdict against a later demand.

    The demand is one of the same database, taken on the storage that was judged: a file, a stored run, or reports.
    """
    from plimsoll.cli.session import session
    from plimsoll.flows.settle import settle_prediction

    with session(place) as here:
        return here.finish_run(settle_prediction(here.ctx, asked))
