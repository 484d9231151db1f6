"""SQL of a workload: `sql/<dialect>/<workload>/<name>.sql`, one file for each thing that is asked of a database.

In a file a blank line ends a statement. `{word}` stands for a value of ours, a number or a name that we made; whatever comes from a
user is passed as a parameter (`%s`) instead.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from importlib import resources
from importlib.resources.abc import Traversable

from plimsoll.base.errors import UsageError

_WORD = re.compile(r"\{(\w+)\}")
_COMMENT = re.compile(r"^--.*\n", re.MULTILINE)


def statements(
    dialect: str, workload: str, name: str, words: Mapping[str, object] | None = None
) -> list[str]:
    """The statements of one file, filled in. Raises UsageError `proof-unsupported` where this database has none."""
    filled = _WORD.sub(lambda match: str((words or {})[match[1]]), _text(dialect, workload, name))
    return [
        part.strip().removesuffix(";") if "$$" not in part else part.strip()
        for part in filled.split("\n\n")
        if part.strip()
    ]


def statement(dialect: str, workload: str, name: str, words: Mapping[str, object] | None = None) -> str:
    """The only statement of a file."""
    found = statements(dialect, workload, name, words)
    assert len(found) == 1, f"{dialect}/{workload}/{name}.sql must hold one statement"
    return found[0]


def has_statements(dialect: str, workload: str, name: str) -> bool:
    """Whether this database has such a file: some things one does and another one need not."""
    return folder_of(dialect, workload).joinpath(f"{name}.sql").is_file()


@cache
def file_text(dialect: str, workload: str, name: str) -> str:
    """One file as it stands. Raises UsageError `proof-unsupported` where this database has none for the workload."""
    return folder_of(dialect, workload).joinpath(f"{name}.sql").read_text(encoding="utf-8")


def folder_of(dialect: str, workload: str) -> Traversable:
    """The folder of a workload's files for that database. Raises UsageError `proof-unsupported` where there is none."""
    folder = resources.files("plimsoll.proof").joinpath("sql", dialect, workload)
    if not folder.is_dir():
        shown = workload.replace("_", "-")
        message = f"cannot prove {shown} on {dialect}: it was not written for this database"
        hint = "PostgreSQL can: --database embedded, or postgresql://user@host/name. MariaDB can prove slob."
        raise UsageError("proof-unsupported", message, hint)
    return folder


@cache
def _text(dialect: str, workload: str, name: str) -> str:
    return _COMMENT.sub("", file_text(dialect, workload, name))
