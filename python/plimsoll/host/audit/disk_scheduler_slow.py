"""Flash drives behind an I/O scheduler that is made for disks that seek."""

from __future__ import annotations

from collections.abc import Iterator

from plimsoll.host.audit._look import Look
from plimsoll.host.audit._rule import Rule, Told
from plimsoll.host.audit._unread import Absent, Idle, Unread

_SLOW = ("bfq", "cfq")


def _look(look: Look) -> Iterator[Told]:
    disks = [one.name for one in look.host.topology.devices if one.kind == "disk"]
    if not disks:
        raise Idle("the host has no disk on hardware")
    seeks = {name: _seeks(look, name) for name in disks}
    for name in (name for name, answer in seeks.items() if answer == "0"):
        yield from _of(look, name)
    untold = [name for name, answer in seeks.items() if answer is None]
    if untold:
        raise Unread(
            f"there is no /{_queue(untold[0])}/rotational: whether {', '.join(untold)} seek is not told"
        )
    if "0" not in seeks.values():
        raise Idle("all disks say that they seek")


def _of(look: Look, name: str) -> Iterator[Told]:
    path = f"{_queue(name)}/scheduler"
    chosen = look.text(path)
    if chosen != "none":
        chosen = look.chosen(path)
    if chosen in _SLOW:
        advice = (
            f"echo none > /{path} sets it until the next boot; a rule of udev keeps it:"
            f' ACTION=="add|change", KERNEL=="{name}", ATTR{{queue/scheduler}}="none" in /etc/udev/rules.d/60-scheduler.rules.'
        )
        yield Told("hint", f"{name} does not seek, and has the I/O scheduler {chosen}", advice)


def _queue(name: str) -> str:
    return f"sys/block/{name.replace('/', '!')}/queue"


def _seeks(look: Look, name: str) -> str | None:
    """As the kernel says it; None: it does not."""
    try:
        return look.quiet(f"{_queue(name)}/rotational")
    except Absent:
        return None


RULE = Rule(
    title="I/O scheduler for seeking disks on flash",
    why="It takes CPU time for each I/O and holds some back so that others can be served in order, which flash does not need.",
    source="the kernel's Documentation/block/bfq-iosched.rst",
    look=_look,
)
