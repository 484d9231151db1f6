"""Takes passwords out of text that is shown or kept: messages, provenance, process titles, reports."""

from __future__ import annotations

import re
from collections.abc import Sequence

HIDDEN = "***"

# A password that was typed without escaping its slashes must not show either, so everything up to the last @ is hidden.
_IN_URL = re.compile(r"(?P<before>[A-Za-z][A-Za-z0-9+.-]*://[^\s:/?#@'\"]*:)(?P<secret>[^\s'\"]*)(?=@)")
_AS_WORD = re.compile(
    r"(?P<before>(?:password|passwd)\s*=\s*)(?P<secret>'(?:\\.|[^'\\])*'|[^\s&'\"]+)", re.IGNORECASE
)


def redact(text: str) -> str:
    """The text with every password in a URL (`scheme://user:secret@…`, `?password=secret`) or setting as three stars."""
    for pattern in (_IN_URL, _AS_WORD):
        text = pattern.sub(rf"\g<before>{HIDDEN}", text)
    return text


def redact_all(words: Sequence[str]) -> list[str]:
    """`redact` of each word of a command."""
    return [redact(word) for word in words]
