"""Control groups of version 1 as `cgconfig.conf`, for cgconfigparser of libcgroup; caps on disks by a program beside it.

source: cgconfig.conf(5); the kernel's Documentation/admin-guide/cgroup-v1. The file knows disks by numbers alone, which may be
others after a boot, so that the program looks them up and writes the caps. Version 1 caps nothing that is written back later.
"""

from __future__ import annotations

from collections.abc import Iterator

from plimsoll.host.topology.values import in_short
from plimsoll.placement.slices.layout import MARK, Cap, Group, Layout
from plimsoll.placement.slices.outputs._output import Output, OutputFile
from plimsoll.placement.slices.outputs._shell import NUMBER, PUT, below, disk_number, has_caps, head

_HEAD = f"""# {MARK}
# Load it with `cgconfigparser -l cgconfig.conf`, and put a process in with `cgclassify -g cpuset,memory:GROUP PID`.
# Version 1 keeps nothing else off these CPUs: bind other work elsewhere, or use version 2.
"""
_TOP = "top=${CGROUP_ROOT:-/sys/fs/cgroup}\n"


def _files(layout: Layout) -> Iterator[OutputFile]:
    groups = "\n".join(map(_group, layout.groups))
    yield OutputFile("cgconfig.conf", f"{_HEAD}\n{groups}", "the groups, for cgconfigparser")
    yield OutputFile("remove.sh", _removed(layout), "removes the groups again", is_program=True)
    if has_caps(layout):
        yield OutputFile("limit-disks.sh", _limited(layout), "caps what groups ask of disks", is_program=True)


def _group(group: Group) -> str:
    lines = [f"group {group.group} {{"]
    if group.slice.account is not None:
        lines += _permissions(group.slice.account)
    lines += _controller(
        "cpuset", {"cpuset.cpus": in_short(group.cpus), "cpuset.mems": in_short(group.nodes)}
    )
    if group.memory_bytes is not None:
        lines += _controller("memory", {"memory.limit_in_bytes": str(group.memory_bytes)})
    if group.caps:
        lines += _controller("blkio", {})
    return "\n".join([*lines, "}", ""])


def _permissions(account: str) -> Iterator[str]:
    """The account puts its own processes in; nobody else changes the group. The file knows no permissions of tasks alone."""
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
    for group in layout.groups:
        for cap in group.caps:
            lines += [disk_number(cap.device), *_caps(group, cap)]
    return "\n".join(lines) + "\n"


def _caps(group: Group, cap: Cap) -> Iterator[str]:
    for unit, limit in (("iops", cap.iops), ("bps", cap.bytes_per_s)):
        for way in ("read", "write") if limit is not None else ():
            file = f"{group.group}/blkio.throttle.{way}_{unit}_device"
            yield f'put {below("$top/blkio", file)} "$disk {limit}"'


def _removed(layout: Layout) -> str:
    about = "Removes the groups; end what runs in them, or move it out, before."
    lines = [head(about, _TOP).rstrip("\n")]
    for group in layout.groups:
        for controller in _used(group):
            folder = below(f"$top/{controller}", group.group)
            lines.append(f"[ ! -d {folder} ] || rmdir {folder}")
    return "\n".join(lines) + "\n"


def _used(group: Group) -> list[str]:
    bound = ["memory"] if group.memory_bytes is not None else []
    return ["cpuset", *bound, *(["blkio"] if group.caps else [])]


OUTPUT = Output(help="Control groups of version 1: cgconfig.conf, for cgconfigparser.", files=_files)
