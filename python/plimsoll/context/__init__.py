"""What a flow is handed: clock, events, cancel, scratch, executor and store.

Made by the command line, the web or a test; never global.
"""

from plimsoll.context.apart import Ended, Pieces
from plimsoll.context.cancel import Cancel, EitherCancel
from plimsoll.context.context import EVERY_RUN, Context, RunFilter, Store
from plimsoll.context.executor import Executor, LocalExecutor
from plimsoll.context.request import stored_request
from plimsoll.context.scratch import Scratch
from plimsoll.context.thinned_day import ThinnedDay

__all__ = [
    "EVERY_RUN",
    "Cancel",
    "Context",
    "EitherCancel",
    "Ended",
    "Executor",
    "LocalExecutor",
    "Pieces",
    "RunFilter",
    "Scratch",
    "Store",
    "ThinnedDay",
    "stored_request",
]
