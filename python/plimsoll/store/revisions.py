"""Where a store says which revision of the schema it has, and which revisions there are."""

from __future__ import annotations

from pathlib import Path

VERSION_TABLE = "plimsoll_version"
VERSION_COLUMN = "version_num"
REVISIONS = Path(__file__).parent / "migrations" / "versions"


def newest(folder: Path = REVISIONS) -> str:
    """Today's revision: files of revisions begin with their number."""
    return max(file.name.partition("_")[0] for file in folder.iterdir() if file.suffix == ".py")
