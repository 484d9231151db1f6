"""Blocks as a terminal shows them. What only a page can show, such as charts, is left out."""

from __future__ import annotations

from collections.abc import Sequence

from plimsoll.cli.output import say
from plimsoll.cli.tables import show_figures
from plimsoll.results import Answer, Block, Figures, Folded, Grid, Pairs, Points, Words


def show_blocks(blocks: Sequence[Block]) -> None:
    """One after the other."""
    for block in blocks:
        _show(block)


def _show(block: Block) -> None:
    if isinstance(block, Grid):
        say(block.caption)
        show_figures(block.table)
    else:
        for line in _lines(block):
            say(line)


def _lines(block: Block) -> list[str]:
    match block:
        case Words(text):
            return [text]
        case Pairs(title, rows):
            return [f"{title}: {', '.join(f'{name} {value}' for name, value in rows)}"]
        case Points(rows):
            return [f"{about}: {sentence}" for about, sentence in rows]
        case Figures(rows):
            return [f"{name}: {figure} {words}" for name, figure, words in rows]
        case Answer():
            return [f"{block.headline}. {block.reason}", *([block.remark] if block.remark else [])]
        case Folded(summary, text):
            return [summary, *text.splitlines()]
        case _:
            return []
