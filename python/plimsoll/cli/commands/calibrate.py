"""The verb `calibrate`: ORION's matrix of small and large loads in long words, and what CALIBRATE_IO would answer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from plimsoll.base.errors import ExitStatus
from plimsoll.cli.asking import asks

if TYPE_CHECKING:
    from collections.abc import Sequence

    from plimsoll.cli.place import Place
    from plimsoll.cli.session import Session
    from plimsoll.facts import Cell, Run
    from plimsoll.requests.calibrate import CalibrateRequest


@asks("calibrate.CalibrateRequest")
def command(asked: CalibrateRequest, place: Place) -> int:
    """Find what storage gives at each load, and its knee.

    Small random I/Os and large ones are kept outstanding in rising numbers, apart and beside each other, as by ORION.
    """
    from plimsoll.cli.session import session

    with session(place) as here:
        if asked.working_sets is not None:
            return _working_sets(here, asked)
        if asked.ladder:
            return _ladder(here, asked)
        return _matrix(here, asked)


def _matrix(here: Session, asked: CalibrateRequest) -> int:
    from plimsoll.cli.calibration_data import calibration_data
    from plimsoll.cli.show_calibration import show_calibration
    from plimsoll.flows.calibrate import calibrate
    from plimsoll.flows.calibrate_io import measure_calibrate_io

    run = (calibrate if asked.like is None else measure_calibrate_io)(here.ctx, asked)
    status = calibration_status(run)
    return here.finish("calibrate", calibration_data(run), lambda: show_calibration(run), run.notes, status)


def _working_sets(here: Session, asked: CalibrateRequest) -> int:
    from plimsoll.cli.show_working_sets import show_working_sets, working_sets_data
    from plimsoll.flows.calibrate_working_sets import measure_working_sets

    run = measure_working_sets(here.ctx, asked)
    cells = [one.cell for one in run.working_sets.sets] if run.working_sets else []
    status = _status(run, cells, [])
    data = working_sets_data(run)
    return here.finish("calibrate-working-sets", data, lambda: show_working_sets(run), run.notes, status)


def _ladder(here: Session, asked: CalibrateRequest) -> int:
    from plimsoll.cli.show_ladder import ladder_data, show_ladder
    from plimsoll.flows.calibrate_ladder import measure_ladder

    run = measure_ladder(here.ctx, asked)
    curves = run.ladder.curves if run.ladder else ()
    status = _status(run, [step.cell for one in curves for step in one.steps], [])
    return here.finish("calibrate-ladder", ladder_data(run), lambda: show_ladder(run), run.notes, status)


def _status(run: Run, cells: Sequence[Cell], noes: Sequence[bool]) -> ExitStatus:
    """4 when storage failed, 1 when a figure is not the storage's or an answer is no."""
    from plimsoll.supply.checks import deciding
    from plimsoll.supply.link_bound import is_exceeded

    if run.interrupted:
        return ExitStatus.INTERRUPTED
    if any(note.code == "point-failed" for note in run.notes):
        return ExitStatus.WORLD_FAILED
    links = run.links
    # Links that the user named may be others than those that are there: then only the note warns.
    beyond = links is not None and not links.stated and is_exceeded(links.used_share)
    failed = deciding(check for cell in cells for check in cell.checks)
    return ExitStatus.ANSWER_IS_NO if failed or beyond or any(noes) else ExitStatus.DONE


def calibration_status(run: Run) -> ExitStatus:
    """4 when I/Os failed, 1 when a check says that figures are not the storage's or no load kept the latency bound."""
    found = run.calibration
    assert found is not None, "a calibrate run has a calibration"
    missed = found.io_calibration is not None and found.io_calibration.max_iops is None
    return _status(run, [point.cell for point in found.points if point.cell], [missed])
