"""A control group for a process, where this machine lets us make one."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from plimsoll.observe.cgroups import group_in

_TOPS = ("/sys/fs/cgroup/blkio", "/sys/fs/cgroup/unified", "/sys/fs/cgroup")


@contextmanager
def made_group(pid: int) -> Iterator[str]:
    """Path of a group below the one that a process is in, and is in until the block ends. Skips where none can be made."""
    told = Path(f"/proc/{pid}/cgroup").read_text()
    before = group_in(told)
    if before is None:
        pytest.skip("this process is in no control group for I/O")
    is_first = "blkio" in told
    tops = [Path(top) for top in _TOPS if (top.endswith("blkio")) == is_first]
    top = next((top for top in tops if (top / before.lstrip("/") / "cgroup.procs").exists()), None)
    if top is None:
        pytest.skip("control groups are not mounted where they usually are")
    path = f"{before.rstrip('/')}/plimsoll-test-{os.getpid()}"
    group = top / path.lstrip("/")
    try:
        group.mkdir()
        (group / "cgroup.procs").write_text(str(pid))
    except OSError as error:
        if group.exists():
            group.rmdir()
        pytest.skip(f"no control group can be made here: {error}")
    try:
        yield path
    finally:
        (top / before.lstrip("/") / "cgroup.procs").write_text(str(pid))
        group.rmdir()
