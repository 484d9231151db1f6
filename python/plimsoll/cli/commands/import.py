"""The verb `import`: results of other tools."""

# The file is called what the verb is called, and the registry imports it by name.
# ruff: noqa: N999

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from plimsoll.cli.asking import asks

if TYPE_CHECKING:
    from plimsoll.cli.place import Place
    from plimsoll.facts import Run
    from plimsoll.requests.imports import ImportRequest


task = "keep"


@asks("imports.ImportRequest")
def command(asked: ImportRequest, place: Place) -> int:
    """Import results of fio, ORION, pgbench and other benchmarks.

    These others are HdrHistogram, iperf3, hpcc, bonnie++, iozone and perftest. Each file becomes a stored run. What the other tool
    does not tell stays unknown.
    """
    from plimsoll.cli import output
    from plimsoll.cli.data import of_runs
    from plimsoll.cli.session import session
    from plimsoll.facts import Note
    from plimsoll.flows.imports import documents, import_files
    from plimsoll.flows.notes import by_code

    with session(place) as here:
        outcome = import_files(here.ctx, [Path(path) for path in asked.paths])
        notes = [note for _, run in outcome.taken for note in run.notes]
        for failure in outcome.failures:
            if place.json:
                notes.append(Note(code="import-failed", message=failure.error.message))
            output.fail(failure.error)

        def show() -> None:
            for path, run in outcome.taken:
                _show(path, run)

        runs = [run for _, run in outcome.taken]
        return here.finish(
            "import", documents(outcome), show, by_code(notes), outcome.status, lambda: of_runs(runs)
        )


def _show(path: Path, run: Run) -> None:
    """What a file held."""
    from plimsoll.cli.output import say, say_run
    from plimsoll.cli.show import show_result

    say(f"{path}: {run.title}")
    if run.results:
        show_result(run)
    else:
        say_run(run)
