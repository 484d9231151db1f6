"""Holds slices of this host against the plan that was applied: their groups, and every process in them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from plimsoll.base.units import format_bytes, format_share
from plimsoll.facts import SliceCheck, SliceChecks, SliceWrong
from plimsoll.facts.slice_checks import SliceChecksAnswer
from plimsoll.host.process_places import (
    ELSEWHERE_SHARE,
    Memory,
    Watch,
    Watched,
    memory_of,
    threads_of,
    together,
)
from plimsoll.host.topology.values import in_short, parse_list
from plimsoll.placement.slices.applying.hierarchy import Hierarchy
from plimsoll.placement.slices.applying.journal import Applied
from plimsoll.placement.slices.applying.servers import outside, services_outside
from plimsoll.placement.slices.applying.settings import (
    Setting,
    folders_of,
    name_of,
    wrong_owners,
    wrong_settings,
    wrong_shared,
)
from plimsoll.placement.slices.layout import Group, Layout, huge_bytes
from plimsoll.ports import control_groups, files

_ONLINE = Path("/sys/devices/system/cpu/online")


@dataclass
class _Seen:
    """A slice under watch."""

    group: Group
    folders: list[Path]
    watched: Watched = field(default_factory=Watched)

    @property
    def is_there(self) -> bool:
        return all(control_groups.identity(one) is not None for one in self.folders)

    def processes(self) -> frozenset[int]:
        """In any of its groups."""
        return frozenset[int]().union(*self.members().values())

    def members(self) -> dict[Path, frozenset[int]]:
        """In each of its groups."""
        return {folder: frozenset(control_groups.members(folder)) for folder in self.folders}


def check_slices(applied: Applied, layout: Layout, watch: Watch) -> SliceChecks:
    """Looks once, and again each time that the watch lets time pass. One that is cut short keeps what was seen until then."""
    hierarchy = applied.hierarchy
    seen = [_Seen(group, folders_of(layout, group, hierarchy)) for group in layout.groups]
    while True:
        for one in seen:
            one.watched.look(one.processes(), frozenset(one.group.cpus))
        if not watch.wait():
            break
    watched_s = watch.watched_s
    found = [wrong for one in seen for wrong in _of_group(layout, one, hierarchy)]
    checks = [_checked(one, hierarchy, watch) for one in seen]
    found += [wrong for one, check in zip(seen, checks, strict=True) for wrong in _of_check(one, check)]
    found += _of_host(applied, layout)
    slices = [one.group.slice for one in seen]
    found += outside(slices, partial(_inside, seen))
    found += services_outside(slices, partial(_inside, seen))
    told = SliceChecks(answer="as planned", way=hierarchy.way, watched_s=watched_s, slices=tuple(checks))
    return with_findings(told, found)


def _inside(seen: Sequence[_Seen]) -> dict[str, frozenset[int]]:
    return {one.group.name: one.processes() for one in seen}


def with_findings(told: SliceChecks, more: Iterable[SliceWrong]) -> SliceChecks:
    """With these as well, what is wrong first, and the answer that follows."""
    ordered = sorted((*told.findings, *more), key=lambda one: one.severity != "wrong")
    return told.but(answer=_answer(ordered), findings=tuple(ordered))


def _answer(found: Sequence[SliceWrong]) -> SliceChecksAnswer:
    if any(one.severity == "wrong" for one in found):
        return "not as planned"
    return "not known" if found else "as planned"


def _wrong(code: str, one: _Seen, message: str) -> SliceWrong:
    return SliceWrong(code=code, severity="wrong", slice=one.group.name, message=message)


def _doubt(code: str, one: _Seen, message: str) -> SliceWrong:
    return SliceWrong(code=code, severity="doubt", slice=one.group.name, message=message)


def _of_group(layout: Layout, one: _Seen, hierarchy: Hierarchy) -> Iterator[SliceWrong]:
    """What its groups are told."""
    for folder in one.folders:
        if control_groups.identity(folder) is None:
            yield _wrong("slice-missing", one, f"there is no control group {folder}")
    if not one.is_there:
        return
    for path, wished, found in wrong_owners(layout, one.group, hierarchy):
        yield _wrong("slice-owner", one, f"{path} belongs to {found or 'nobody'}, and not to {wished}")
    yield from _of_bounds(layout, one, hierarchy)
    yield from _of_below(one, hierarchy)
    yield from _of_members(one, hierarchy)


def _of_bounds(layout: Layout, one: _Seen, hierarchy: Hierarchy) -> Iterator[SliceWrong]:
    """What bounds its processes: settings, CPUs and nodes."""
    for setting in wrong_settings(layout, one.group, hierarchy):
        yield _wrong("slice-setting", one, _setting(setting))
    main = hierarchy.group(name_of(one.group, hierarchy))
    lost = frozenset(one.group.cpus) - (hierarchy.cpus(main) or frozenset())
    if lost:
        offline = lost - _online()
        why = f", as {in_short(offline)} is offline" if offline else ""
        yield _wrong("slice-cpus-lost", one, f"it is not run on the CPUs {in_short(lost)}{why}")
    more = (hierarchy.cpus(main) or frozenset()) - frozenset(one.group.cpus)
    if more:
        yield _wrong("slice-cpus-more", one, f"it is run on the CPUs {in_short(more)} as well")
    nodes = hierarchy.nodes(main)
    if nodes is not None and nodes != frozenset(one.group.nodes):
        message = f"its memory is taken of nodes {in_short(nodes)}, and not {in_short(one.group.nodes)}"
        yield _wrong("slice-nodes", one, message)


def wrong_bounds(applied: Applied, layout: Layout, groups: Iterable[Group]) -> Iterator[SliceWrong]:
    """What does not bound these slices as it was planned, whoever is in them."""
    for group in groups:
        seen = _Seen(group, folders_of(layout, group, applied.hierarchy))
        yield from _of_bounds(layout, seen, applied.hierarchy)
    yield from _of_shared(applied, layout)


def _of_below(one: _Seen, hierarchy: Hierarchy) -> Iterator[SliceWrong]:
    """With version 1 each group has the caps that it is told itself; with version 2 a cap holds all that is below it."""
    if hierarchy.version != "cgroup-v1" or not one.group.caps:
        return
    for found in control_groups.all_below(hierarchy.group(one.group.group, "blkio")):
        inside = len(control_groups.members(found))
        message = f"{found} is a group below it, which no cap on its disks holds: version 1 caps each group by itself"
        yield _wrong(
            "slice-group-below", one, f"{message} ({inside} process{'' if inside == 1 else 'es'} in it)"
        )


def _setting(wrong: Setting) -> str:
    says = "cannot be read" if wrong.found is None else f"says '{wrong.found}'"
    return f"{wrong.path} {says}, and not '{wrong.wished}'"


def _online() -> frozenset[int]:
    try:
        return parse_list(files.read_text(_ONLINE) or "")
    except ValueError:
        return frozenset()


def _of_members(one: _Seen, hierarchy: Hierarchy) -> Iterator[SliceWrong]:
    """With version 1 a process may be in one group of the slice and not in the other, with all its threads or some.

    Processes start and end between the looks at two groups: whoever was missing is looked for again.
    """
    before, now = one.members(), one.members()
    for folder in one.folders:
        missing = sorted(_missing(before, folder) & _missing(now, folder))
        if missing:
            message = f"{len(missing)} of its processes are not in {folder}, such as {missing[0]}"
            yield _wrong("slice-partly-in", one, message)
        if hierarchy.version == "cgroup-v1":
            yield from _of_threads(one, folder)
    if not any(before.values()):
        yield _doubt("slice-empty", one, "no process is in it, so that nothing can be seen of it")


def _of_threads(one: _Seen, folder: Path) -> Iterator[SliceWrong]:
    """A process is in a group with as few as one of its threads."""
    before = _threads_missing(folder)
    now = _threads_missing(folder) if before else {}
    missing = sorted(before.keys() & now.keys())
    if missing:
        first = missing[0]
        such = f"{first} of {files.read_text(f'/proc/{now[first]}/comm') or 'gone'} ({now[first]})"
        message = f"{len(missing)} of its processes' threads are not in {folder}, such as {such}"
        yield _wrong("slice-partly-in", one, message)


def _threads_missing(folder: Path) -> dict[int, int]:
    """Threads that are not in a group that their process is in, with that process."""
    inside = control_groups.members(folder)
    all_threads = {thread: process for process in inside for thread in threads_of(process)}
    here = control_groups.threads(folder)
    return {thread: process for thread, process in all_threads.items() if thread not in here}


def _missing(members: Mapping[Path, frozenset[int]], folder: Path) -> frozenset[int]:
    return frozenset[int]().union(*members.values()) - members[folder]


def _checked(one: _Seen, hierarchy: Hierarchy, watch: Watch) -> SliceCheck:
    main = hierarchy.group(name_of(one.group, hierarchy))
    cpus, nodes = hierarchy.cpus(main), hierarchy.nodes(main)
    processes = sorted(one.processes())
    memory = _memory(processes, watch)
    samples = one.watched.samples
    return SliceCheck(
        name=one.group.name,
        control_group=str(main),
        is_there=one.is_there,
        cpus=one.group.cpus,
        cpus_effective=None if cpus is None else tuple(sorted(cpus)),
        nodes=one.group.nodes,
        nodes_effective=None if nodes is None else tuple(sorted(nodes)),
        processes=len(processes),
        threads=len(one.watched.threads),
        samples=samples.total(),
        samples_outside=sum(seen for cpu, seen in samples.items() if cpu not in one.group.cpus),
        memory_bytes=None if memory is None else memory.by_node.total(),
        memory_elsewhere_bytes=None if memory is None else _elsewhere(memory, one.group),
        huge_bytes=None if memory is None else memory.huge_bytes,
    )


def _memory(processes: Sequence[int], watch: Watch) -> Memory | None:
    """None: of none of them the kernel tells, or somebody did not wait for all."""
    told: list[Memory] = []
    for number in processes:
        if watch.is_cut:
            return None
        found = memory_of(number)
        told += [] if found is None else [found]
    return together(told) if told else None


def _elsewhere(memory: Memory, group: Group) -> int:
    return sum(size for node, size in memory.by_node.items() if node not in group.nodes)


def _of_check(one: _Seen, check: SliceCheck) -> Iterator[SliceWrong]:
    """What its processes do."""
    if check.samples_outside:
        share = format_share(check.samples_outside / check.samples)
        names = ", ".join(name for name, _ in one.watched.outside.most_common(3))
        message = f"threads were seen on other CPUs than {in_short(check.cpus)} in {share} of looks: {names}"
        yield _wrong("slice-ran-elsewhere", one, message)
    elif check.processes and not check.samples:
        yield _doubt(
            "slice-idle", one, "none of its threads ran while it was watched: where they run is not known"
        )
    if check.memory_bytes and check.memory_elsewhere_bytes is not None:
        if check.memory_elsewhere_bytes > ELSEWHERE_SHARE * check.memory_bytes:
            size, whole = format_bytes(check.memory_elsewhere_bytes), format_bytes(check.memory_bytes)
            message = (
                f"{size} of {whole} of its processes' memory are on other nodes than {in_short(check.nodes)}"
            )
            yield _wrong("slice-memory-elsewhere", one, message)
    elif check.processes and check.memory_bytes is None:
        yield _doubt(
            "slice-memory-unseen",
            one,
            "the kernel does not tell where its memory is (/proc/PID/numa_maps), or nobody waited for it",
        )
    if check.processes and huge_bytes(one.group.slice) and check.huge_bytes == 0:
        yield _doubt(
            "slice-huge-unused", one, "none of its processes has memory in the huge pages set aside for it"
        )


def _of_shared(applied: Applied, layout: Layout) -> Iterator[SliceWrong]:
    for setting in wrong_shared(layout, applied.hierarchy):
        yield SliceWrong(code="slice-setting", severity="wrong", message=_setting(setting))


def _of_host(applied: Applied, layout: Layout) -> Iterator[SliceWrong]:
    """What is not of one slice alone."""
    if not applied.is_whole:
        message = (
            "a command was ended in the middle: slices are half made, until they are applied or taken back"
        )
        yield SliceWrong(code="slices-half-made", severity="wrong", message=message)
    yield from _of_shared(applied, layout)
    for pages in layout.pages:
        text = files.read_text(pages.file) or ""
        if not text.isdigit() or int(text) < pages.pages:
            size = format_bytes(pages.page_bytes)
            message = f"node {pages.node} has {text or 'no'} huge pages of {size}, and not {pages.pages:,}"
            yield SliceWrong(code="slices-huge-pages", severity="wrong", message=message)
