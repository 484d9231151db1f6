"""A section of the page. It says what is to be read; templates/blocks.html alone says how it looks."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from plimsoll.charts import Subject
from plimsoll.results import Block


@dataclass(frozen=True)
class Section:
    """One section. `rank` orders them on the page; one that does not apply to a run is left out."""

    title: str
    help: str
    rank: int
    applies: Callable[[Subject], bool]
    blocks: Callable[[Subject], list[Block]]
