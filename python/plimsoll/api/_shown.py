"""How a result shows itself: one line at a prompt, a few lines and a short table in a cell of a notebook."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

_ROWS_SHOWN_MAX = 10
_NOTES_SHOWN_MAX = 5
_TEXT_SHOWN_MAX = 300


class Shown(ABC):
    """One line as `repr`, and as `_repr_html_` what a notebook shows; neither grows with what was measured."""

    @abstractmethod
    def _answer(self) -> str:
        """What was found, in a few words."""

    def _about(self) -> str:
        """Which run it is, of what."""
        return ""

    def _remarks(self) -> Sequence[str]:
        """What a reader must know beside the answer."""
        return ()

    def _table(self) -> Sequence[Mapping[str, Any]]:
        """Rows with the few columns that matter most."""
        return ()

    def __repr__(self) -> str:
        about = self._about()
        return f"<{type(self).__name__}: {_cut(self._answer())}{f'; {_cut(about)}' if about else ''}>"

    def _repr_html_(self) -> str:
        """The answer, what it is of, a short table, and what a reader must know."""
        about = self._about()
        return "".join(
            [
                f"<p><b>{_text(self._answer())}</b>{f'<br>{_text(about)}' if about else ''}</p>",
                _rows(self._table()),
                _notes(self._remarks()),
            ]
        )


def picked(row: Mapping[str, Any], columns: Sequence[str]) -> dict[str, Any]:
    """These columns of a row, as far as it has them."""
    return {name: row[name] for name in columns if name in row}


def _rows(rows: Sequence[Mapping[str, Any]]) -> str:
    if not rows:
        return ""
    names = list(rows[0])
    heads = "".join(f"<th>{_text(name)}</th>" for name in names)
    body = "".join(
        "<tr>" + "".join(f"<td>{_text(_figure(one.get(name)))}</td>" for name in names) + "</tr>"
        for one in rows[:_ROWS_SHOWN_MAX]
    )
    more = len(rows) - _ROWS_SHOWN_MAX
    left_out = f"<p>{more:,} more rows: frame()</p>" if more > 0 else ""
    return f"<table><thead><tr>{heads}</tr></thead><tbody>{body}</tbody></table>{left_out}"


def _notes(remarks: Sequence[str]) -> str:
    shown = "".join(f"<li>{_text(remark)}</li>" for remark in remarks[:_NOTES_SHOWN_MAX])
    more = len(remarks) - _NOTES_SHOWN_MAX
    left_out = f"<li>{more:,} more: notes</li>" if more > 0 else ""
    return f"<ul>{shown}{left_out}</ul>" if shown else ""


def _figure(value: Any) -> str:
    if value is None:
        return "unknown"
    if isinstance(value, bool) or not isinstance(value, int | float):
        return str(value)
    return (
        f"{value:,}" if isinstance(value, int) else f"{value:,.4g}" if abs(value) < 1000 else f"{value:,.0f}"
    )


def _text(value: str) -> str:
    return escape(_cut(value))


def _cut(text: str) -> str:
    return text if len(text) <= _TEXT_SHOWN_MAX else f"{text[: _TEXT_SHOWN_MAX - 1]}…"
