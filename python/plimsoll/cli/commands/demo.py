"""The verb `demo`: the main job from end to end, on this machine alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from plimsoll.cli.asking import asks
from plimsoll.cli.output import say

if TYPE_CHECKING:
    from plimsoll.cli.place import Place
    from plimsoll.requests.demo import DemoRequest


task = "judge"


@asks("demo.DemoRequest")
def command(asked: DemoRequest, place: Place) -> int:
    """Do the main job once, on this machine alone.

    Measures storage, drives a PostgreSQL of its own beside it, judges, and writes the report.
    """
    from plimsoll.base.errors import ExitStatus
    from plimsoll.cli.data import of_runs
    from plimsoll.cli.session import session
    from plimsoll.flows.demo import demo

    with session(place) as here:
        shown = demo(here.ctx, asked)

        def show() -> None:
            from plimsoll.cli.results import verdict

            verdict.show(shown.run)
            say(shown.page)

        verdict = shown.run.verdict
        data = {
            "run": shown.run.id,
            "report": str(shown.page),
            "verdict": verdict and verdict.model_dump(mode="json"),
        }
        status = ExitStatus.INTERRUPTED if shown.run.interrupted else ExitStatus.DONE
        return here.finish("demo", data, show, shown.run.notes, status, lambda: of_runs([shown.run]))
