"""Writes ORION's files beside each other, under names that nothing had before.

The original overwrites the files of a test that began in the same minute. Here the later test's names get `_2` behind the
minute, so that no result is lost.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from datetime import datetime
from itertools import count
from pathlib import Path

from plimsoll.base.errors import UsageError, WorldError, world_error
from plimsoll.dialects.orion.csv_text import iops_csv, lat_csv, mbps_csv
from plimsoll.dialects.orion.grid import Layout, grid
from plimsoll.dialects.orion.histogram_text import hist_txt
from plimsoll.dialects.orion.summary_text import Outcome, summary_txt
from plimsoll.dialects.orion.trace_text import trace_txt
from plimsoll.ports import files
from plimsoll.ports.folders import Folder, open_folder

ENDINGS = ("summary.txt", "iops.csv", "mbps.csv", "lat.csv", "hist.txt", "trace.txt")
_HINT = "Name a folder that you may write to with --out."


def free_prefix(testname: str, folder: Path | None, began: datetime) -> Path:
    """The first of the names of this minute that no file has; `testname` may have a folder in front.

    Raises UsageError `orion-output-missing`, WorldError `orion-output-refused`.
    """
    beside = Path(testname)
    place = beside.parent if folder is None else folder
    _check_folder(place)
    return next(prefix for prefix in _prefixes(place / beside.name, began) if not _taken(prefix))


def write_files(prefix: Path, outcome: Outcome, layout: Layout) -> tuple[Path, ...]:
    """All six, the summary first. Raises WorldError `orion-output-refused`; what was written until then stays."""
    texts = file_texts(outcome, layout)
    try:
        with open_folder(prefix.parent) as folder:
            return tuple(_write(folder, _named(prefix, ending), texts[ending]) for ending in ENDINGS)
    except OSError as error:
        raise world_error("orion-output-refused", f"write the files {prefix}_*", error, _HINT) from error


def file_texts(outcome: Outcome, layout: Layout) -> dict[str, str]:
    """The contents of each file by the ending of its name."""
    values = grid(outcome.asked, outcome.found, layout)
    return {
        "summary.txt": summary_txt(outcome, layout),
        "iops.csv": iops_csv(values, layout),
        "mbps.csv": mbps_csv(values, layout),
        "lat.csv": lat_csv(values, layout),
        "hist.txt": hist_txt(outcome.found.points, layout),
        "trace.txt": trace_txt(outcome.found),
    }


def _check_folder(folder: Path) -> None:
    if not folder.is_dir():
        raise UsageError("orion-output-missing", f"there is no folder {folder} for the files", _HINT)
    if not os.access(folder, os.W_OK | os.X_OK):
        raise WorldError(
            "orion-output-refused", f"could not write files in {folder}: {files.why_closed(folder)}", _HINT
        )


def _prefixes(start: Path, began: datetime) -> Iterator[Path]:
    dated = f"{start.name}_{began.astimezone():%Y%m%d_%H%M}"
    yield start.with_name(dated)
    yield from (start.with_name(f"{dated}_{number}") for number in count(2))


def _taken(prefix: Path) -> bool:
    return any(os.path.lexists(_named(prefix, ending)) for ending in ENDINGS)


def _named(prefix: Path, ending: str) -> Path:
    return prefix.with_name(f"{prefix.name}_{ending}")


def _write(folder: Folder, path: Path, text: str) -> Path:
    with folder.new_file(path.name) as file:
        file.write(text.encode())
    return path
