"""What can be asked of `plimsoll fio`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from plimsoll.requests import shared
from plimsoll.requests.asked import Asked, Examples, Request

_JOB_FILE = Asked(
    "job_file",
    "Job file of fio; supported keys are in docs/fio.md.",
    metavar="FILE",
    stands_first=True,
)
_FOLDER = shared.FOLDER.but(
    help="Folder of the files, in place of each job's directory.", shown="", aliases=("directory",)
)
_FIO_JSON = Asked(
    "fio_json",
    "Write the result in the shape of fio's JSON; - is standard output.",
    metavar="FILE|-",
    shown="",
    group="Output",
)


@dataclass(frozen=True)
class FioRequest(Request):
    """A job file. `directory` takes the place of the one in the file."""

    verb = "fio"
    examples: ClassVar[Examples] = (
        ("Run a job file on files below another folder", "fio job.fio --folder /mnt/new"),
        ("Print what fio would print as JSON", "fio job.fio --fio-json -"),
    )

    path: str = _JOB_FILE.field()
    directory: str | None = _FOLDER.field(None)
    fio_json: str | None = _FIO_JSON.field(None)
    destroy: tuple[str, ...] = shared.DESTROY.field(())
