"""`plimsoll host slice write`: a plan of slices as files in a new folder. Nothing on the host is changed."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath

from plimsoll.base.errors import SafetyError, UsageError, world_error
from plimsoll.context import Context, RunFilter
from plimsoll.facts import HostSlice, Note, SliceDevice, SliceDisk, SlicePlan
from plimsoll.flows.shared_buffers import fitting_buffers
from plimsoll.placement.moves.plan_file import document_in, fact_of
from plimsoll.placement.slices import outputs
from plimsoll.placement.slices.cost_model import what_groups_have
from plimsoll.placement.slices.layout import Counted, Group, Layout, disks, huge_bytes, layout_of, path_of
from plimsoll.placement.slices.outputs import OutputFile
from plimsoll.placement.slices.outputs.postgresql import has_settings
from plimsoll.ports.folders import Folder, ensured_folder, why_untrusted
from plimsoll.requests.host_slice_write import HostSliceWriteRequest
from plimsoll.store.ids import LATEST

FILE_END = ".json"
_WISHES_END = ".toml"
"""Of files for `plimsoll host slice plan`."""
_HINT = "Name a run of plimsoll host slice plan, or a file that `plimsoll host slice plan … --json` printed."
_SYSTEM_FOLDERS = ("/boot", "/dev", "/etc", "/lib", "/proc", "/run/systemd", "/sys", "/usr")
_FOLDER_MODE, _FILE_MODE, _PROGRAM_MODE = 0o755, 0o644, 0o755
_KIND = "slices"
_SHARING = ("systemd", "cgroup-v2")
"""Kinds of files that have the kernel share disks by what I/O costs."""


@dataclass(frozen=True)
class WrittenFile:
    """One file, by its place in the folder."""

    path: str
    kind: str
    about: str


@dataclass(frozen=True)
class WrittenSlices:
    """All that was written, and what a reader must know."""

    folder: str
    files: tuple[WrittenFile, ...]
    notes: tuple[Note, ...]


def write_slices(ctx: Context, asked: HostSliceWriteRequest) -> WrittenSlices:
    """All files or none, in a new folder.

    Raises UsageError `plan-missing`, `plan-unreadable`, `file-missing`, `output-unknown`, `slices-folder-taken`,
    `slices-postgres-unused`, and what `layout_of` and `fitting_buffers` raise; SafetyError `slices-folder-system`,
    `slices-folder-foreign`; WorldError `out-refused`.
    """
    folder = Path(asked.out)
    _check_folder(folder)
    plan = plan_of(ctx, asked.plan)
    layout = _counted(ctx, layout_of(plan), asked.postgres)
    made = list(_made(layout, asked.only or tuple(outputs.names())))
    if not made:
        hint = f"Leave out --only, or name others: {', '.join(outputs.names())}."
        raise UsageError("slices-nothing-written", "the plan has no use for any file of these kinds", hint)
    _write(ctx, folder, made)
    files = tuple(WrittenFile(f"{kind}/{file.path}", kind, file.about) for kind, file in made)
    shares_disks = any(kind in _SHARING for kind, _ in made)
    notes = (
        *_notes(plan, layout),
        *(rate_share_notes(plan) if shares_disks else ()),
        *_unused(asked.only, made),
    )
    return WrittenSlices(str(folder), files, notes)


def plan_of(ctx: Context, word: str) -> SlicePlan:
    """The plan that a word names. Raises UsageError `plan-missing`, `plan-unreadable`, and what the store raises."""
    if word.endswith(FILE_END):
        return fact_of(document_in(Path(word), _HINT), word, SlicePlan, _KIND, _HINT)
    if word == LATEST:
        return _newest(ctx)
    if word.endswith(_WISHES_END):
        hint = f"Plan it first: `plimsoll host slice plan {word}`, then name the plan, as with latest."
        raise UsageError("plan-missing", f"{word} says what slices are to be, and is no plan of them", hint)
    run = ctx.store.load(word)
    found = run.results.get(_KIND)
    if not isinstance(found, SlicePlan):
        raise UsageError("plan-missing", f"run {run.id} is not a plan of slices", _HINT)
    return found


def _newest(ctx: Context) -> SlicePlan:
    """Whatever was measured after it."""
    for one in ctx.store.summaries(wanted=RunFilter(kind="host")):
        found = ctx.store.load(one.id).results.get(_KIND)
        if isinstance(found, SlicePlan):
            return found
    hint = "Make one first: `plimsoll host slice plan slices.toml`."
    raise UsageError("plan-missing", "no plan of slices is stored", hint)


def _counted(ctx: Context, layout: Layout, binaries: str | None) -> Layout:
    """With what PostgreSQL's own programs say that fits into huge pages."""
    slices = [group.slice for group in layout.databases if has_settings(group.slice)]
    if binaries is None:
        return layout
    if not slices:
        hint = 'Leave out --postgres, or plan with database = "postgresql", shared_memory and huge_page.'
        what = "--postgres counts huge pages of PostgreSQL, and no slice of the plan asks for any"
        raise UsageError("slices-postgres-unused", what, hint)
    asked = [(one.huge_page_bytes or 0, huge_bytes(one) // (one.huge_page_bytes or 1)) for one in slices]
    found = fitting_buffers(ctx, Path(os.path.abspath(binaries)), asked)
    counted = {
        one.name: Counted(each.buffers_mib, each.pages, each.release, each.connections)
        for one, each in zip(slices, found, strict=True)
    }
    return replace(layout, counted=counted)


def _made(layout: Layout, kinds: Sequence[str]) -> Iterator[tuple[str, OutputFile]]:
    for kind in dict.fromkeys(kinds):
        for file in outputs.load(kind).files(layout):
            yield kind, file


def _unused(only: Sequence[str], made: Sequence[tuple[str, OutputFile]]) -> Iterator[Note]:
    used = {kind for kind, _ in made}
    for kind in only:
        if kind not in used:
            yield Note(code="slices-kind-unused", message=f"the plan has no use for files of the kind {kind}")


def _check_folder(folder: Path) -> None:
    """Files of a host are put into place by whoever runs it, and nobody's are overwritten."""
    real = os.path.realpath(folder)
    if any(os.path.commonpath([real, system]) == system for system in _SYSTEM_FOLDERS):
        message = f"{folder} is a folder of the system, into which nothing is written"
        hint = "Name another folder, read the files there, and take the steps that they tell."
        raise SafetyError("slices-folder-system", message, hint)
    if os.path.lexists(folder):
        raise _taken(folder)
    reason = why_untrusted(folder) if os.geteuid() == 0 else None
    if reason is not None:
        message = f"root runs the files of {folder}, and somebody else could change them: {reason}"
        raise SafetyError("slices-folder-foreign", message, "Name a folder that belongs to root.")


def _taken(folder: Path) -> UsageError:
    hint = "Name a new folder, which is made: what is there is left as it is, also where it is empty."
    return UsageError("slices-folder-taken", f"{folder} is there already", hint)


def _write(ctx: Context, folder: Path, made: Sequence[tuple[str, OutputFile]]) -> None:
    """Beside it first, and then under its name, so that a folder is whole or not there."""
    whole = Path(os.path.abspath(folder))
    try:
        with (
            ensured_folder(whole.parent) as parent,
            ctx.scratch.new_child(parent, _KIND, _FOLDER_MODE) as new,
        ):
            for kind, file in made:
                _write_file(new, PurePosixPath(kind, file.path), file)
            parent.move(new.path.name, parent, whole.name)
            parent.settle()
    except FileExistsError as error:
        raise _taken(folder) from error
    except OSError as error:
        hint = "Name a new folder, with a short name, where you may make one."
        raise world_error("out-refused", f"write {folder}", error, hint) from error


def _write_file(folder: Folder, path: PurePosixPath, file: OutputFile) -> None:
    if len(path.parts) > 1:
        with folder.ensured_child(path.parts[0], _FOLDER_MODE) as child:
            _write_file(child, path.relative_to(path.parts[0]), file)
        return
    with folder.new_file(path.name, _PROGRAM_MODE if file.is_program else _FILE_MODE) as opened:
        opened.write(file.text.encode())


def _notes(plan: SlicePlan, layout: Layout) -> Iterator[Note]:
    for finding in plan.findings:
        yield Note(code=finding.code, message=f"{finding.slice}: {finding.message}")
    for group in layout.databases:
        yield from _of_disks(group)
        yield from _of_database(group.slice)
    if not layout.others:
        why = "no CPU is left for everything else on the host (housekeeping_cores in slices.toml)"
        yield Note(code="slices-not-exclusive", message=f"the slices' CPUs are not made exclusive: {why}")
    for disk in plan.disks:
        if disk.stable is None:
            yield _renumbered("[[disk]]", disk)


def rate_share_notes(plan: SlicePlan) -> Iterator[Note]:
    """Of disks of which slices are not to have all: what that costs."""
    for disk in plan.disks:
        if disk.rate_share < 1:
            yield Note(code="slices-rate-share", message=f"{path_of(disk)}: {what_groups_have(disk)}")


def _of_disks(group: Group) -> Iterator[Note]:
    name = group.name
    for device in disks(group.slice) if group.caps else ():
        if device.stable is None:
            yield _renumbered(name, device)
    if group.caps:
        what = f"{name}: each of its disks is capped at all that it asks for, reads and writes each by itself"
        yield Note(code="slices-capped", message=f"{what}, as the kernel caps them")
    elif group.slice.iops or group.slice.mb_per_s:
        yield Note(code="slices-not-capped", message=f"{name}: it names no disks, so that nothing caps it")


def _renumbered(where: str, device: SliceDevice | SliceDisk) -> Note:
    what = f"{where}: the files name {path_of(device)}, which may be another disk after a boot"
    return Note(code="slices-disk-renumbered", message=f"{what}: no name of it is known that stays")


def _of_database(one: HostSlice) -> Iterator[Note]:
    none = "so that there are no settings for it"
    if one.database is None:
        what = "its kind of database is not stated (database in slices.toml)"
        yield Note(code="slices-database-unknown", message=f"{one.name}: {what}, {none}")
    elif one.database == "postgresql" and not huge_bytes(one):
        what = "it asks for no huge pages (shared_memory in slices.toml)"
        yield Note(code="slices-no-huge-pages", message=f"{one.name}: {what}, {none}")
    elif one.database == "oracle":
        what = "control groups are soft partitioning for Oracle, and save no licence"
        yield Note(code="slices-soft-partitioning", message=f"{one.name}: {what}")
