"""Scratch files that earlier runs left on a server: a run that is killed can take nothing back, and the next one is on any host.

They are named and never removed: a run on another host, or in another container, may be measuring one of them. Agents of a
measurement from several hosts name none: the files of the others look the same.
"""

from __future__ import annotations

from collections.abc import Iterable

from plimsoll.base.errors import PlimsollError
from plimsoll.base.units import counted
from plimsoll.context import Context
from plimsoll.native import remote
from plimsoll.native.errors import engine_errors
from plimsoll.ports import claims

BEGINNING = "plimsoll-scratch-"
_NAMES_SHOWN_MAX = 10


def tell(ctx: Context, folder: str) -> None:
    """Names what lies in a server's folder and no process of this host holds, once for each command."""
    held = claims.all_claimed()
    try:
        with engine_errors():
            names = remote.names(folder, BEGINNING)
    except PlimsollError as error:
        ctx.remark("scratch", f"whether earlier runs left scratch files there is not known: {error.message}")
        return
    if left := [name for name in names if not _is_held(name, held)]:
        ctx.remark("scratch", _words(folder, left), warning=True)


def _is_held(name: str, held: Iterable[str]) -> bool:
    """A file that is about to be removed has more behind its name."""
    return any(name.startswith(one.removesuffix(".dat")) for one in held if one.startswith(BEGINNING))


def _words(folder: str, left: list[str]) -> str:
    shown = ", ".join(left[:_NAMES_SHOWN_MAX])
    more = f" and {len(left) - _NAMES_SHOWN_MAX} more" if len(left) > _NAMES_SHOWN_MAX else ""
    return (
        f"{counted(len(left), 'scratch file')} in {folder.partition('?')[0]} that no run of this host or container holds:"
        f" {shown}{more}; remove what no other host or container is measuring"
    )
