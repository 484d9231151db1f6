"""Slices of systemd, drop-ins for services and for all else on the host, and units for what systemd has no word for.

Slices stand beside each other below the top, not below one of their own: a group whose CPUs are exclusive takes them from the group
above it, and the top is the one that every kernel lets give them away. So names have `_` where `-` would nest one in another.
source: systemd.resource-control(5), systemd.exec(5), systemd.unit(5); the kernel's cgroup-v2.rst for partitions.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from plimsoll.facts import HostSlice
from plimsoll.host.topology.values import in_short
from plimsoll.placement.slices.cost_model import COST_OFF, CostModel
from plimsoll.placement.slices.layout import (
    MARK,
    PREFIX,
    Cap,
    Group,
    Layout,
    Pages,
    huge_bytes,
)
from plimsoll.placement.slices.outputs._output import Output, OutputFile
from plimsoll.placement.slices.outputs._shell import quoted
from plimsoll.placement.slices.wanted import MIB

SYSTEM = "system"
"""The folder that goes to /etc/systemd/system."""
_PAGES = f"{PREFIX}-huge-pages.service"
_EXCLUSIVE = f"{PREFIX}-exclusive-cpus.service"
_COST = f"{PREFIX}-io-cost.service"
_ELSE = {"init.scope": "Scope", "machine.slice": "Slice", "system.slice": "Slice", "user.slice": "Slice"}
"""What everything else runs in."""
_OTHERS_PAGES = "# Pages that others use already count as the slices' own: add theirs to these numbers."
_DROP_IN = f"50-{PREFIX}.conf"


def unit_of(group: Group) -> str:
    """The name of its slice: a `-` within a name is written as systemd-escape does."""
    return f"{PREFIX}_{group.name.replace('-', chr(92) + 'x2d')}.slice"


def own_units(layout: Layout) -> tuple[str | None, ...]:
    """Units for what systemd has no word for, in the order in which they are started: the first before slices; None: not needed."""
    needed = ((_PAGES, layout.pages), (_EXCLUSIVE, layout.others), (_COST, layout.models))
    return tuple(unit if is_needed else None for unit, is_needed in needed)


def _files(layout: Layout) -> Iterator[OutputFile]:
    for group in layout.groups:
        yield _system(unit_of(group), _slice(group), f"the slice of {group.name}")
    for group in layout.databases:
        yield _service(group)
    if layout.others:
        for unit, section in _ELSE.items():
            yield _system(f"{unit}.d/{_DROP_IN}", _confined(section, layout.others), f"CPUs for {unit}")
        yield _system(_EXCLUSIVE, _exclusive(layout), "makes the slices' CPUs exclusive")
    if layout.models:
        yield _system(_COST, _costs(layout), "has the kernel share disks by what I/O costs")
    if layout.pages:
        yield _system(_PAGES, _huge_pages(layout), "sets huge pages aside at boot")
    yield OutputFile("STEPS.txt", _steps(layout), "what to do with these files, and how to take them back")


def _system(path: str, text: str, about: str) -> OutputFile:
    return OutputFile(f"{SYSTEM}/{path}", f"# {MARK}\n{text}", about)


def _unit(**sections: list[str]) -> str:
    return "\n".join(line for name, lines in sections.items() for line in (f"[{name}]", *lines, ""))


def _slice(group: Group) -> str:
    lines = [f"AllowedCPUs={in_short(group.cpus)}", f"AllowedMemoryNodes={in_short(group.nodes)}"]
    if group.memory_bytes is not None:
        lines.append(f"MemoryMax={group.memory_bytes}")
    if group.weight is not None:
        lines.append(f"IOWeight={group.weight}")
    lines += [line for cap in group.caps for line in _caps(cap)]
    unit = [f"Description=Slice of the host for {group.name}", *_behind(cap.device for cap in group.caps)]
    return _unit(Unit=unit, Slice=lines)


def _behind(devices: Iterable[str]) -> Iterator[str]:
    """A boot comes to slices before udev has found all disks, and a cap on a disk that is not there yet is left out."""
    units = " ".join(f"{path_escaped(device)}.device" for device in dict.fromkeys(devices))
    if units:
        yield from (f"Wants={units}", f"After={units}")


def path_escaped(path: str) -> str:
    """A path as a unit's name has it, as systemd-escape makes it (systemd.unit(5), STRING ESCAPING)."""
    plain = path.strip("/")
    escaped = "".join(
        "-"
        if letter == "/"
        else letter
        if letter.isascii() and (letter.isalnum() or letter in ":_.")
        else _bytes(letter)
        for letter in plain
    )
    return f"{_bytes('.')}{escaped[1:]}" if escaped.startswith(".") else escaped


def _bytes(letter: str) -> str:
    return "".join(f"\\x{byte:02x}" for byte in letter.encode())


def _caps(cap: Cap) -> Iterator[str]:
    for word, limit in (("IOPS", cap.iops), ("Bandwidth", cap.bytes_per_s)):
        for way in ("Read", "Write") if limit is not None else ():
            yield f"IO{way}{word}Max={_escaped(cap.device)} {limit}"


def _service(group: Group) -> OutputFile:
    """Where the unit is not known, a file to be put into its folder of drop-ins."""
    unit = [f"Wants={_PAGES}", f"After={_PAGES}"] if huge_bytes(group.slice) else []
    lines = [f"Slice={unit_of(group)}", *_policy(group.slice)]
    text = _unit(**({"Unit": unit} if unit else {}), Service=lines)
    service = group.slice.service
    if service is None:
        about = f"for the service of {group.name}, whose name is not stated"
        return OutputFile(f"{group.name}-service.conf", f"# {MARK}\n{text}", about)
    return _system(f"{service}.d/{_DROP_IN}", text, f"puts {service} into the slice of {group.name}")


def _policy(one: HostSlice) -> Iterator[str]:
    """Several nodes are taken in turn where the plan takes as much of each; else each process takes what is near to it."""
    nodes = in_short(tuple(part.node for part in one.memory))
    sizes = [part.memory_bytes for part in one.memory]
    if len(sizes) == 1:
        yield from ("NUMAPolicy=bind", f"NUMAMask={nodes}")
    elif max(sizes) - min(sizes) <= max(one.huge_page_bytes or MIB, MIB):
        yield from ("NUMAPolicy=interleave", f"NUMAMask={nodes}")


def _confined(section: str, cpus: tuple[int, ...]) -> str:
    return _unit(**{section: [f"AllowedCPUs={in_short(cpus)}"]})


def _exclusive(layout: Layout) -> str:
    """The kernel says in the same file whether it took a group as a partition."""
    units = " ".join(map(unit_of, layout.groups))
    unit = [
        "Description=Exclusive CPUs of the slices for databases",
        f"Requires={units}",
        f"After={units}",
    ]
    files = [quoted(f"/sys/fs/cgroup/{unit_of(group)}/cpuset.cpus.partition") for group in layout.groups]
    start = [_run("ExecStart", f"echo root > {file} && grep -qx root {file}") for file in files]
    stop = [_run("ExecStop", f"echo member > {file}") for file in reversed(files)]
    return _unit(
        Unit=unit,
        Service=["Type=oneshot", "RemainAfterExit=yes", *start, *stop],
        Install=["WantedBy=multi-user.target"],
    )


def _costs(layout: Layout) -> str:
    """Of the top of all groups, for which systemd has no word (`io.cost.model`, `io.cost.qos`)."""
    start = [line for model in layout.models for line in _costed(model)]
    stop = [_cost_written("ExecStop", model, "qos", COST_OFF) for model in layout.models]
    units = " ".join(map(unit_of, layout.groups))
    return _unit(
        Unit=[
            "Description=Disks shared by what I/O costs",
            f"Wants={units}",
            f"After={units}",
            *_behind(model.device for model in layout.models),
        ],
        Service=["Type=oneshot", "RemainAfterExit=yes", *start, *stop],
        Install=["WantedBy=multi-user.target"],
    )


def _costed(model: CostModel) -> Iterator[str]:
    yield from [f"# {model.about}"] if model.about else []
    yield _cost_written("ExecStart", model, "model", model.model)
    yield _cost_written("ExecStart", model, "qos", model.service)


def _cost_written(key: str, model: CostModel, file: str, value: str) -> str:
    number = f"$(lsblk --nodeps --noheadings --output MAJ:MIN {quoted(model.device)})"
    return _run(key, f"number={number} && echo $number {value} > /sys/fs/cgroup/io.cost.{file}")


def _huge_pages(layout: Layout) -> str:
    """Early, as memory is in pieces later; never fewer than there are, as others may use them."""
    unit = ["Description=Huge pages of the slices for databases", "DefaultDependencies=no"]
    return _unit(
        Unit=[*unit, "Before=sysinit.target shutdown.target", "Conflicts=shutdown.target"],
        Service=[_OTHERS_PAGES, "Type=oneshot", "RemainAfterExit=yes", *map(_raised, layout.pages)],
        Install=["WantedBy=sysinit.target"],
    )


def _raised(pages: Pages) -> str:
    has_enough = f'[ "$(cat {pages.file})" -ge {pages.pages} ]'
    return _run("ExecStart", f"{has_enough} || echo {pages.pages} > {pages.file}; {has_enough}")


def _run(key: str, command: str) -> str:
    """A command of sh as systemd reads it (systemd.service(5), COMMAND LINES)."""
    escaped = _escaped(command).replace('"', '\\"').replace("$", "$$")
    return f'{key}=/bin/sh -c "{escaped}"'


def _escaped(text: str) -> str:
    """What systemd reads as escapes and specifiers."""
    return text.replace("\\", "\\\\").replace("%", "%%")


def _steps(layout: Layout) -> str:
    return "\n".join(["# " + MARK, *_steps_there(layout), "", *_steps_back(layout), ""])


def _steps_there(layout: Layout) -> Iterator[str]:
    units = " ".join(quoted(unit_of(group)) for group in layout.groups)
    yield "# Needs control groups of version 2: `stat -fc %T /sys/fs/cgroup` says cgroup2fs."
    yield f"cp -r {SYSTEM}/. /etc/systemd/system/"
    yield "systemctl daemon-reload"
    if layout.pages:
        yield f"systemctl enable --now {_PAGES}"
    yield f"systemctl start {units}"
    for group in layout.databases:
        yield _restart(group)
    for group in layout.groups:
        if group.slice.purpose != "database":
            file = quoted(f"/sys/fs/cgroup/{unit_of(group)}/cgroup.procs")
            yield f"# The process of each log writer, as root, after each start of its database: echo PID > {file}"
    if layout.others:
        yield f"systemctl enable --now {_EXCLUSIVE}"
    if layout.models:
        yield f"systemctl enable --now {_COST}"
    yield f"systemctl show -p EffectiveCPUs -p EffectiveMemoryNodes {units}"


def _restart(group: Group) -> str:
    if group.slice.service is not None:
        return f"systemctl restart {quoted(group.slice.service)}"
    file = f"{group.name}-service.conf"
    then = "systemctl daemon-reload; systemctl restart SERVICE"
    return f"# {group.name}: put {file} into /etc/systemd/system/SERVICE.d/, then: {then}"


def _steps_back(layout: Layout) -> Iterator[str]:
    units = " ".join(quoted(unit_of(group)) for group in layout.groups)
    pages, *rest = own_units(layout)
    own = [unit for unit in (*rest, pages) if unit is not None]
    yield "# To take it back; huge pages stay set aside until the next boot:"
    if own:
        yield f"systemctl disable --now {' '.join(own)}"
    there = "cd /etc/systemd/system && xargs -r -d '\\n'"
    yield f"(cd {SYSTEM} && find . -type f) | ({there} rm -f)"
    yield f"(cd {SYSTEM} && find . -mindepth 1 -type d) | ({there} rmdir --ignore-fail-on-non-empty)"
    yield "systemctl daemon-reload"
    for group in layout.databases:
        service = group.slice.service
        yield (
            f"systemctl restart {quoted(service)}"
            if service
            else f"# {group.name}: take its drop-in away, and restart it"
        )
    yield f"systemctl stop {units}"


OUTPUT = Output(help="Slices, drop-ins and small units of systemd, with the steps to take.", files=_files)
