"""Files that are open on the whole host: `fs.file-nr` of `fs.file-max`."""

from __future__ import annotations

from collections.abc import Iterator

from plimsoll.observe.limits._use import NEAR, Look, Use, numbers


class LIMIT:
    """Beyond it the kernel refuses."""

    def uses(self, look: Look) -> Iterator[Use]:
        """Of the host."""
        found = numbers(look.root / "proc/sys/fs/file-nr")
        if len(found) == 3:
            used, free, value = found
            advice = (
                f"Beyond it open fails with ENFILE: sysctl -w fs.file-max={2 * value} doubles it, and a line in /etc/sysctl.d"
                " keeps it."
            )
            yield Use("fs.file-max", None, "files", value, used - free, NEAR * value, advice)
