"""The begin of sentences that a program puts together."""

from __future__ import annotations

import re

_NAME = re.compile(r"\S*?(?:\d|_|/|\.\w)")
"""A first word that is no word of the language: `p99`, `db3:`, `io_uring`, `/data`, `db.example`."""


def capital(words: str) -> str:
    """The same with a capital at the begin, unless that is the name of something, which stays as it is."""
    return words if _NAME.match(words) else f"{words[:1].upper()}{words[1:]}"
