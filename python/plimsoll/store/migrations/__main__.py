"""Writes the next revision: what today's fact classes have that the newest revision has not."""

from __future__ import annotations

import sqlite3
import sys
from contextlib import closing
from pathlib import Path
from typing import Literal

from alembic.autogenerate import RevisionContext
from alembic.config import Config
from alembic.runtime.environment import EnvironmentContext

from plimsoll.ports import files
from plimsoll.store.revisions import REVISIONS, VERSION_TABLE
from plimsoll.store.schema import TYPES, metadata
from plimsoll.store.upgrade import on_driver, script_directory, upgrade


def main(message: str) -> None:
    """Builds the newest known schema in memory, compares it with the facts, and writes the difference as a file."""
    scripts = script_directory()
    known = [file.name.partition("_")[0] for file in REVISIONS.glob("*.py")]
    wanted = {
        "message": message, "rev_id": f"{len(known) + 1:04}", "autogenerate": True, "sql": False, "head": "head",
        "splice": False, "branch_label": None, "version_path": None, "depends_on": None,
    }  # fmt: skip
    context = RevisionContext(Config(), scripts, wanted)
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as connection:
        if known:
            upgrade("sqlite", connection)

        def compare(revision: object, migration: object) -> list[object]:
            context.run_autogenerate(revision, migration)  # type: ignore[arg-type]
            return []

        with EnvironmentContext(Config(), scripts, fn=compare) as environment:
            environment.configure(
                connection=on_driver("sqlite", connection),
                target_metadata=metadata(),
                version_table=VERSION_TABLE,
                include_name=_is_ours,
                render_item=_render,
            )
            environment.run_migrations()
    for script in context.generate_scripts():
        if script is not None:
            _tidy(Path(script.path))


def _is_ours(name: str | None, kind: str, _: object) -> bool:
    return not (kind == "table" and name == VERSION_TABLE)


def _render(what: str, item: object, _: object) -> str | Literal[False]:
    """Types by the name that `schema.py` gives them; False: Alembic writes the item itself."""
    names = [kind for kind, known in TYPES.items() if known is item]
    return f'TYPES["{names[0]}"]' if what == "type" and names else False


def _tidy(path: Path) -> None:
    """Takes out Alembic's remarks. `ruff format` does the rest."""
    lines = [line for line in path.read_text().splitlines() if not line.strip().startswith("# ###")]
    files.write_text_atomically(path, "\n".join(lines) + "\n", lines[0])


if __name__ == "__main__":
    main(" ".join(sys.argv[1:]) or "change the schema")
