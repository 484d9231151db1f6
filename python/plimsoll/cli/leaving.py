"""The last of a process that has done its command: what was to be done at its end is done, and it ends.

Python would take apart all modules and what they hold first, each object by itself, though the system takes the memory back
anyway: 15 ms of each command.
"""

from __future__ import annotations

import atexit
import os
import sys
from typing import NoReturn

LOST = 120
"""Of a process whose output could not be written at its end.

source: https://docs.python.org/3/library/sys.html#sys.exit
"""


def leave(status: int) -> NoReturn:
    """Ends the process with this status: what is registered for its end (atexit) is done, and what it printed is handed on.

    Where threads are still at work that have to be waited for, or somebody looks on who wants to go on afterwards (a debugger, a
    profiler, a measure of coverage, `python -i`), Python ends it in its own way.
    """
    if _is_looked_on() or _threads_work():
        sys.exit(status)
    atexit._run_exitfuncs()  # it has no public name; whatever one of them raises is told, and ends no other
    os._exit(status if _is_handed_on() else status or LOST)


def _is_looked_on() -> bool:
    if sys.flags.inspect or sys.gettrace() is not None or sys.getprofile() is not None:
        return True
    tools = getattr(sys, "monitoring", None)  # since Python 3.12
    return tools is not None and any(tools.get_tool(number) is not None for number in range(_TOOLS))


_TOOLS = 6
"""Who may look on at a time. source: https://docs.python.org/3/library/sys.monitoring.html"""


def _threads_work() -> bool:
    """Whether any is alive, beside this one, that is no daemon."""
    threading = sys.modules.get("threading")
    if threading is None:
        return False
    return any(not one.daemon for one in threading.enumerate() if one is not threading.current_thread())


def _is_handed_on() -> bool:
    """What was printed, and had to wait: the command's own was before, but those at the end may have printed, too."""
    went_well = True
    for stream in (sys.stdout, sys.stderr):
        try:
            if stream is not None and not stream.closed:
                stream.flush()
        except (OSError, ValueError):
            went_well = False
    return went_well
