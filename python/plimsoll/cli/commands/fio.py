"""The verb `fio`: job files of fio's dialect."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from plimsoll.cli.asking import asks
from plimsoll.cli.output import print_document

if TYPE_CHECKING:
    from plimsoll.base.errors import ExitStatus
    from plimsoll.cli.place import Place
    from plimsoll.flows.fio import FioOutcome
    from plimsoll.requests.fio import FioRequest


task = "measure"


@asks("fio.FioRequest")
def command(asked: FioRequest, place: Place) -> int:
    """Run a job file of fio, as far as its keys are known.

    Files that do not exist are made in full and removed after. A key that is not supported is an error.
    """
    from plimsoll.base.errors import UsageError
    from plimsoll.cli import output
    from plimsoll.cli.data import of_runs
    from plimsoll.cli.session import session
    from plimsoll.dialects.fio.results import document, job_results
    from plimsoll.flows.fio import run_job_file, write_fio_json

    if not place.is_for_people and asked.fio_json == "-":
        given = "--json" if place.json else f"--format {place.form}"
        raise UsageError(
            "output-conflict",
            f"{given} and --fio-json - would both write to standard output",
            "Give --fio-json a file.",
        )
    with session(place) as here:
        outcome = run_job_file(here.ctx, asked)
        run = outcome.run
        if asked.fio_json is not None and asked.fio_json != "-":
            write_fio_json(outcome, Path(asked.fio_json))

        def show() -> None:
            from plimsoll.cli.results import cells

            if asked.fio_json == "-":
                print_document(outcome.as_fio_json())
            else:
                cells.show(run)

        data = [{"run": run.id, **document(result)} for result in job_results(run.cells)]
        status = here.finish("fio", data, show, run.notes, _status(outcome), lambda: of_runs([run]))
        return status if outcome.failure is None else output.fail(outcome.failure)


def _status(outcome: FioOutcome) -> ExitStatus:
    """The worst that happened: an end before its time, I/Os that failed, a number that is not valid."""
    from plimsoll import results

    return results.status(outcome.run) if outcome.failure is None else outcome.failure.status
