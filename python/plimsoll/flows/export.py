"""`plimsoll store export`: a stored run as files for other tools."""

from __future__ import annotations

from pathlib import Path

from plimsoll.facts import Run
from plimsoll.store.export import export_run


def export(run: Run, file_format: str, folder: Path, escape_formulas: bool = False) -> list[Path]:
    """Writes the run into `folder` and returns the files. Raises WorldError when the folder refuses."""
    return export_run(run, file_format, folder, escape_formulas)
