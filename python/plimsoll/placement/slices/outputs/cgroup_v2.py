"""Control groups of version 2 by plain writes, as a program for sh, for a host without systemd: see `writes`."""

from __future__ import annotations

from collections.abc import Iterator

from plimsoll.placement.slices.cost_model import COST_OFF
from plimsoll.placement.slices.layout import Layout
from plimsoll.placement.slices.outputs._output import Output, OutputFile
from plimsoll.placement.slices.outputs._shell import (
    COSTED_NO_MORE,
    NUMBER,
    PUT,
    below,
    disk_number,
    has_caps,
    head,
    quoted,
)
from plimsoll.placement.slices.writes import COST_SERVICE, Exclusive, Make, Own, Put, Write, version_2

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
_OWN = "# The account may divide the group among its processes; what is outside of it only root moves in (cgroup-v2.rst)."
_NOT_EXCLUSIVE = "# No CPU is left for everything else, so that the kernel takes none of these groups as a partition of its own."
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
    lines = [head(about, *functions).rstrip("\n")]
    for write in version_2(layout):
        lines += _lines(write)
    if not layout.others:
        lines.append(_NOT_EXCLUSIVE)
    return "\n".join(lines) + "\n"


def _lines(write: Write) -> Iterator[str]:
    match write:
        case Make(path):
            yield f"make {quoted(path)}"
        case Put(path, value, None):
            yield f"put {below('$root', path)} {quoted(value)}"
        case Put(path, value, str(device), about):
            yield from [f"# {about}"] if about else []
            yield disk_number(device)
            yield f'put {below("$root", path)} "$disk {value}"'
            if path == COST_SERVICE:
                yield 'costed="$disk $costed"'
        case Own(group, files, account):
            yield _OWN
            own = " ".join(below("$root", f"{group}/{name}".rstrip("/")) for name in files)
            yield f"chown {quoted(account)} {own}"
        case Exclusive(group):
            yield f"exclusive {quoted(group)}"


def _removed(layout: Layout) -> str:
    about = "Removes the groups that make.sh made; end what runs in them, or move it out, before."
    lines = [head(about, _ROOT, *([PUT, NUMBER, COSTED_NO_MORE] if layout.models else [])).rstrip("\n")]
    for group in reversed(layout.groups):
        folder = below("$root", group.group)
        lines.append(f"[ ! -d {folder} ] || rmdir {folder}")
    lines += [f"costed_no_more {quoted(model.device)}" for model in layout.models]
    return "\n".join(lines) + "\n"


OUTPUT = Output(help="Control groups of version 2, by plain writes, for hosts without systemd.", files=_files)
