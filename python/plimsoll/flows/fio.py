"""`plimsoll fio`: runs a job file of fio's dialect, phase by phase, into one stored run with a cell for each phase."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

from plimsoll.base.errors import PlimsollError, world_error
from plimsoll.context import Context
from plimsoll.dialects.fio import job_file
from plimsoll.dialects.fio.job_file import Job
from plimsoll.dialects.fio.json_write import FIO_JSON_START, Samples, fio_json
from plimsoll.dialects.fio.logs import LogPaths, Piece, check_log_place, log_paths, logs, pieces, write_log
from plimsoll.dialects.fio.phases import Phase, phases
from plimsoll.dialects.fio.places import Place, engine_of, no_places, paths, places
from plimsoll.dialects.fio.plan import Load, first_delay_us, load
from plimsoll.dialects.fio.rate_checks import rate_checks
from plimsoll.dialects.fio.results import job_results
from plimsoll.facts import Cell, Note, PlanGroup, Run, Target
from plimsoll.flows.notes import by_code
from plimsoll.flows.record import record
from plimsoll.ports import files, page_cache
from plimsoll.requests.fio import FioRequest
from plimsoll.supply import remote
from plimsoll.supply.checks import with_checks
from plimsoll.supply.choose import check_engine
from plimsoll.supply.engine import measure
from plimsoll.supply.targets import Opened, on_opened, opened, permits_of

if TYPE_CHECKING:
    from plimsoll.native.engine import Row

_STAGE = "fio"
_PAGE_CACHE = "page-cache"


@dataclass(frozen=True)
class FioOutcome:
    """The run, and the jobs of the file; one that was interrupted or failed has cells for the first of them."""

    run: Run
    jobs: tuple[Job, ...]
    failure: PlimsollError | None = None
    """What ended the run after some of its phases, or kept a log from being written."""
    samples: Samples = field(default_factory=dict)

    def as_fio_json(self) -> str:
        """The result in the shape of fio's JSON."""
        return fio_json(self.jobs, job_results(self.run.cells), self.run.ended_at, self.samples)


@dataclass
class _Kept:
    """What the cells do not hold: each class in each window, for logs and for fio's JSON."""

    names: LogPaths
    phases: int = 0
    samples: dict[tuple[int, str], list[Piece]] = field(default_factory=dict)
    texts: list[tuple[Path, str]] = field(default_factory=list)

    def take(self, phase: Phase, groups: Sequence[PlanGroup], rows: Sequence[Row]) -> None:
        """From the rows of a phase that is over."""
        for job, group in zip(phase, groups, strict=True):
            self.texts += logs(job, group, rows, self.names)
            for piece in pieces(group, rows):
                self.samples.setdefault((self.phases, piece.row["class"]), []).append(piece)
        self.phases += 1

    def write_logs(self) -> PlimsollError | None:
        """What kept one from being written: the results are stored by then, and shall be shown."""
        try:
            for path, text in self.texts:
                write_log(path, text)
        except PlimsollError as error:
            return error
        return None


def run_job_file(ctx: Context, asked: FioRequest) -> FioOutcome:
    """Makes what files are missing, runs the phases, takes the files away again, stores and returns the run."""
    started_at = ctx.clock.now()
    jobs = _jobs(asked)
    remote.refuse("plimsoll fio", *(name for job in jobs for name in _names(job)))
    stages = phases(jobs)
    needed = places(jobs, asked.destroy)
    kept = _Kept(log_paths(jobs))
    for path in (path for own in kept.names.values() for path in own.values()):
        check_log_place(path)
    for job in jobs:
        check_engine(engine_of(job))
    with ExitStack() as stack:
        made = {place.path: _named(stack.enter_context(opened(ctx, place.wish)), place) for place in needed}
        made |= {target.name: Opened(target) for target in no_places(jobs)}
        cells, notes, failure = _run(ctx, stages, made, kept)
    targets = tuple(one.target for one in made.values())
    run = record(
        ctx,
        "fio",
        f"{Path(asked.path).name}: {', '.join(job.label for job in jobs)}",
        started_at,
        interrupted=failure is None and (len(cells) < len(stages) or cells[-1].ended_early == "stopped"),
        target=targets[0],
        targets=targets,
        cells=cells,
        notes=by_code((*_about_files(needed), *notes)),
    )
    return FioOutcome(run, jobs, failure or kept.write_logs(), kept.samples)


def write_fio_json(outcome: FioOutcome, path: Path) -> None:
    """Writes the result in the shape of fio's JSON. Raises WorldError `output-refused`."""
    try:
        files.write_text_atomically(path, outcome.as_fio_json() + "\n", FIO_JSON_START)
    except OSError as error:
        raise world_error("output-refused", f"write {path}", error, "Name another file, or -.") from error


def _jobs(asked: FioRequest) -> tuple[Job, ...]:
    jobs = job_file.read(Path(asked.path), os.environ)
    if asked.directory is None:
        return jobs
    return tuple(replace(job, directory=asked.directory) for job in jobs)


def _names(job: Job) -> Iterator[str]:
    """Folder and files as they were meant: fio takes a colon for the end of a file's name."""
    yield job.directory
    yield from job.filenames
    yield from (f"{scheme}:{rest}" for scheme, rest in pairwise(job.filenames))


def _named(made: Opened, place: Place) -> Opened:
    """Under the name that the job file gives it, and without the remark that speaks of our own option for buffered I/O."""
    notes = tuple(note for note in made.target.notes if note.code != _PAGE_CACHE)
    return replace(made, target=made.target.model_copy(update={"name": place.path, "notes": notes}))


def _run(
    ctx: Context, stages: tuple[Phase, ...], made: Mapping[str, Opened], kept: _Kept
) -> tuple[tuple[Cell, ...], list[Note], PlimsollError | None]:
    """One cell for each phase, until somebody wants to stop or one fails; a failure of the first is raised."""
    cells: list[Cell] = []
    began_at = ctx.clock.now()
    notes = [note for one in made.values() for note in one.target.notes]
    for phase in stages:
        left = _delayed(ctx, phase, began_at)
        if ctx.cancel.is_set:
            break
        try:
            cell, said = _phase(ctx, left, made, kept)
        except PlimsollError as error:
            if not cells:
                raise
            words = f"job {phase[0].label} and what follows it did not run: {error.message}"
            return tuple(cells), [*notes, Note(code="fio-failed", message=words)], error
        cells.append(cell)
        notes += said
    if not cells:
        ctx.cancel.check()
    return tuple(cells), notes, None


def _delayed(ctx: Context, phase: Phase, began_at: datetime) -> Phase:
    """The phase, after the time in which none of its jobs runs: as in fio, a delay counts from the beginning of the file's run."""
    elapsed_us = round((ctx.clock.now() - began_at).total_seconds() * 1e6)
    left = tuple(replace(job, delay_us=max(0, job.delay_us - elapsed_us)) for job in phase)
    ctx.cancel.wait(first_delay_us(left) / 1e6)
    return left


def _phase(ctx: Context, phase: Phase, made: Mapping[str, Opened], kept: _Kept) -> tuple[Cell, list[Note]]:
    targets = {path: one.target for path, one in made.items()}
    ready = load(phase, targets, seed=int(ctx.clock.now().timestamp() * 1e6))
    _drop_cached(phase, targets)
    cell = _measure(ctx, phase, ready, made, kept)
    return cell, [*ready.notes, *cell.notes]


def _measure(ctx: Context, phase: Phase, ready: Load, made: Mapping[str, Opened], kept: _Kept) -> Cell:
    own = {path: made[path] for job in phase for path in paths(job)}.values()
    plan = on_opened(ready.plan, *own).on(*ready.targets)
    stage = f"{_STAGE} {', '.join(group.name for group in plan.groups)}"
    rows: list[Row] = []
    cell = measure(plan, permits_of(own), ctx.cancel, ctx.live, stage, on_rows=rows.extend)
    kept.take(phase, plan.groups, rows)
    return _checked(cell, ready, phase)


def _checked(cell: Cell, ready: Load, phase: Phase) -> Cell:
    """With the checks on it. The checks know one stretch, so jobs at once go without them."""
    asked = tuple(rate_checks(phase, job_results([cell])))
    if len(phase) > 1:
        return cell.model_copy(update={"checks": asked})
    whole = sum(target.span_bytes for target in ready.targets)
    return with_checks(cell, ready.targets[0].model_copy(update={"span_bytes": whole}), asked)


def _drop_cached(phase: Phase, targets: Mapping[str, Target]) -> None:
    """fio's invalidate: what the page cache holds of the files goes before the job."""
    for path in dict.fromkeys(path for job in phase if job.invalidate for path in paths(job)):
        if targets[path].kind != "simulated":
            with _target_errors(path):
                page_cache.drop(Path(targets[path].path))


@contextmanager
def _target_errors(path: str) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        hint = "Write invalidate=0 in the job to leave its cache alone."
        raise world_error("target-unreadable", f"drop what is cached of {path}", error, hint) from error


def _about_files(needed: tuple[Place, ...]) -> list[Note]:
    made = [place.path for place in needed if place.bytes_to_make is not None]
    if not made:
        return []
    names = ", ".join(made[:3]) + (f" and {len(made) - 3} more" if len(made) > 3 else "")
    message = f"{names} did not exist: made, written in full with random data, and removed after; fio would keep them"
    return [Note(code="fio-laid-out", message=message)]
