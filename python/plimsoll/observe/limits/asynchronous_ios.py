"""Asynchronous I/Os that processes have set up (libaio): `fs.aio-nr` of `fs.aio-max-nr`."""

from __future__ import annotations

from collections.abc import Iterator

from plimsoll.observe.limits._use import NEAR, Look, Use, number


class LIMIT:
    """Beyond it the kernel refuses."""

    def uses(self, look: Look) -> Iterator[Use]:
        """Of the host."""
        value, used = (number(look.root / "proc/sys/fs" / name) for name in ("aio-max-nr", "aio-nr"))
        if value is not None and used is not None:
            advice = (
                f"Beyond it io_setup fails with EAGAIN: sysctl -w fs.aio-max-nr={2 * value} doubles it, and a line in"
                " /etc/sysctl.d keeps it."
            )
            yield Use("fs.aio-max-nr", None, "ios", value, used, NEAR * value, advice)
