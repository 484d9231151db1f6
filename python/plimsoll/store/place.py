"""Where a store lies, by the words that name it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from plimsoll.base import folders, settings
from plimsoll.base.errors import UsageError

POSTGRES_SCHEMES = ("postgresql://", "postgres://")
PLACES = "Name a file, such as results.sqlite, or a postgresql:// URL."


def named_place(location: str | None, environment: Mapping[str, str] | None = None) -> str | None:
    """What names the store: the option, else `PLIMSOLL_STORE`; None: nothing does."""
    return location or settings.read(settings.STORE, environment)


def path_of(place: str | None) -> Path:
    """The file that is meant; without a name the one in the user's data folder. Raises UsageError `store-location`."""
    if place is None:
        return folders.data_folder() / "plimsoll.sqlite"
    scheme, separator, rest = place.partition("://")
    if separator and scheme not in ("sqlite", "file"):
        from plimsoll.base.redact import shown_of

        begin = shown_of(f"{scheme}://", place)
        raise UsageError("store-location", f"cannot keep runs at a '{begin}' location", PLACES)
    return Path(rest if separator else place).expanduser().absolute()
