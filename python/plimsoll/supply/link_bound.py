"""What the links to the targets of a run carry, and how much of it was used: beside what was measured, what was to be expected."""

from __future__ import annotations

from collections.abc import Sequence

from plimsoll.base.units import format_share
from plimsoll.facts import Cell, LinkBound, Note, Target
from plimsoll.host.link_speeds import Stated
from plimsoll.host.links import Link, link_over
from plimsoll.host.provenance import host
from plimsoll.host.ways import ways_to
from plimsoll.supply.one_way import LINK_SLACK, one_way_mb_per_s


def link_bound(
    targets: Sequence[Target], stated: Stated | None, copies: int | None, cells: Sequence[Cell]
) -> LinkBound | None:
    """The bound with what the busiest of the cells used of it. None for simulated targets whose links nobody stated."""
    if stated is not None:
        link = Link(_counted(stated), stated.count * stated.speed.mb_per_s, stated.speed.duplex)
        found = _bound(link, copies or 1, stated.count, stated=True)
    elif all(target.kind == "simulated" for target in targets):
        return None
    else:
        found = _read(targets, copies)
    return _used(found, cells)


def _counted(stated: Stated) -> str:
    return stated.speed.words if stated.count == 1 else f"{stated.count} × {stated.speed.words}"


def _read(targets: Sequence[Target], copies: int | None) -> LinkBound:
    """From sysfs. One target of which nothing is known leaves all of it unknown."""
    if (virtual := host().virtualization) is not None:
        return _unknown(f"this is a virtual machine ({virtual}), and its links are its host's inventions")
    ways = [ways_to(target) for target in targets]
    missing = next((each.reason for each in ways if not each.found), None)
    if missing is not None:
        return _unknown(missing)
    together = tuple(dict.fromkeys(way for each in ways for way in each.found))
    link = link_over(together)
    if link is None:
        return _unknown("the kernel tells of no link on the way")
    return _bound(link, copies or min(each.copies for each in ways), len(together), stated=False)


def _unknown(why: str) -> LinkBound:
    return LinkBound(stated=False, reason=f"What the links carry is not known: {why}; --links states them.")


def _bound(link: Link, copies: int, paths: int, stated: bool) -> LinkBound:
    source = "as stated" if stated else "as the kernel tells"
    way = "in each direction" if link.duplex else "in both directions together"
    writes = f"; this host sends each write {copies} times, which leaves {link.mb_per_s / copies:,.0f} MB/s for writes"
    return LinkBound(
        stated=stated,
        words=link.words,
        paths=paths,
        mb_per_s=link.mb_per_s,
        duplex=link.duplex,
        copies=copies,
        write_mb_per_s=link.mb_per_s / copies,
        reason=f"Links, {source}: {link.words}, at most {link.mb_per_s:,.0f} MB/s {way}{writes if copies > 1 else ''}.",
    )


def _used(found: LinkBound, cells: Sequence[Cell]) -> LinkBound:
    if found.mb_per_s is None or not cells:
        return found
    most = max(one_way_mb_per_s(cell, found.duplex, found.copies) for cell in cells)
    share = most / found.mb_per_s
    said = (
        f"{found.reason} Measured at most {most:,.0f} MB/s{_counting(found)}, {format_share(share)} of that."
    )
    return found.model_copy(update={"used_mb_per_s": most, "used_share": share, "reason": said})


def _counting(found: LinkBound) -> str:
    return " with all copies" if found.copies > 1 else ""


def is_exceeded(share: float | None) -> bool:
    """Whether more was measured than can be."""
    return share is not None and share > LINK_SLACK


def notes_on(found: LinkBound | None) -> tuple[Note, ...]:
    """A warning where more was measured than the links carry."""
    if found is None or not is_exceeded(found.used_share):
        return ()
    message = (
        f"{format_share(found.used_share)} of what the links carry was measured: cached data were, or there are other links than"
        f" {found.words}"
    )
    return (Note(code="links-exceeded", message=message),)
