"""The SQL of order entry, from the files beside the package: one file, one thing, in the order of their names."""

from __future__ import annotations

from functools import cache
from importlib import resources

_FOLDER = ("sql", "postgres", "order_entry")


@cache
def text(name: str) -> str:
    """The file of that name, without its ending."""
    return resources.files("plimsoll.proof").joinpath(*_FOLDER, f"{name}.sql").read_text(encoding="utf-8")


@cache
def texts(folder: str) -> dict[str, str]:
    """All files of a folder by name, in order."""
    entries = resources.files("plimsoll.proof").joinpath(*_FOLDER, folder).iterdir()
    names = sorted(entry.name.removesuffix(".sql") for entry in entries if entry.name.endswith(".sql"))
    return {name: text(f"{folder}/{name}") for name in names}


def statements(name: str) -> list[str]:
    """The statements of a file that has one a line."""
    return [line for line in text(name).splitlines() if line and not line.startswith("--")]


def explained(sql: str) -> str:
    """What a file says of itself: its first lines of comment, as one."""
    lines = [line.removeprefix("--").strip() for line in sql.splitlines()[:3] if line.startswith("--")]
    return " ".join(lines)
