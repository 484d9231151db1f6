"""The verb `shapes`: what the parts of a database do to each other on one storage."""

from __future__ import annotations

from typing import TYPE_CHECKING

from plimsoll.cli.asking import asks

if TYPE_CHECKING:
    from plimsoll.cli.place import Place
    from plimsoll.requests.shapes import ShapesRequest


@asks("shapes.ShapesRequest")
def command(asked: ShapesRequest, place: Place) -> int:
    """Measure what database clients do to each other.

    Readers, scans, checkpoints and the log, each alone and beside each other. The measured time is that of each combination.
    """
    from plimsoll.base.errors import ExitStatus
    from plimsoll.cli.finish import checks_status, failed
    from plimsoll.cli.session import session
    from plimsoll.flows.shapes import measure_shapes

    with session(place) as here:
        run = measure_shapes(here.ctx, asked)
        found = run.interference
        assert found is not None, "a shapes run has an interference matrix"
        lost = failed(run.notes) or any(one.cell.errors for one in found.encounters)
        checks = [check for one in found.encounters for check in one.cell.checks]
        status = ExitStatus.WORLD_FAILED if lost else checks_status(checks)

        def show() -> None:
            from plimsoll.cli.show_shapes import show_shapes

            show_shapes(run)

        data = {"run": run.id, **found.model_dump(mode="json")}
        return here.finish(
            "shapes", data, show, run.notes, ExitStatus.INTERRUPTED if run.interrupted else status
        )
