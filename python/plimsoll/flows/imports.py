"""`plimsoll import`: results of other tools as stored runs. A file that cannot be read does not stop the others."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from plimsoll.base.errors import ExitStatus, PlimsollError
from plimsoll.context import Context
from plimsoll.dialects import foreign
from plimsoll.dialects.fio.results import document, job_results
from plimsoll.dialects.foreign import FIGURES_DIFFER, IOS_FAILED, Imported
from plimsoll.facts import Note, Run
from plimsoll.flows.record import record


@dataclass(frozen=True)
class Failure:
    """A file that was not taken in."""

    path: Path
    error: PlimsollError


@dataclass(frozen=True)
class Outcome:
    """What was taken in, with the files in the order of the command, and what was not."""

    taken: tuple[tuple[Path, Run], ...]
    failures: tuple[Failure, ...]

    @property
    def status(self) -> ExitStatus:
        """Done in part when some files failed, or say what contradicts itself; when all failed, as the first of them.

        I/Os that failed end it as they end a measurement.
        """
        said = {note.code for _, run in self.taken for note in run.notes}
        if not self.failures and IOS_FAILED in said:
            return ExitStatus.WORLD_FAILED
        if not self.failures:
            return ExitStatus.DONE_IN_PART if FIGURES_DIFFER in said else ExitStatus.DONE
        return ExitStatus.DONE_IN_PART if self.taken else self.failures[0].error.status


def import_files(ctx: Context, paths: Sequence[Path]) -> Outcome:
    """Stores one run for each file, or for each result where a file holds several.

    Raises the error of the only file when there is but one and nothing in it can be read; see Outcome for several.
    """
    taken: list[tuple[Path, Run]] = []
    known: set[tuple[Path, ...]] = set()
    failures: list[Failure] = []
    for path in paths:
        ctx.cancel.check()
        try:
            found = foreign.read(path)
        except PlimsollError as error:
            if len(paths) == 1:
                raise
            failures.append(Failure(path, error))
        else:
            # Several files may belong to one test of ORION's: it is taken in once.
            if found.files not in known:
                taken += [(path, _stored(ctx, path, one)) for one in (found, *found.more)]
                failures += [Failure(path, error) for error in found.failures]
            known.add(found.files)
    return Outcome(tuple(taken), tuple(failures))


def documents(outcome: Outcome) -> list[dict[str, Any]]:
    """JSON-ready: one for each job, and one for each calibration; all name their file and their run."""
    return [
        {"file": str(path), "run": run.id, **members}
        for path, run in outcome.taken
        for members in _members(run)
    ]


def _members(run: Run) -> Iterator[dict[str, Any]]:
    for result in job_results(run.cells):
        yield document(result)
    if run.calibration is not None:
        yield run.calibration.model_dump(mode="json")


def _stored(ctx: Context, path: Path, found: Imported) -> Run:
    targets = found.targets
    return record(
        ctx,
        "import",
        f"{found.tool_version or found.tool} {path.absolute().name}: {found.title}",
        ctx.clock.now(),
        target=targets[0] if targets else None,
        targets=targets,
        cells=found.cells,
        calibration=found.calibration,
        notes=(_about(found), *found.notes),
    )


def _about(found: Imported) -> Note:
    """Where it comes from: the machine and the instants of the run itself are those of the import."""
    files = ", ".join(str(path.absolute()) for path in found.files)
    when = "" if found.ended_at is None else f", measured until {found.ended_at:%Y-%m-%d %H:%M:%S %Z}"
    message = f"taken in from {files}, written by {found.tool_version or found.tool}{when}"
    return Note(code="imported", message=f"{message}; the host named with this run is the one that read it")
