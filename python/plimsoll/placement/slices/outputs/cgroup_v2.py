"""Control groups of version 2 by plain writes, for a host without systemd: each path and value, in an order that the kernel takes.

source: the kernel's Documentation/admin-guide/cgroup-v2.rst: a controller is there when the group above passes it on; CPUs and
nodes come before processes; a group is a partition of its own when its CPUs are set, and tells in the same file whether it is.
"""

from __future__ import annotations

from collections.abc import Iterator

from plimsoll.host.topology.values import in_short
from plimsoll.placement.slices.layout import COST_OFF, Cap, Group, Layout
from plimsoll.placement.slices.outputs._output import Output, OutputFile
from plimsoll.placement.slices.outputs._shell import (
    COSTED_NO_MORE,
    NUMBER,
    PUT,
    below,
    costed,
    disk_number,
    has_caps,
    head,
    quoted,
)

_ROOT = "root=${CGROUP_ROOT:-/sys/fs/cgroup}\n"
_MAKE = f"""made=
costed=
make() {{ # GROUP
    mkdir "$root/$1" || refuse "$root/$1 cannot be made; what was made before it is taken back"
    made="$1 $made"
}}
take_back() {{
    status=$?
    [ "$status" -ne 0 ] || return 0
    for disk in $costed; do echo "$disk {COST_OFF}" > "$root/io.cost.qos" || true; done
    for one in $made; do rmdir "$root/$one" || true; done
}}
trap take_back EXIT
trap 'exit 130' INT
trap 'exit 143' HUP TERM
"""
_EXCLUSIVE = """exclusive() { # GROUP: no other group has its CPUs
    put "$root/$1/cpuset.cpus.partition" root
    state=$(cat "$root/$1/cpuset.cpus.partition")
    [ "$state" = root ] || refuse "the CPUs of $1 are not its own: the kernel says '$state'"
}
"""
_CHECK = """[ -e "$root/cgroup.controllers" ] || refuse "$root is not of version 2"
"""


def _files(layout: Layout) -> Iterator[OutputFile]:
    yield OutputFile("make.sh", _made(layout), "makes the groups, or none of them", is_program=True)
    yield OutputFile("remove.sh", _removed(layout), "removes them again", is_program=True)


def _made(layout: Layout) -> str:
    about = "Makes a control group for each slice; root puts a process in by its id: echo PID > GROUP/cgroup.procs"
    functions = [
        _ROOT,
        PUT,
        *([NUMBER] if has_caps(layout) or layout.models else []),
        _MAKE,
        _EXCLUSIVE,
        _CHECK,
    ]
    lines = [head(about, *functions).rstrip("\n"), *_controllers(layout)]
    for group in layout.groups:
        lines += _writes(group)
    lines += _partitions(layout)
    for model in layout.models:
        lines += costed(model, "$root")
    return "\n".join(lines) + "\n"


def _controllers(layout: Layout) -> Iterator[str]:
    has_io = (
        has_caps(layout) or bool(layout.models) or any(group.weight is not None for group in layout.groups)
    )
    for name in ("cpuset", "memory", *(["io"] if has_io else [])):
        yield _put("cgroup.subtree_control", f"+{name}")


def _writes(group: Group) -> Iterator[str]:
    yield f"make {quoted(group.group)}"
    yield _put(f"{group.group}/cpuset.cpus", in_short(group.cpus))
    yield _put(f"{group.group}/cpuset.mems", in_short(group.nodes))
    if group.memory_bytes is not None:
        yield _put(f"{group.group}/memory.max", str(group.memory_bytes))
    if group.weight is not None:
        yield _put(f"{group.group}/io.weight", f"default {group.weight}")
    for cap in group.caps:
        yield disk_number(cap.device)
        yield f'put {below("$root", group.group)}/io.max "$disk {_limits(cap)}"'
    if group.slice.account is not None:
        files = ("", "/cgroup.procs", "/cgroup.subtree_control", "/cgroup.threads")
        own = " ".join(below("$root", f"{group.group}{name}") for name in files)
        yield "# The account may divide the group among its processes; what is outside of it only root moves in (cgroup-v2.rst)."
        yield f"chown {quoted(group.slice.account)} {own}"


def _limits(cap: Cap) -> str:
    limits = {"iops": cap.iops, "bps": cap.bytes_per_s}
    return " ".join(
        f"{way}{unit}={limit}" for unit, limit in limits.items() if limit is not None for way in "rw"
    )


def _partitions(layout: Layout) -> Iterator[str]:
    if not layout.others:
        yield "# No CPU is left for everything else, so that the kernel takes none of these groups as a partition of its own."
        return
    for group in layout.groups:
        yield f"exclusive {quoted(group.group)}"


def _put(path: str, value: str) -> str:
    return f"put {below('$root', path)} {quoted(value)}"


def _removed(layout: Layout) -> str:
    about = "Removes the groups that make.sh made; end what runs in them, or move it out, before."
    lines = [head(about, _ROOT, *([PUT, NUMBER, COSTED_NO_MORE] if layout.models else [])).rstrip("\n")]
    for group in reversed(layout.groups):
        folder = below("$root", group.group)
        lines.append(f"[ ! -d {folder} ] || rmdir {folder}")
    lines += [f"costed_no_more {quoted(model.device)}" for model in layout.models]
    return "\n".join(lines) + "\n"


OUTPUT = Output(help="Control groups of version 2, by plain writes, for hosts without systemd.", files=_files)
