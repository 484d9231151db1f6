"""The verb `fio`: job files of fio's dialect."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from plimsoll.cli import options
from plimsoll.cli.output import print_document

if TYPE_CHECKING:
    from plimsoll.base.errors import ExitStatus
    from plimsoll.flows.fio import FioOutcome


def command(
    job_file: Annotated[
        Path,
        typer.Argument(
            metavar="JOBFILE",
            help="Job file of fio; supported keys are in docs/fio.md.",
            show_default=False,
            readable=False,
        ),
    ],
    directory: Annotated[
        str | None,
        typer.Option(
            "--directory",
            metavar="DIR",
            help="Folder of the files, in place of each job's directory.",
            show_default=False,
        ),
    ] = None,
    fio_json: Annotated[
        str | None,
        typer.Option(
            "--fio-json",
            metavar="FILE|-",
            help="Write the result in the shape of fio's JSON; - is standard output.",
            show_default=False,
        ),
    ] = None,
    destroy: options.Destroy = [],  # noqa: B006 - typer copies it
    json: options.Json = False,
    events: options.Events = None,
    store: options.StorePlace = None,
) -> int:
    """Run a job file of fio, as far as its keys are known.

    Files that do not exist are made in full and removed after. A key that is not supported is an error.
    """
    from plimsoll.base.errors import UsageError
    from plimsoll.cli import output
    from plimsoll.cli.place import Place
    from plimsoll.cli.session import session
    from plimsoll.dialects.fio.results import document, job_results
    from plimsoll.flows.fio import FioRequest, run_job_file, write_fio_json

    if json and fio_json == "-":
        raise UsageError(
            "output-conflict",
            "--json and --fio-json - would both write to standard output",
            "Give --fio-json a file.",
        )
    with session(Place(json, events, store)) as here:
        outcome = run_job_file(here.ctx, FioRequest(job_file, directory, tuple(destroy)))
        run = outcome.run
        if fio_json is not None and fio_json != "-":
            write_fio_json(outcome, Path(fio_json))

        def show() -> None:
            from plimsoll.cli.show_fio import show_jobs

            if fio_json == "-":
                print_document(outcome.as_fio_json())
            else:
                show_jobs(run)

        data = [{"run": run.id, **document(result)} for result in job_results(run.cells)]
        status = here.finish("fio", data, show, run.notes, _status(outcome))
        return status if outcome.failure is None else output.fail(outcome.failure)


def _status(outcome: FioOutcome) -> ExitStatus:
    """The worst that happened: an end before its time, I/Os that failed, a number that is not the storage's."""
    from plimsoll.base.errors import ExitStatus
    from plimsoll.cli.finish import checks_status

    if outcome.failure is not None:
        return outcome.failure.status
    if outcome.run.interrupted:
        return ExitStatus.INTERRUPTED
    if any(cell.errors for cell in outcome.run.cells):
        return ExitStatus.WORLD_FAILED
    return checks_status(check for cell in outcome.run.cells for check in cell.checks)
