"""A verb that has verbs of its own, such as `store`; `place` does something by itself as well."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

C = TypeVar("C", bound=Callable[..., Any])


class Group:
    """Its help, and its members by name, in the order in which they were added.

    `own` is what it does where none of them is named.
    """

    def __init__(self, help: str = "", own: Callable[..., int] | None = None) -> None:
        self.help = help
        self.own = own
        self.members: dict[str, Any] = {}

    def command(self, name: str) -> Callable[[C], C]:
        """Adds a function that `plimsoll.cli.asking.asks` made."""

        def add(function: C) -> C:
            self.members[name] = function
            return function

        return add
