"""A trial of the image that cannot be made is left out, says what is missing, and is told from one that failed."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

from documents import ROOT

LEFT_OUT = 77


def _tried(folder: Path, user: int, found: tuple[str, ...] = ()) -> subprocess.CompletedProcess[str]:
    """The script, where nothing but these programs is found."""
    for name in ("dirname", *found):
        (folder / name).symlink_to(shutil.which(name) or "/bin/true")
    (folder / "id").write_text(f"#!/bin/sh\necho {user}\n")
    (folder / "id").chmod(0o755)
    return subprocess.run(
        ["/bin/sh", str(ROOT / "scripts" / "try_container.sh")],
        env={**os.environ, "PATH": str(folder)},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def test_root_is_asked_for(tmp_path: Path) -> None:
    tried = _tried(tmp_path, user=1000)
    assert tried.returncode == LEFT_OUT
    assert "root alone" in tried.stderr
    assert "hint: Run 'sudo scripts/try_container.sh'" in tried.stderr


def test_a_missing_program_is_named_with_its_package(tmp_path: Path) -> None:
    tried = _tried(tmp_path, user=0, found=("buildah",))
    assert tried.returncode == LEFT_OUT
    assert "debootstrap not found" in tried.stderr
    assert "apt-get install buildah debootstrap" in tried.stderr
