"""C functions in front of a library's: for a program whose own ones need what a benchmark has not, or never come back."""

from __future__ import annotations

import subprocess
from pathlib import Path


def preloaded(folder: Path, name: str, source: str) -> tuple[str, ...]:
    """Compiles them in that folder; what starts a program with them in front."""
    text, library = folder / f"{name}.c", folder / f"{name}.so"
    text.write_text(source)
    subprocess.run(["cc", "-shared", "-fPIC", "-o", library, text], check=True)
    return ("env", f"LD_PRELOAD={library}")
