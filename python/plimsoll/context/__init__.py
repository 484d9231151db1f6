"""What a flow is handed: clock, events, cancel, scratch, executor and store.

Made by the command line, the web or a test; never global.
"""

from plimsoll.context.cancel import Cancel
from plimsoll.context.context import Context, Store
from plimsoll.context.executor import Executor, LocalExecutor
from plimsoll.context.request import stored_request
from plimsoll.context.scratch import Scratch

__all__ = ["Cancel", "Context", "Executor", "LocalExecutor", "Scratch", "Store", "stored_request"]
