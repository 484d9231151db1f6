"""Tests in other tools' words: job files of fio, and ORION's options."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from plimsoll.api._asking import asks
from plimsoll.api._results import Calibrated, Jobs
from plimsoll.base.errors import UsageError
from plimsoll.context import Context
from plimsoll.requests.fio import FioRequest
from plimsoll.requests.orion import OrionRequest


@dataclass(frozen=True, repr=False)
class OrionTest(Calibrated):
    """A test in ORION's words, and the files that were written of it."""

    files: tuple[Path, ...] = ()


@asks(FioRequest)
def fio(ctx: Context, asked: FioRequest) -> Jobs:
    """A job file of fio, as far as its keys are known, as `plimsoll fio`. What ended it after some of its jobs is in `failure`.

    Example:
        plimsoll.fio("randread.fio", folder="/mnt/new").frame()
    """
    from plimsoll.flows.fio import run_job_file, write_fio_json

    if asked.fio_json == "-":
        raise UsageError("usage", "nothing is printed here", "Give fio_json a file.")
    outcome = run_job_file(ctx, asked)
    if asked.fio_json is not None:
        write_fio_json(outcome, Path(asked.fio_json))
    return Jobs(outcome.run, outcome.failure)


@asks(OrionRequest)
def orion(ctx: Context, asked: OrionRequest) -> OrionTest:
    """A test in ORION's own words, which also writes ORION's files, as `plimsoll orion`.

    Example:
        plimsoll.orion(["-run", "simple", "-testname", "mytest", "-num_disks", "4"])
    """
    from plimsoll.dialects.orion.arguments import wants_help
    from plimsoll.flows.orion import prepare, run_orion

    if wants_help(asked.words):
        raise UsageError("usage", "nothing is printed here", "See: plimsoll orion -help.")
    written = run_orion(ctx, prepare(ctx, asked))
    return OrionTest(written.run, written.files)
