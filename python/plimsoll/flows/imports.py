"""`plimsoll import`: results of other tools as stored runs. A file that cannot be read does not stop the others."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from plimsoll.base.errors import ExitStatus, PlimsollError, UnreadableError, UsageError
from plimsoll.context import Context
from plimsoll.dialects import foreign
from plimsoll.dialects.fio.results import document, job_results
from plimsoll.dialects.foreign import FIGURES_DIFFER, FIGURES_UNREAD, IOS_FAILED, Imported
from plimsoll.facts import Note, Run
from plimsoll.flows.named import status_of_unopened
from plimsoll.flows.record import make_run, saved
from plimsoll.store.ids import content_run_id


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
        """Done in part when some files failed, contradict themselves, or have figures that are none.

        When none could be opened, as `read` says it.

        I/Os that failed end it as they end a measurement.
        """
        if self.failures:
            return (None if self.taken else self._unopened) or ExitStatus.DONE_IN_PART
        said = {note.code for _, run in self.taken for note in run.notes}
        if IOS_FAILED in said:
            return ExitStatus.WORLD_FAILED
        return ExitStatus.DONE_IN_PART if said & {FIGURES_DIFFER, FIGURES_UNREAD} else ExitStatus.DONE

    @property
    def _unopened(self) -> ExitStatus | None:
        """How it ends where no file could be opened; None where one was."""
        errors = [failure.error for failure in self.failures]
        missing = sum(isinstance(error, UsageError) for error in errors)
        unopened = sum(not isinstance(error, UnreadableError) for error in errors)
        return status_of_unopened(len(errors), unopened, missing)


def import_files(ctx: Context, paths: Sequence[Path]) -> Outcome:
    """Stores one run for each file, or for each result where a file holds several.

    Raises the error of the only file when there is but one and nothing in it can be read; see Outcome for several.
    """
    taken: list[tuple[Path, Run]] = []
    known: set[tuple[Path, ...]] = set()
    failures: list[Failure] = []
    for path in paths:
        ctx.cancel.check()
        began_at = ctx.clock.now()
        try:
            found = foreign.read(path)
        except PlimsollError as error:
            if len(paths) == 1:
                raise
            failures.append(Failure(path, error))
        else:
            # Several files may belong to one test of ORION's: it is taken in once.
            if found.files not in known:
                taken += [(path, _stored(ctx, path, one, began_at)) for one in (found, *found.more)]
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
    if run.operation_log is not None:
        yield run.operation_log.model_dump(mode="json")
    if (bench := run.results.get("foreign_bench")) is not None:
        yield bench.model_dump(mode="json")


def _stored(ctx: Context, path: Path, found: Imported, began_at: datetime) -> Run:
    """Its time is that of the measurement where the file tells it, and then its id is that of its content; else it is that of
    the import, which began at `began_at`.
    """
    targets = found.targets
    run = make_run(
        ctx,
        "import",
        f"{found.tool_version or found.tool} {path.absolute().name}: {found.title}",
        found.started_at or began_at,
        id=_content_id(found),
        ended_at=found.ended_at,
        target=targets[0] if targets else None,
        targets=targets,
        cells=found.cells,
        calibration=found.calibration,
        operation_log=found.operation_log,
        foreign_bench=found.bench,
        notes=(_about(found), *found.notes),
    )
    message = f"{path} was imported before, as run {run.id}, and is not stored again"
    return saved(ctx, run, Note(code="import-known", message=message))


def _content_id(found: Imported) -> str | None:
    """Of the same result the same, whatever its file is called and what else stands in it; None without a time of its own."""
    if found.started_at is None:
        return None
    digest = hashlib.sha256((found.tool_version or found.tool).encode())
    for cell in found.cells:
        digest.update(cell.model_dump_json().encode())
    if found.operation_log is not None:
        digest.update(found.operation_log.model_dump_json().encode())
    if found.bench is not None:
        digest.update(found.bench.model_dump_json().encode())
    return content_run_id(found.started_at.astimezone(UTC).isoformat(), digest.hexdigest())


def _about(found: Imported) -> Note:
    """Where it comes from: the machine that is named with the run is the one that read it."""
    files = ", ".join(str(path.absolute()) for path in found.files)
    when = "" if found.ended_at is None else f", measured until {found.ended_at:%Y-%m-%d %H:%M:%S %Z}"
    message = f"imported from {files}, written by {found.tool_version or found.tool}{when}"
    return Note(code="imported", message=f"{message}; the host named with this run is the one that read it")
