"""Names of databases and tablespaces as rows have them: told apart from words that are none, and from those of other servers."""

from __future__ import annotations

NONE, GLOBAL = "none", "global"
_OF = " of "
_WORDS = frozenset({NONE, GLOBAL, "unknown"})
_BEGINS = ("OID ", "SID ", '"')


def quoted(name: str) -> str:
    """A name; between quotes where it could be taken for something else, as for the words above."""
    if name in _WORDS or name.startswith(_BEGINS) or _OF in name:
        doubled = name.replace('"', '""')
        return f'"{doubled}"'
    return name


def by_number(number: int) -> str:
    """In place of a name that nobody told."""
    return f"OID {number}"


def by_instance(sid: str) -> str:
    """Of an instance of Oracle."""
    return f"SID {sid}"


def is_number_alone(label: str | None) -> bool:
    """Whether it is a number in the server that is connected to, which may tell the name a moment later."""
    return label is not None and label.startswith("OID ") and _OF not in label


def of_server(label: str, folder: str | None) -> str:
    """With the folder of its server; None: it is the server that was connected to."""
    return label if folder is None else f"{label}{_OF}{folder}"


def is_named(label: str | None, asked: str) -> bool:
    """Whether that is what was asked for: all of it, or the name alone."""
    if label is None:
        return False
    if label == asked or label.startswith(f"{asked}{_OF}"):
        return True
    if asked in _WORDS or asked.startswith(_BEGINS):
        return False
    name = quoted(asked)
    return label in (name, by_instance(asked)) or label.startswith(f"{name}{_OF}")


def is_below(path: str | None, asked: str) -> bool:
    """Whether a control group is that one, or lies below it."""
    if path is None:
        return False
    return path == asked or path.startswith(f"{asked.rstrip('/')}/")
