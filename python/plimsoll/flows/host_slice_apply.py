"""`plimsoll host slice apply` and `revert`: a plan of slices carried out on this host, all of it or nothing, and taken back."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from plimsoll.base.errors import ExitStatus, UsageError, WorldError
from plimsoll.context import Context
from plimsoll.facts import Note
from plimsoll.flows.host_slice_write import plan_of, rate_share_notes
from plimsoll.placement.slices.applying.acts import Act, why_busy
from plimsoll.placement.slices.applying.carry_out import (
    TakenBack,
    acts_of,
    apply_acts,
    check_host,
    groups_of,
    left_error,
    undo_all,
    would_undo,
)
from plimsoll.placement.slices.applying.hierarchy import Hierarchy, hierarchy_for
from plimsoll.placement.slices.applying.journal import Applied, Journal
from plimsoll.placement.slices.layout import Group, Layout, layout_of
from plimsoll.placement.slices.outputs.cgroup_v1 import used
from plimsoll.ports.control_groups import all_below, below, members, own_members
from plimsoll.requests.host_slice_apply import HostSliceApplyRequest, HostSliceRevertRequest


@dataclass(frozen=True)
class SlicesApplied:
    """What was done, or would be."""

    way: str
    dry_run: bool
    writes: tuple[str, ...]
    next_steps: tuple[str, ...]
    journal: str
    notes: tuple[Note, ...] = ()

    def data(self) -> dict[str, object]:
        """As JSON says it."""
        return {
            "way": self.way,
            "dry_run": self.dry_run,
            "writes": list(self.writes),
            "next_steps": list(self.next_steps),
            "journal": self.journal,
        }


def apply_slices(ctx: Context, asked: HostSliceApplyRequest) -> SlicesApplied:
    """All of the plan, or nothing. What a command that was killed left half done is taken back first.

    Raises UsageError `slices-applied` and those of the plan, SafetyError `slices-group-taken`, `slices-journal-foreign`,
    WorldError `slices-no-groups`, `slices-refused`, `slices-left`, `slices-busy`, `slices-journal`.
    """
    plan = plan_of(ctx, asked.plan)
    layout = layout_of(plan)
    hierarchy = hierarchy_for(layout, asked.way)
    journal = Journal(Path(asked.journal))
    acts = acts_of(layout, hierarchy)
    writes = tuple(act.words for act in acts)
    told = tuple(rate_share_notes(plan)) if hierarchy.version == "cgroup-v2" else ()
    said = SlicesApplied(
        hierarchy.way, asked.dry_run, writes, tuple(_next(layout, hierarchy)), str(journal.path), told
    )
    with journal.locked(is_made=not asked.dry_run):
        left = journal.read()
        if left is not None and left.is_whole and _stands(left):
            verify, revert = journal.command("verify"), journal.command("revert")
            hint = f"Hold it against the host with `{verify}`, or take it back with `{revert}`."
            raise UsageError("slices-applied", f"slices are applied already, as {journal.path} has it", hint)
        if asked.dry_run:
            _look(layout, hierarchy, acts, left)
            return said
        notes = () if left is None else _cleared(journal, left)
        check_host(layout, hierarchy)
        apply_acts(journal, hierarchy, plan, acts, ctx.cancel.check)
    return replace(said, notes=(*told, *notes))


def _look(layout: Layout, hierarchy: Hierarchy, acts: Sequence[Act], left: Applied | None) -> None:
    """Raises what would stand against it, as far as that is seen before what was left half done is taken back."""
    if left is None:
        check_host(layout, hierarchy)
        for act in acts:
            act.seen()


def _stands(applied: Applied) -> bool:
    """Whether it may still be there: a boot takes control groups away, and leaves files of systemd."""
    return applied.is_of_this_boot or applied.hierarchy.way == "systemd"


def _cleared(journal: Journal, left: Applied) -> tuple[Note, ...]:
    """What an earlier command left is taken back. Raises WorldError `slices-busy`, `slices-left`."""
    if not _stands(left):
        journal.forget()
        return (Note(code="slices-gone", message="what was applied before is gone with a boot"),)
    _check_idle(journal, left)
    found = _taken_back(journal, left)
    what = "a command that was ended in the middle had left slices half made: they were taken back first"
    return (
        Note(code="slices-half-made", message=what),
        *(Note(code="slices-changed", message=one) for one in found.changed),
    )


def _taken_back(journal: Journal, applied: Applied) -> TakenBack:
    """Raises WorldError `slices-left`."""
    return _checked(journal, undo_all(journal, applied.entries, applied.is_taken_up))


def _checked(journal: Journal, found: TakenBack) -> TakenBack:
    """Raises WorldError `slices-left`."""
    if found.busy:
        raise left_error(journal, found)
    return found


def _next(layout: Layout, hierarchy: Hierarchy) -> Iterator[str]:
    """Nothing is restarted, and no process is moved, by us."""
    for group in layout.groups:
        service = group.slice.service
        if hierarchy.way == "systemd" and group.slice.purpose == "database":
            yield f"systemctl restart {service}" if service else f"# {group.name}: its service is not stated"
            continue
        for folder in _folders(layout, group, hierarchy):
            yield f"echo PID > {folder}/cgroup.procs # each process of {group.name}"


def _folders(layout: Layout, group: Group, hierarchy: Hierarchy) -> list[Path]:
    if hierarchy.version == "cgroup-v2":
        from plimsoll.placement.slices.outputs.systemd import unit_of

        name = unit_of(group) if hierarchy.way == "systemd" else group.group
        return [hierarchy.group(name)]
    return [hierarchy.group(group.group, controller) for controller in used(layout, group.group)]


@dataclass(frozen=True)
class SlicesReverted:
    """What was taken back, or would be, and what somebody has changed meanwhile."""

    way: str
    dry_run: bool
    undone: tuple[str, ...]
    changed: tuple[str, ...]

    @property
    def status(self) -> ExitStatus:
        """5 where something is left as somebody has changed it."""
        return ExitStatus.DONE_IN_PART if self.changed else ExitStatus.DONE

    def data(self) -> dict[str, object]:
        """As JSON says it."""
        return {
            "way": self.way,
            "dry_run": self.dry_run,
            "undone": list(self.undone),
            "changed": list(self.changed),
        }


def revert_slices(asked: HostSliceRevertRequest) -> SlicesReverted:
    """Takes back what the journal has, all of it, or nothing where somebody works in a slice.

    Raises UsageError `slices-none-applied`, SafetyError `slices-journal-foreign`, WorldError `slices-busy`, `slices-left`,
    `slices-journal`.
    """
    journal = Journal(Path(asked.journal))
    with journal.locked():
        applied = journal.applied()
        way = applied.hierarchy.way
        if not _stands(applied):
            if not asked.dry_run:
                journal.forget()
            return SlicesReverted(way, asked.dry_run, ("what was applied is gone with a boot",), ())
        _check_idle(journal, applied)
        if asked.dry_run:
            found = _checked(journal, would_undo(applied.entries, applied.is_taken_up))
        else:
            found = _taken_back(journal, applied)
    return SlicesReverted(way, asked.dry_run, found.undone, found.changed)


def _check_idle(journal: Journal, applied: Applied) -> None:
    """Raises WorldError `slices-busy` before anything is taken back."""
    groups = groups_of(applied)
    for group in groups:
        why = why_busy(group)
        if why is not None:
            raise WorldError("slices-busy", why, _way_out(journal, applied, groups, group))


def _way_out(journal: Journal, applied: Applied, groups: Sequence[Path], group: Path) -> str:
    """What empties a group, and those of the other controllers of version 1: a process that stays in one keeps it busy."""
    if applied.hierarchy.way == "systemd":
        return _units_stopped(journal, groups)
    tops = dict.fromkeys(applied.hierarchy.tops.values())
    moves = "; ".join(f"echo PID > {top}/cgroup.procs" for top in tops)
    removes = "; ".join(f"rmdir {one}" for one in reversed(all_below(group)))
    steps = [f"End its processes, or move them out: {moves}"] if members(group) else []
    return ". ".join([*steps, *([f"Remove what is below it: {removes}"] if removes else [])]) or "Try again."


_OF_UNITS = (".service", ".scope")


def _units_stopped(journal: Journal, groups: Sequence[Path]) -> str:
    """Units have groups of their own below the slices; what else is there was made by hand."""
    found = [one for group in groups for one in _outermost(group)]
    units = [one.name for one in found if one.name.endswith(_OF_UNITS)]
    own = [one for one in found if not one.name.endswith(_OF_UNITS)]
    steps = [
        f"End, or put into another group, whoever is in {one}" for one in (*groups, *own) if own_members(one)
    ]
    steps += [f"Remove {one}: rmdir {shlex.quote(str(one))}" for one in reversed(own)]
    stop = f"systemctl stop {' '.join(map(shlex.quote, units))}; " if units else ""
    services = " ".join(shlex.quote(one) for one in units if one.endswith(".service"))
    start = f"; systemctl start {services}" if services else ""
    return ". ".join([*steps, f"Run `{stop}{journal.command('revert')}{start}`."])


def _outermost(group: Path) -> Iterator[Path]:
    """What is below a group, but for what is below units: they take it with them."""
    for one in below(group):
        yield one
        if not one.name.endswith(_OF_UNITS):
            yield from _outermost(one)
