"""The verb `io`: one workload cell."""

from __future__ import annotations

from typing import TYPE_CHECKING

from plimsoll.cli.asking import asks

if TYPE_CHECKING:
    from plimsoll.cli.place import Place
    from plimsoll.requests.io import IoRequest


@asks("io.IoRequest")
def command(asked: IoRequest, place: Place) -> int:
    """Measure one workload: rate, latency and cost."""
    return _cell(asked, place) if asked.fill is None else _fill(asked, place)


def _cell(asked: IoRequest, place: Place) -> int:
    from plimsoll.base.errors import ExitStatus
    from plimsoll.cli.finish import checks_status, failed
    from plimsoll.cli.session import session
    from plimsoll.flows.io import measure_io

    with session(place) as here:
        run = measure_io(here.ctx, asked)
        cell = run.cell
        assert cell is not None, "an io run has a cell"
        lost = any(one.errors for one in (cell, *run.cells)) or failed(run.notes)
        status = ExitStatus.WORLD_FAILED if lost else checks_status(cell.checks)

        def show() -> None:
            from plimsoll.cli.show import show_cell

            show_cell(run)

        data = {
            "run": run.id,
            **cell.model_dump(mode="json"),
            "target": run.target and run.target.model_dump(mode="json"),
        }
        return here.finish("io", data, show, run.notes, ExitStatus.INTERRUPTED if run.interrupted else status)


def _fill(asked: IoRequest, place: Place) -> int:
    """The same workload at each level of fill."""
    from plimsoll.base.errors import ExitStatus
    from plimsoll.cli.finish import checks_status, failed
    from plimsoll.cli.session import session
    from plimsoll.cli.show_fill import fill_data, show_fill
    from plimsoll.flows.io_fill import measure_fill

    with session(place) as here:
        run = measure_fill(here.ctx, asked)
        found = run.fill
        assert found is not None, "a run with levels of fill has them"
        cells = [level.cell for level in found.levels]
        status = checks_status(check for cell in cells for check in cell.checks)
        if any(cell.errors for cell in cells) or failed(run.notes):
            status = ExitStatus.WORLD_FAILED
        if run.interrupted:
            status = ExitStatus.INTERRUPTED
        return here.finish("io-fill", fill_data(run), lambda: show_fill(run), run.notes, status)
