"""Which files a job works on, and how much of each: names and sizes as fio makes them up (fio(1), filename and size).

A job without file names has a file of its own for each of its clones, called NAME.CLONE.0; with names, all clones share them.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from plimsoll.base.errors import UsageError
from plimsoll.base.units import format_bytes
from plimsoll.dialects.fio.job_file import Job
from plimsoll.facts import Target
from plimsoll.native.engine import makes_real_ios
from plimsoll.supply import simulation
from plimsoll.supply.targets import Wish

_OURS = {"sync": "psync"}
"""fio's engines that are called otherwise here."""


@dataclass(frozen=True)
class Place:
    """What all jobs together ask of one file. `bytes_to_make` None: the file is there."""

    path: str
    wish: Wish
    bytes_to_make: int | None = None


def engine_of(job: Job) -> str:
    """Our engine for a job's."""
    return _OURS.get(job.ioengine, job.ioengine)


def moves_nothing(job: Job) -> bool:
    """Whether its engine does no I/O, and so has no files."""
    return not makes_real_ios(engine_of(job))


def paths(job: Job) -> tuple[str, ...]:
    """The job's files, in their order."""
    numbers = ((clone, file) for clone in range(job.numjobs) for file in range(job.file_count))
    own = tuple(f"{job.label}.{clone}.{file}".replace("/", "_") for clone, file in numbers)
    return tuple(_joined(job, name) for name in job.filenames or own)


def places(jobs: Iterable[Job], destroy: tuple[str, ...] = ()) -> tuple[Place, ...]:
    """Every file of the jobs, once. Raises UsageError `target-missing`, `job-unsupported`."""
    users: dict[str, list[Job]] = {}
    for job in jobs:
        for path in () if moves_nothing(job) else paths(job):
            users.setdefault(path, []).append(job)
    return tuple(_place(path, of, destroy) for path, of in users.items())


def no_places(jobs: Iterable[Job]) -> tuple[Target, ...]:
    """What stands for the files of jobs that have none, because their engine moves nothing."""
    return tuple(_nothing(job, path) for job in jobs if moves_nothing(job) for path in paths(job))


def parts(job: Job, targets: Mapping[str, Target]) -> tuple[Target, ...]:
    """The stretches that the job uses. Raises UsageError `target-too-small`."""
    if moves_nothing(job):
        return tuple(_nothing(job, path) for path in paths(job))
    return tuple(_part(job, targets[path], job.files_per_clone) for path in paths(job))


def _nothing(job: Job, path: str) -> Target:
    """Where the null engine would go: nothing of that name is opened or made."""
    size = _bytes_to_make(path, job) - job.offset_bytes
    return Target(name=path, kind="simulated", path=path, offset_bytes=job.offset_bytes, span_bytes=size)


def _joined(job: Job, name: str) -> str:
    return name if simulation.is_simulated(name) else os.path.join(job.directory, name)


def _place(path: str, users: list[Job], destroy: tuple[str, ...]) -> Place:
    writes = any(not job.rw.endswith("read") for job in users)
    direct = all(job.direct for job in users)
    if simulation.is_simulated(path) or os.path.lexists(path):
        if os.path.isdir(path):
            raise users[0].refuse(
                f"names the folder {path} as its file", "Write it as directory=…, or name a file."
            )
        return Place(path, Wish(path, direct=direct, writes=writes, destroy=destroy))
    for job in users:
        if not job.may_create:
            raise job.refuse(
                f"has allow_file_create=0, and there is no {path}",
                "Name a file that is there, or leave the key out.",
            )
    size = max(_bytes_to_make(path, job) for job in users)
    return Place(path, Wish(_folder(path, users[0]), size, direct, writes), size)


def _bytes_to_make(path: str, job: Job) -> int:
    if job.file_bytes is not None:
        return job.file_bytes
    if job.size is None or job.size.bytes is None:
        raise job.refuse(
            f"has no size in bytes, and there is no {path}",
            "Add size=1g to have it made, or name a file that is there.",
        )
    return job.offset_bytes + job.size.bytes // job.files_per_clone


def _folder(path: str, job: Job) -> str:
    folder = os.path.dirname(path) or "."
    if not os.path.isdir(folder):
        raise UsageError(
            "target-missing",
            f"{job.file}, line {job.line}: job {job.label} has its files in {folder}, which is no folder",
            "Make it, or name another place with --folder.",
        )
    return folder


def _part(job: Job, target: Target, files: int) -> Target:
    """The job's stretch of one file."""
    room = target.span_bytes - job.offset_bytes
    if job.file_bytes is not None:
        wanted = job.file_bytes - job.offset_bytes
    else:
        wanted = room if job.size is None else _wanted(job, target, files)
    if wanted > room or wanted <= 0:
        raise UsageError(
            "target-too-small",
            f"{job.file}, line {job.line}: job {job.label} wants {format_bytes(wanted)} from"
            f" {format_bytes(job.offset_bytes)} on in {target.name}, which holds {format_bytes(target.span_bytes)}",
            "Ask for less with size and offset, or name a new file: it is made in the size that is wanted.",
        )
    return target.model_copy(update={"offset_bytes": job.offset_bytes, "span_bytes": wanted})


def _wanted(job: Job, target: Target, files: int) -> int:
    """A size in bytes is divided among the files, a percentage holds for each."""
    assert job.size is not None, "the caller has looked"
    return job.size.of(target.span_bytes) if job.size.bytes is None else job.size.bytes // files
