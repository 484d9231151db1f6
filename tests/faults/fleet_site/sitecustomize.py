"""Loaded by processes that tests start with this folder on their path: a reader that some files end, and that notes what it read.

`DEADLY_MARK` is a text that ends the process of whoever reads a report with it, `READ_LOG` the file of what was read, and
`KILLED_AFTER` the number of groups after which the process that keeps them is killed, `ASKED_AFTER` that after which it is
asked to end, as by Ctrl-C. With `KILLED_IN_SAVE` it is killed when it stores its result.
"""

from __future__ import annotations

import os
import signal

from plimsoll.native import reports
from plimsoll.reports.kept_groups import KeptGroups

_read, _keep = reports.read_report, KeptGroups.keep
_kept: list[str | None] = []


def read(data: bytes) -> reports.Report:
    """As the reader does, if it lives."""
    mark = os.environ.get("DEADLY_MARK")
    if mark is not None and mark.encode() in data:
        os.kill(os.getpid(), signal.SIGSEGV)
    if "READ_LOG" in os.environ:
        with open(os.environ["READ_LOG"], "ab") as log:
            log.write(data.splitlines()[-1] + b"\n")
    return _read(data)


def keep(self: KeptGroups, key: str | None, parts: list[bytes]) -> None:
    """As it does, up to its end."""
    _keep(self, key, parts)
    _kept.append(key)
    if len(_kept) == int(os.environ.get("KILLED_AFTER", "0")):
        os.kill(os.getpid(), signal.SIGKILL)
    if len(_kept) == int(os.environ.get("ASKED_AFTER", "0")):
        os.kill(os.getpid(), signal.SIGINT)


def killed(*_: object) -> None:
    """In place of storing."""
    os.kill(os.getpid(), signal.SIGKILL)


reports.read_report = read
KeptGroups.keep = keep  # type: ignore[method-assign]
if "KILLED_IN_SAVE" in os.environ:
    from plimsoll.store.sqlstore import SqlStore

    SqlStore.save = killed  # type: ignore[method-assign]
