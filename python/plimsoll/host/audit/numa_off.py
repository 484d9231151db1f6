"""A kernel that was told to ignore NUMA, or firmware that hides it."""

from __future__ import annotations

from collections.abc import Iterator

from plimsoll.host.audit._look import Look
from plimsoll.host.audit._rule import Rule, Told
from plimsoll.host.audit._unread import Unread

_PATH = "proc/cmdline"
_CPUINFO = "proc/cpuinfo"


def _look(look: Look) -> Iterator[Told]:
    found = [word for word in look.quiet(_PATH).split() if word.startswith("numa=")]
    look.note(_PATH, " ".join(found) or "has no numa=")
    packages = {cpu.package for cpu in look.host.topology.cpus if cpu.online and cpu.package is not None}
    is_several = len(packages) > 1 and not _is_virtual(look)
    if "numa=off" in found:
        many = f"; the host has {len(packages)} packages" if is_several else ""
        advice = (
            "Take numa=off out of GRUB_CMDLINE_LINUX in /etc/default/grub, make the menu anew by update-grub, or by"
            " grub2-mkconfig -o /boot/grub2/grub.cfg, and boot."
        )
        message = f"the kernel was started with numa=off, so that it takes all memory for equally near{many}"
        yield Told("wrong" if is_several else "hint", message, advice)
    elif is_several and not look.host.is_several_nodes:
        message = f"the host has {len(packages)} packages and one node: firmware interleaves memory, or a hypervisor hides nodes"
        advice = "Switch node interleaving off in the firmware's setup; numactl --hardware then shows a node a package."
        yield Told("hint", message, advice)


def _is_virtual(look: Look) -> bool:
    """Whether packages are what a hypervisor calls so, some of which make one of each CPU; not told: they are of metal."""
    try:
        text = look.quiet(_CPUINFO)
    except Unread:
        return False
    flags = next((line for line in text.splitlines() if line.startswith("flags")), "")
    is_virtual = "hypervisor" in flags.split()
    if is_virtual:
        look.note(_CPUINFO, "flags have hypervisor")
    return is_virtual


RULE = Rule(
    title="NUMA switched off",
    why="Where the kernel does not know nodes it puts memory anywhere, and neither it nor a database can keep work near to it.",
    source="the kernel's Documentation/admin-guide/kernel-parameters.txt (`numa=off`)",
    look=_look,
)
