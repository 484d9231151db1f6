"""How a verb ends that reads what was named, when it could open nothing of it: `read`, `demand` and `import`."""

from __future__ import annotations

from plimsoll.base.errors import ExitStatus


def status_of_unopened(failed: int, unopened: int, missing: int) -> ExitStatus | None:
    """2 where nothing of what was named is there, 4 where it is and could not be opened; None where anything was opened.

    Of `failed` names or files `unopened` could not be opened, and of those `missing` are not there.
    """
    if not unopened or unopened < failed:
        return None
    return ExitStatus.USAGE if missing == unopened else ExitStatus.WORLD_FAILED
