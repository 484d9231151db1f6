"""Rows of ours that a table of somebody else names by a foreign key: they stay until who made it lets them go."""

from __future__ import annotations

from plimsoll.base.errors import WorldError


def referenced(display: str, whose: str) -> WorldError:
    """`whose` is the foreign key, as `of the table "notes"`."""
    message = f"nothing was removed from {display}: a foreign key {whose} names what was to go"
    hint = (
        "Remove the rows there that name it, or have their foreign key made anew with ON DELETE CASCADE or ON DELETE SET NULL;"
        " then repeat the command."
    )
    return WorldError("store-referenced", message, hint)
