"""What the host's own tools take a device's contents for, where they are installed: a second opinion, never the first."""

from __future__ import annotations

from pathlib import Path

from plimsoll.ports import processes

_BLKID = ("/usr/sbin/blkid", "/sbin/blkid", "blkid")
_PATIENCE_S = 10.0


def type_by_blkid(path: Path) -> str | None:
    """The type that `blkid --probe` names (blkid(8)); None when it knows none, is not here, or does not answer."""
    for program in _BLKID:
        try:
            done = processes.run(
                [program, "--probe", "--output", "value", "--match-tag", "TYPE", str(path)],
                timeout_s=_PATIENCE_S,
            )
        except (OSError, processes.TimeoutExpired):
            continue
        return done.stdout.strip() or None
    return None
