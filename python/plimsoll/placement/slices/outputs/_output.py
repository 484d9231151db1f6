"""What a kind of output is."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from plimsoll.placement.slices.layout import Layout


@dataclass(frozen=True)
class OutputFile:
    """One file, by its place in the folder of its kind."""

    path: str
    text: str
    about: str
    """What it is, in a few words."""
    is_program: bool = False


@dataclass(frozen=True)
class Output:
    """One kind: what it is, and its files."""

    help: str
    files: Callable[[Layout], Iterable[OutputFile]]
    """None: the plan has no use for it."""
