"""What a flow is handed: clock, events, cancel, scratch, executor and store.

Made by the command line, the web or a test; never global.
"""

# ruff: noqa: F401 - what checkers of types read

from typing import TYPE_CHECKING

from plimsoll.base.later import loaded_later

if TYPE_CHECKING:
    from plimsoll.context.apart import Ended, Pieces
    from plimsoll.context.cancel import Cancel, EitherCancel
    from plimsoll.context.context import EVERY_RUN, Context, RunFilter, Store
    from plimsoll.context.executor import Executor, LocalExecutor
    from plimsoll.context.request import stored_request
    from plimsoll.context.scratch import Scratch
    from plimsoll.context.thinned_day import ThinnedDay

_NAMES = {
    "apart": ("Ended", "Pieces"),
    "cancel": ("Cancel", "EitherCancel"),
    "context": ("EVERY_RUN", "Context", "RunFilter", "Store"),
    "executor": ("Executor", "LocalExecutor"),
    "request": ("stored_request",),
    "scratch": ("Scratch",),
    "thinned_day": ("ThinnedDay",),
}
_HOMES = {name: module for module, names in _NAMES.items() for name in names}

__all__ = [*sorted(_HOMES)]  # noqa: PLE0604 # pyright: ignore[reportUnsupportedDunderAll]

if not TYPE_CHECKING:  # or no checker of types would miss a name that is none
    __getattr__ = loaded_later(__name__, _HOMES)
    """What a process apart and a worker of Dask need of this is a tenth of what all of it loads."""
