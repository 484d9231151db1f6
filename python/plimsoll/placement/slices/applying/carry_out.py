"""Applies a plan of slices, all of it or nothing, and takes it back: each act is in the journal before it is done."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from plimsoll.base.errors import PlimsollError, WorldError
from plimsoll.facts import SlicePlan
from plimsoll.host.topology.values import in_short
from plimsoll.placement.slices import outputs
from plimsoll.placement.slices.applying.acts import (
    Act,
    BusyError,
    GiveAway,
    MakeExclusive,
    MakeGroup,
    PassOn,
    PutOwn,
    PutShared,
    RaisePages,
)
from plimsoll.placement.slices.applying.hierarchy import Hierarchy
from plimsoll.placement.slices.applying.journal import Applied, Entry, Journal
from plimsoll.placement.slices.applying.units import FOLDER, Command, MakeDropIns, WriteUnit
from plimsoll.placement.slices.layout import Layout
from plimsoll.placement.slices.outputs.systemd import SYSTEM, own_units, unit_of
from plimsoll.placement.slices.writes import (
    PARTITION,
    SUBTREE,
    Exclusive,
    Make,
    Own,
    Put,
    Write,
    version_1,
    version_2,
)
from plimsoll.ports import files


def acts_of(layout: Layout, hierarchy: Hierarchy) -> list[Act]:
    """All that is done, in order. Raises WorldError `slices-refused` for a disk that is not there."""
    pages = [RaisePages(one.file, one.pages) for one in layout.pages]
    if hierarchy.way == "systemd":
        # The unit sets them aside after a boot; that they are fewer again when it is gone is seen to here.
        return [*pages, *_of_systemd(layout)]
    written = version_2(layout) if hierarchy.version == "cgroup-v2" else version_1(layout)
    return [*pages, *(act for write in written for act in _act(write, hierarchy))]


def _act(write: Write, hierarchy: Hierarchy) -> Iterator[Act]:
    match write:
        case Make(path):
            yield MakeGroup(str(hierarchy.path(path)))
        case Put(path, value, None) if path == SUBTREE:
            yield PassOn(str(hierarchy.path(path)), value.removeprefix("+"))
        case Put(path, value, None):
            yield PutOwn(str(hierarchy.path(path)), value)
        case Put(path, value, str(device)):
            yield _for_disk(str(hierarchy.path(path)), value, device, is_shared="/" not in path)
        case Own(group, names, account):
            for name in names:
                yield GiveAway(str(hierarchy.path(f"{group}/{name}".rstrip("/"))), account)
        case Exclusive(group):
            yield MakeExclusive(str(hierarchy.path(f"{group}/{PARTITION}")), "root")


def _for_disk(path: str, value: str, device: str, is_shared: bool) -> Act:
    number = disk_number(device)
    if number is None:
        hint = "See `ls -l /dev/disk/by-id`; plan anew where the disk has another name by now."
        raise WorldError("slices-refused", f"there is no disk {device}", hint)
    return PutShared(path, number, value) if is_shared else PutOwn(path, f"{number} {value}")


def disk_number(device: str) -> str | None:
    """As control groups know it; it may be another one after a boot."""
    number = files.device_number(device)
    return None if number is None else f"{os.major(number)}:{os.minor(number)}"


def _of_systemd(layout: Layout) -> Iterator[Act]:
    """Files first, then what heeds them; each `daemon-reload` on the way back has systemd forget what was removed before it.

    Drop-ins of services come last, and go first: a slice that is stopped takes every service with it that is said to be in it.
    """
    written = [(path, file) for path, file in _units(layout) if not path.parent.name.endswith(_OF_SERVICES)]
    drop_ins = [(path, file) for path, file in _units(layout) if path.parent.name.endswith(_OF_SERVICES)]
    yield Command((), ("daemon-reload",))
    yield from _files(written)
    yield Command(("daemon-reload",), ())
    units = tuple(unit_of(group) for group in layout.groups)
    pages, *rest = own_units(layout)
    if pages is not None:
        yield Command(("enable", "--now", pages), ("disable", "--now", pages))
    yield Command(("start", *units), ("stop", *units))
    for unit in (one for one in rest if one is not None):
        yield Command(("enable", "--now", unit), ("disable", "--now", unit))
    yield Command((), ("daemon-reload",))
    yield from _files(drop_ins)
    yield Command(("daemon-reload",), ())


_OF_SERVICES = ".service.d"


def _units(layout: Layout) -> Iterator[tuple[Path, str]]:
    for file in outputs.load("systemd").files(layout):
        if file.path.startswith(f"{SYSTEM}/"):
            yield FOLDER / file.path.removeprefix(f"{SYSTEM}/"), file.text


def _files(units: Iterable[tuple[Path, str]]) -> Iterator[Act]:
    for path, text in units:
        if path.parent != FOLDER:
            yield MakeDropIns(str(path.parent))
        yield WriteUnit(str(path), text)


def check_host(layout: Layout, hierarchy: Hierarchy) -> None:
    """Raises WorldError `slices-refused` where a CPU or a node of the plan may not be used here, such as one that is offline."""
    top = hierarchy.tops["cpuset"]
    for what, found, wanted in (
        ("CPU", hierarchy.cpus(top), {cpu for group in layout.groups for cpu in group.cpus}),
        ("node", hierarchy.nodes(top), {node for group in layout.groups for node in group.nodes}),
    ):
        missing = wanted - found if found is not None else set[int]()
        if missing:
            names = in_short(frozenset(missing))
            message = f"{what} {names} of the plan cannot be used: {top} has {in_short(found or frozenset())}"
            hint = "Bring it online, or free it of the partition that has it; or plan anew with `plimsoll host slice plan`."
            raise WorldError("slices-refused", message, hint)


def apply_acts(
    journal: Journal, hierarchy: Hierarchy, plan: SlicePlan, acts: Sequence[Act], check: Callable[[], None]
) -> None:
    """All of them, or none. `check` raises where somebody wants it to end. Raises what acts raise, after all is taken back."""
    for act in acts:
        act.seen()
    journal.begin(hierarchy, plan)
    entries: list[Entry] = []
    try:
        for act in acts:
            check()
            entries.append(entry := Entry(act.seen()))
            journal.begun(entry.act)
            entry.learned = entry.act.do()
            journal.done(entry.learned)
        journal.whole()
    except (PlimsollError, KeyboardInterrupt) as error:
        left = undo_all(journal, entries)
        if left.busy:
            raise left_error(journal, left, f"{error}; ") from error
        raise


def left_error(journal: Journal, found: TakenBack, why: str = "") -> WorldError:
    """What was in the way, what is left, and how to go on: the journal has it still. `why` it was taken back at all."""
    named = "; ".join(found.left[:_NAMED_MAX])
    more = f"; and {len(found.left) - _NAMED_MAX} more" if len(found.left) > _NAMED_MAX else ""
    left = f". Left to be done: {named}{more}" if named else ""
    again = journal.command("revert")
    hint = f"Mend what is in the way, and run `{again}`, which goes on from there; `{again} --dry-run` lists all that is left."
    return WorldError("slices-left", f"{why}not all could be taken back: {'; '.join(found.busy)}{left}", hint)


_NAMED_MAX = 3
"""Of what is left, in a message; a dry run names all."""


@dataclass(frozen=True)
class TakenBack:
    """What became of it."""

    undone: tuple[str, ...]
    """In words, what was done once."""
    changed: tuple[str, ...]
    """What somebody has changed meanwhile, and is theirs now."""
    busy: tuple[str, ...]
    """Why it came to no end; all of it stays in the journal then."""
    left: tuple[str, ...] = ()
    """In words, what is still to be done then, beginning with what could not be."""


def undo_all(journal: Journal, entries: Sequence[Entry], is_taken_up: bool = False) -> TakenBack:
    """Takes back what was done, the last first, up to what is in the way; then the journal stays, and it can be begun again.

    `is_taken_up`: another command has begun to take it back, so that what is gone may be gone by that one.
    """
    journal.undoing()
    found = _each_back(entries, is_taken_up, lambda entry: entry.act.undo(entry.learned))
    if not found.busy:
        journal.forget()
    return found


def would_undo(entries: Sequence[Entry], is_taken_up: bool) -> TakenBack:
    """What `undo_all` would say, as far as that is seen beforehand; changes nothing."""
    going = frozenset(_own_groups(entries))
    return _each_back(entries, is_taken_up, lambda entry: entry.act.left(entry.learned, going))


def _each_back(entries: Sequence[Entry], is_taken_up: bool, back: Callable[[Entry], str | None]) -> TakenBack:
    """`back` says what somebody has changed. Nothing in a group that is not ours any more is touched, nor told of."""
    undone: list[str] = []
    changed: list[str] = []
    made = {path for one in entries if isinstance(one.act, MakeGroup) for path in _around(one)[:1]}
    lost = made - set(_own_groups(entries))
    waiting = [one for one in entries if isinstance(one.act, MakeGroup) or lost.isdisjoint(_around(one))]
    while waiting:
        entry = waiting[-1]
        was_gone = is_taken_up and _is_gone(entry.act)
        try:
            said = _removed(entry, is_taken_up) or back(entry)
        except (BusyError, PlimsollError) as error:
            left = (one.act.back for one in reversed(waiting) if not _is_gone(one.act))
            return TakenBack(tuple(undone), tuple(changed), (str(error),), tuple(filter(None, left)))
        changed += [] if said is None else [said]
        undone += [entry.act.back] if said is None and entry.act.back and not was_gone else []
        waiting.pop()
    return TakenBack(tuple(undone), tuple(changed), ())


def _is_gone(act: Act) -> bool:
    """Folders of drop-ins among them, of which nobody is told that they were removed."""
    return act.is_gone or (isinstance(act, MakeDropIns) and not os.path.lexists(act.path))


def _around(entry: Entry) -> list[Path]:
    """The place of an act and what it is in; commands have none."""
    path = getattr(entry.act, "path", None)
    return [] if path is None else [Path(path), Path(path).parent]


def _removed(entry: Entry, is_taken_up: bool) -> str | None:
    """What somebody has removed that was made; None: nothing, or nobody knows who did."""
    if is_taken_up or entry.learned is None or not entry.act.is_gone:
        return None
    return f"{_around(entry)[0]} was removed by somebody meanwhile"


def _own_groups(entries: Sequence[Entry]) -> Iterator[Path]:
    """Those that are there, and that nobody has made anew."""
    for one in entries:
        if isinstance(one.act, MakeGroup) and not one.act.is_gone and one.act.left(one.learned) is None:
            yield Path(one.act.path)


def groups_of(applied: Applied) -> list[Path]:
    """The groups that were made, or begun to be, and are ours; of systemd those of its slices."""
    if applied.hierarchy.way != "systemd":
        return list(_own_groups(applied.entries))
    top = applied.hierarchy.tops["cpuset"]
    units = (Path(one.act.path).name for one in applied.entries if isinstance(one.act, WriteUnit))
    return [top / name for name in units if name.endswith(".slice")]
