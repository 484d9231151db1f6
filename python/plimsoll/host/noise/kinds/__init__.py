"""What noise may load, one kind a file: what it does until it is to end, and what it counts meanwhile."""

import sys
from typing import cast

from plimsoll.base import registry
from plimsoll.host.noise.kinds._kind import Kind, Order, Told

__all__ = ["Kind", "Order", "Told", "load", "names"]


def names() -> list[str]:
    """The kinds' names, sorted."""
    return registry.names(sys.modules[__name__])


def load(name: str) -> Kind:
    """The kind called `name`. Raises UsageError `kind-unknown`."""
    return cast(Kind, registry.load(sys.modules[__name__], name, "KIND"))
