"""The verb `fio`: job files of fio's dialect."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from plimsoll.cli import options


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
    from plimsoll.base.errors import ExitStatus, UsageError
    from plimsoll.cli.finish import checks_status
    from plimsoll.cli.session import session
    from plimsoll.flows.fio import FioRequest, run_job_file, write_fio_json
    from plimsoll.supply.fio.results import document, job_results

    if json and fio_json == "-":
        raise UsageError(
            "output-conflict",
            "--json and --fio-json - would both write to standard output",
            "Give --fio-json a file.",
        )
    with session(json, events, store) as here:
        outcome = run_job_file(here.ctx, FioRequest(job_file, directory, tuple(destroy)))
        run = outcome.run
        failed = any(cell.errors for cell in run.cells)
        checks = [check for cell in run.cells for check in cell.checks]
        status = ExitStatus.WORLD_FAILED if failed else checks_status(checks)
        if fio_json is not None and fio_json != "-":
            write_fio_json(outcome, Path(fio_json))

        def show() -> None:
            from plimsoll.cli.show_fio import show_jobs

            if fio_json == "-":
                print(outcome.as_fio_json())
            else:
                show_jobs(run)

        data = [{"run": run.id, **document(result)} for result in job_results(run.cells)]
        return here.finish(
            "fio", data, show, run.notes, ExitStatus.INTERRUPTED if run.interrupted else status
        )
