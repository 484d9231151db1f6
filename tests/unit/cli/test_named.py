"""`read`, `demand` and `import` end in one way where what was named cannot be read, whether it is one file or several."""

from __future__ import annotations

from pathlib import Path

import pytest

from plimsoll.base.errors import ExitStatus
from plimsoll.cli import main


@pytest.mark.parametrize("verb", ["read", "demand", "import"])
@pytest.mark.parametrize(
    ("names", "status"),
    [
        (["broken"], ExitStatus.DONE_IN_PART),
        (["broken", "other"], ExitStatus.DONE_IN_PART),
        (["missing"], ExitStatus.USAGE),
        (["missing", "gone"], ExitStatus.USAGE),
        (["missing", "broken"], ExitStatus.DONE_IN_PART),
        (["shut"], ExitStatus.WORLD_FAILED),
        (["shut", "missing"], ExitStatus.WORLD_FAILED),
    ],
)
def test_what_cannot_be_read(verb: str, names: list[str], status: ExitStatus, tmp_path: Path) -> None:
    (tmp_path / "broken").write_text("frobnicate\n", encoding="utf-8")
    (tmp_path / "other").write_text("nothing of ours\n", encoding="utf-8")
    # A link to itself cannot be opened by anybody, root included.
    (tmp_path / "shut").symlink_to("shut")
    assert main.run([verb, *(str(tmp_path / name) for name in names)]) == status
