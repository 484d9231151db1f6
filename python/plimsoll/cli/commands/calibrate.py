"""The verb `calibrate`: ORION's matrix of small and large loads in long words, and what CALIBRATE_IO would answer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from plimsoll.cli.asking import asks

if TYPE_CHECKING:
    from collections.abc import Callable

    from plimsoll.cli.place import Place
    from plimsoll.context import Context
    from plimsoll.facts import Run
    from plimsoll.requests.calibrate import CalibrateRequest


task = "measure"


@asks("calibrate.CalibrateRequest")
def command(asked: CalibrateRequest, place: Place) -> int:
    """Find what storage gives at each load, and its knee.

    Small random I/Os and large ones are kept outstanding in rising numbers, apart and beside each other, as by ORION.
    """
    from plimsoll.cli.session import session

    with session(place) as here:
        return here.finish_run(_flow(asked)(here.ctx, asked))


def _flow(asked: CalibrateRequest) -> Callable[[Context, CalibrateRequest], Run]:
    """What is to be done, by the words that were given."""
    from plimsoll.requests.shared import on_hosts

    if on_hosts(asked):
        from plimsoll.flows.calibrate_hosts import calibrate_on_hosts

        return calibrate_on_hosts
    if asked.working_sets is not None:
        from plimsoll.flows.calibrate_working_sets import measure_working_sets

        return measure_working_sets
    if asked.ladder:
        from plimsoll.flows.calibrate_ladder import measure_ladder

        return measure_ladder
    if asked.like is not None:
        from plimsoll.flows.calibrate_io import measure_calibrate_io

        return measure_calibrate_io
    from plimsoll.flows.calibrate import calibrate

    return calibrate
