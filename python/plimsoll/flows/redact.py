"""`plimsoll redact`: reports and spools without the names in them, into a folder or to be printed.

What is written is read again first: where a name of the report's head is still there it is not written at all, and where numbers
read otherwise than before a note says so.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from plimsoll.base.errors import ExitStatus, PlimsollError, UsageError, WorldError, world_error
from plimsoll.context import Context
from plimsoll.facts import Note, Report
from plimsoll.flows.named import status_of_unopened
from plimsoll.placement.objects.oracle_samples import MARK
from plimsoll.ports import files
from plimsoll.ports.folders import Folder, open_folder
from plimsoll.ports.new_folders import ensured_for_writing
from plimsoll.reports.reader import MISSING, NOT_READ, UNKNOWN, Reading, read_all
from plimsoll.reports.redaction import (
    KEY_BYTES_MIN,
    Pseudonyms,
    Redactor,
    content_of,
    decoded,
    names_left,
    names_of,
    redact_collected,
    redact_spool,
)
from plimsoll.reports.sources import Source, sources
from plimsoll.reports.spool import KIND as COLLECTOR
from plimsoll.reports.spool.lines import decoded as decoded_spool
from plimsoll.reports.walk import Entry, Walk, lies_in, shown
from plimsoll.requests.redact import RedactRequest

SPOOL = "objects"
"""The kind of what `place query` prints."""
NOTHING = "nothing-redacted"
OTHERWISE = "redacted-otherwise"
_KEY_BYTES = 32
_KEY_BYTES_MAX = 1 << 16
_REPLACED = ("hashes", "secret")
"""What a column may hold whose numbers are no figures."""
_FILE_MODE = 0o600
_FOLDER_MODE = 0o700


@dataclass(frozen=True)
class Redacted:
    """One file: as what it was read, and its text without names, or why there is none."""

    source: str
    kinds: tuple[str, ...] = ()
    text: str = ""
    name: str = ""
    """What to call it, without names as well."""
    out: str | None = None
    problem: str | None = None
    unopened: bool = False
    missing: bool = False
    reads_otherwise: bool = False

    @property
    def data(self) -> dict[str, object]:
        """For `--json`."""
        return {
            "source": self.source, "kinds": list(self.kinds), "out": self.out, "problem": self.problem,
            "reads_otherwise": self.reads_otherwise,
        }  # fmt: skip


@dataclass(frozen=True)
class RedactOutcome:
    """All files, in the order in which they were found. `text` is that of the only one where no folder was named."""

    files: tuple[Redacted, ...]
    text: str | None = None
    interrupted: bool = False

    @property
    def notes(self) -> tuple[Note, ...]:
        """Which files read otherwise than before, or that there was none."""
        if not self.files and not self.interrupted:
            return (Note(code=NOTHING, message="no file was found in what was named"),)
        message = "{} reads otherwise than before: compare both with plimsoll read before you send it"
        return tuple(
            Note(code=OTHERWISE, message=message.format(file.out or file.source))
            for file in self.files
            if file.reads_otherwise
        )

    @property
    def status(self) -> ExitStatus:
        """Done only when each file was redacted, and reads as before."""
        if self.interrupted:
            return ExitStatus.INTERRUPTED
        failed = [file for file in self.files if file.problem is not None]
        unopened = sum(file.unopened for file in failed)
        missing = sum(file.missing for file in failed)
        if (found := status_of_unopened(len(self.files), unopened, missing)) is not None:
            return found
        whole = self.files and not failed and not self.notes
        return ExitStatus.DONE if whole else ExitStatus.DONE_IN_PART


def redact_reports(ctx: Context, asked: RedactRequest) -> RedactOutcome:
    """Redacts everything that was named. What cannot be is in the outcome with its reason, and stops nothing.

    Raises UsageError `nothing-named`, `redact-key`, `redact-several`, `redact-mixed`; WorldError `out-refused`.
    """
    if not asked.paths:
        raise UsageError(
            "nothing-named", "no report was named", "Name files, folders or archives of reports."
        )
    walk = Walk([Path(path) for path in asked.paths])
    entries = list(walk.entries())
    if asked.out is not None:
        _keep_apart(Path(asked.out), walk, entries)
    key = os.urandom(_KEY_BYTES) if asked.key is None else _key_of(Path(asked.key).expanduser(), asked.out)
    found = ctx.executor.map(partial(redacted, key=key), _sources(ctx, entries))
    if asked.out is None:
        return _printed(ctx, found)
    out = Path(asked.out)
    try:
        with ensured_for_writing(out, _FOLDER_MODE) as folder:
            written = tuple(_written(folder, one) for one in found)
    except OSError as error:
        hint = "Name a folder that you can write to."
        raise world_error("out-refused", f"write {out}", error, hint) from error
    return RedactOutcome(written, interrupted=ctx.cancel.is_set)


def _keep_apart(out: Path, walk: Walk, entries: Sequence[Entry]) -> None:
    """That nobody gives a report away by mistake because it lies among those without names. Raises UsageError `redact-mixed`."""
    if walk.leads_to(out):
        raise _mixed(f"{shown(out)} is a folder of what is to be redacted, or lies in one")
    for entry in entries:
        if entry.error is None and not entry.is_input and lies_in(entry.path, out):
            raise _mixed(f"{shown(entry.path)}, which is to be redacted, lies in {shown(out)}")


def _mixed(what: str) -> UsageError:
    return UsageError(
        "redact-mixed",
        f"{what}: reports with their names would lie among those without",
        "Name a folder with --out that has nothing to do with them, such as a new one beside them.",
    )


def _sources(ctx: Context, entries: Sequence[Entry]) -> Iterator[Source]:
    for source in sources(entries):
        if ctx.cancel.is_set:
            return
        if not source.passed_over:
            yield source


def _printed(ctx: Context, found: Iterator[Redacted]) -> RedactOutcome:
    whole: list[Redacted] = []
    for one in found:
        whole.append(one)
        if len(whole) > 1:
            message = f"{whole[0].source} and {one.source} cannot both be printed"
            raise UsageError("redact-several", message, "Name a folder for them with --out.")
    text = whole[0].text if whole and whole[0].problem is None else None
    return RedactOutcome(tuple(whole), text, ctx.cancel.is_set)


def _key_of(path: Path, out: str | None) -> bytes:
    """The key in a file, which is made where it is missing. Raises UsageError `redact-key`."""
    if out is not None and lies_in(path, Path(out)):
        message = f"the key {path} lies in {out}, and would be given away with what is written there"
        raise UsageError(
            "redact-key", message, "Keep it where nobody else can read it, such as in your home."
        )
    hint = f"Name a file of at least {KEY_BYTES_MIN} bytes that nobody else can read, or one that is not there yet."
    try:
        if not path.exists():
            with open_folder(path.parent) as folder, folder.new_file(path.name, _FILE_MODE) as file:
                file.write(os.urandom(_KEY_BYTES).hex().encode())
        key = files.read_secret(path, _KEY_BYTES_MAX)
    except files.ExposedError as error:
        hint = f"Take it from them with chmod 600 {path}; if they may have read it, use another one."
        raise UsageError(
            "redact-key", f"others can get at the key in {path}, {error.strerror}", hint
        ) from error
    except OSError as error:
        raise UsageError("redact-key", f"could not use the key in {path}: {error.strerror}", hint) from error
    if len(key) < KEY_BYTES_MIN:
        raise UsageError("redact-key", f"the {len(key)} bytes of the key in {path} can be guessed", hint)
    return key


def redacted(source: Source, key: bytes) -> Redacted:
    """One file without names, whatever is in it."""
    pseudonyms = Pseudonyms(key)
    try:
        content = source.take()
        kinds, text, is_otherwise = _without_names(source, content, pseudonyms)
    except PlimsollError as error:
        is_missing = error.id == MISSING
        return Redacted(source.name, problem=error.message, unopened=source.unopened, missing=is_missing)
    name = Redactor(pseudonyms).file_name(source.name)
    return Redacted(source.name, kinds, text, name, reads_otherwise=is_otherwise)


def _without_names(
    source: Source, content: bytes, pseudonyms: Pseudonyms
) -> tuple[tuple[str, ...], str, bool]:
    if MARK.encode() in content:
        return (SPOOL,), redact_spool(decoded(content, "utf-8"), pseudonyms), False
    read = read_all(Source(source.name, content=content))
    reports = [reading.report for reading in read]
    kinds = tuple(report.kind for report in reports)
    if any(kind == UNKNOWN or kind in NOT_READ for kind in kinds):
        message = (
            f"{source.name} is no report that is known here, so that nobody could say what in it is a name"
        )
        raise WorldError("redact-unknown", message, "Name reports that plimsoll read reads.")
    text = _redacted(source, reports, content, pseudonyms)
    again = read_all(Source(source.name, content=text.encode()))
    if names_left(reports, [reading.report for reading in again]):
        raise _survives(source)
    return kinds, text, [*map(_figures, read)] != [*map(_figures, again)]


def _redacted(source: Source, reports: Sequence[Report], content: bytes, pseudonyms: Pseudonyms) -> str:
    names = list(names_of(reports))
    if reports[0].kind == COLLECTOR:
        return redact_collected(decoded_spool(content)[0], pseudonyms, names)
    redactor = Redactor(pseudonyms)
    whole = decoded(content, reports[0].encoding or "utf-8")
    text = redactor.redacted(whole, names, dots_group=any(report.decimal == "comma" for report in reports))
    if redactor.survivors(text, names):
        raise _survives(source)
    return text


def _survives(source: Source) -> WorldError:
    message = f"a name in the head of {source.name} would have stayed, and nothing of it was written"
    return WorldError("redact-survives", message, "Please report this, without the file.")


def _figures(reading: Reading) -> tuple[object, ...]:
    """What of a report has to be the same without names."""
    report = reading.report
    header = (
        report.kind, report.db_id, report.begin_snap, report.end_snap, report.begin_time, report.end_time, report.elapsed_s,
        report.db_time_s, report.cpus, report.memory_bytes, report.block_bytes,
    )  # fmt: skip
    return *header, report.section_count, report.cells.overflow, report.cells.failed, _numbers(reading)


def _numbers(reading: Reading) -> list[tuple[int, int, int, str, float | None]]:
    """Every number of a report with its place, but for hashes, which are replaced."""
    if reading.content is None:
        return []
    hashed = [
        {at for at, heading in enumerate(table.columns) if content_of(str(heading)) in _REPLACED}
        for table in reading.whole().sections
    ]
    return [
        (row["table_index"], row["row_index"], row["column_index"], row["status"], row["number"])
        for row in reading.content.cells().rows()
        if row["number"] is not None and row["column_index"] not in hashed[row["table_index"]]
    ]


def _written(folder: Folder, one: Redacted) -> Redacted:
    if one.problem is not None:
        return one
    name = _written_under_new_name(folder, one)
    return Redacted(
        one.source, one.kinds, name=name, out=str(folder.path / name), reads_otherwise=one.reads_otherwise
    )


def _written_under_new_name(folder: Folder, one: Redacted) -> str:
    """The name that it got. A disk that is full, or a kill, leaves no part of a file that looks like a whole one."""
    path, number, name = Path(one.name), 1, one.name
    while True:
        try:
            if folder.look(name) is None:
                folder.add_whole(name, one.text.encode(), _FILE_MODE)
                return name
        except FileExistsError:
            pass  # somebody took the name in the meantime
        number += 1
        name = f"{path.stem}-{number}{path.suffix}"
