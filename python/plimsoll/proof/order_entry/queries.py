"""The SQL of order entry, from the files beside the package: one file, one thing, in the order of their names."""

from __future__ import annotations

from plimsoll.proof.statements import file_text, folder_of

DIALECT, WORKLOAD = "postgres", "order_entry"
"""PostgreSQL's alone: transactions are its procedures."""


def text(name: str) -> str:
    """The file of that name, without its ending."""
    return file_text(DIALECT, WORKLOAD, name)


def texts(folder: str) -> dict[str, str]:
    """All files of a folder by name, in order."""
    entries = folder_of(DIALECT, WORKLOAD).joinpath(folder).iterdir()
    names = sorted(entry.name.removesuffix(".sql") for entry in entries if entry.name.endswith(".sql"))
    return {name: text(f"{folder}/{name}") for name in names}


def statements(name: str) -> list[str]:
    """The statements of a file that has one a line."""
    return [line for line in text(name).splitlines() if line and not line.startswith("--")]


def explained(sql: str) -> str:
    """What a file says of itself: its first lines of comment, as one."""
    lines = [line.removeprefix("--").strip() for line in sql.splitlines()[:3] if line.startswith("--")]
    return " ".join(lines)
