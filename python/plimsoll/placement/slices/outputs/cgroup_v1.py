"""Control groups of version 1 as `cgconfig.conf`, for cgconfigparser of libcgroup; caps on disks by a program beside it.

source: cgconfig.conf(5); the kernel's Documentation/admin-guide/cgroup-v1. The file knows disks by numbers alone, which may be
others after a boot, so that the program looks them up and writes the caps. Version 1 caps nothing that is written back later.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from plimsoll.placement.slices.layout import MARK, Layout
from plimsoll.placement.slices.outputs._output import Output, OutputFile
from plimsoll.placement.slices.outputs._shell import NUMBER, PUT, below, disk_number, has_caps, head
from plimsoll.placement.slices.writes import Make, Own, Put, version_1

_HEAD = f"""# {MARK}
# Load it with `cgconfigparser -l cgconfig.conf`, and put each thread of a process in with the command above its group: a new one
# goes where the one that starts it is. Version 1 keeps nothing else off these CPUs: bind other work elsewhere, or use version 2.
"""
_TOP = "top=${CGROUP_ROOT:-/sys/fs/cgroup}\n"


def _files(layout: Layout) -> Iterator[OutputFile]:
    groups = "\n".join(_group(layout, group.group) for group in layout.groups)
    yield OutputFile("cgconfig.conf", f"{_HEAD}\n{groups}", "the groups, for cgconfigparser")
    yield OutputFile("remove.sh", _removed(layout), "removes the groups again", is_program=True)
    if has_caps(layout):
        yield OutputFile("limit-disks.sh", _limited(layout), "caps what groups ask of disks", is_program=True)


def _group(layout: Layout, name: str) -> str:
    """Of one slice: who puts processes in, and what each controller is told."""
    own = [one for one in version_1(layout) if isinstance(one, Own) and one.group.endswith(f"/{name}")]
    lines = [
        f"# {entered(name, used(layout, name))}",
        f"group {name} {{",
        *(_permissions(own[0].account) if own else ()),
    ]
    for controller in used(layout, name):
        start = f"{controller}/{name}/"
        puts = (one for one in version_1(layout) if isinstance(one, Put) and one.path.startswith(start))
        lines += _controller(
            controller, {one.path.removeprefix(start): one.value for one in puts if one.device is None}
        )
    return "\n".join([*lines, "}", ""])


def _permissions(account: str) -> Iterator[str]:
    """The account puts its own threads in; nobody else changes the group. Of all files `task` is of tasks alone."""
    yield "\tperm {"
    for who, name in (("task", account), ("admin", "root")):
        yield f"\t\t{who} {{\n\t\t\tuid = {name};\n\t\t}}"
    yield "\t}"


def _controller(name: str, values: dict[str, str]) -> Iterator[str]:
    yield f"\t{name} {{"
    for key, value in values.items():
        yield f'\t\t{key} = "{value}";'
    yield "\t}"


def _limited(layout: Layout) -> str:
    about = "Caps what each group reads from and writes to its disks; run it after cgconfigparser, and after each boot."
    lines = [head(about, _TOP, PUT, NUMBER).rstrip("\n")]
    device = None
    for put in version_1(layout):
        if isinstance(put, Put) and put.device is not None:
            lines += [] if put.device == device else [disk_number(put.device)]
            controller, _, path = put.path.partition("/")
            lines.append(f'put {below(f"$top/{controller}", path)} "$disk {put.value}"')
            device = put.device
    return "\n".join(lines) + "\n"


def _removed(layout: Layout) -> str:
    about = "Removes the groups; end what runs in them, or move it out, before."
    lines = [head(about, _TOP).rstrip("\n")]
    for group in layout.groups:
        for controller in used(layout, group.group):
            folder = below(f"$top/{controller}", group.group)
            lines.append(f"[ ! -d {folder} ] || rmdir {folder}")
    return "\n".join(lines) + "\n"


def entered(name: str, controllers: Sequence[str]) -> str:
    """The command that puts a process into the groups of these controllers; it moves no other threads than it is told."""
    return f"cgclassify -g {','.join(controllers)}:{name} $(ls /proc/PID/task)"


def used(layout: Layout, name: str) -> list[str]:
    """The controllers that have a group of that name."""
    made = (one.path.partition("/") for one in version_1(layout) if isinstance(one, Make))
    return [controller for controller, _, group in made if group == name]


OUTPUT = Output(help="Control groups of version 1: cgconfig.conf, for cgconfigparser.", files=_files)
