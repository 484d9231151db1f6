"""Ctrl-C from the first moment of a command on: while modules are loaded, it ends the process with the status of the contract.

It loads nothing of ours, as it has to be there before all that takes time to load.
"""

from __future__ import annotations

import os
import signal
import sys
from types import FrameType

_INTERRUPTED = 128 + signal.SIGINT
"""`ExitStatus.INTERRUPTED`, which takes time to load."""
_OF_IMPORTS = "<frozen importlib"


def heed() -> None:
    """Takes the signal, where nobody has taken it and it is not ignored, as in the background of a script."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _interrupt)


def _interrupt(number: int, frame: FrameType | None) -> None:
    """In the midst of loading modules nothing has begun, and the interrupt would come out of them as any other error."""
    at = frame
    while at is not None:
        if at.f_code.co_filename.startswith(_OF_IMPORTS):
            try:
                sys.stderr.write("error: interrupted\n")
                sys.stderr.flush()
            except (RuntimeError, OSError):
                pass
            os._exit(_INTERRUPTED)
        at = at.f_back
    signal.default_int_handler(number, frame)
