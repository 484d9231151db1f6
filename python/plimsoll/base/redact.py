"""Passwords out of everything that is shown, stored or written."""

from __future__ import annotations

import re

_IN_URL = re.compile(r"([a-zA-Z][a-zA-Z0-9+.-]*://[^\s:/@]*:)\S+(@)")
_IN_WORDS = re.compile(r"((?:password|pgpassword|passwd)\s*=\s*)('[^']*'|\S+)", re.IGNORECASE)


def redact(text: str) -> str:
    """`text` with the password of every URL and every `password=` replaced by three stars."""
    return _IN_WORDS.sub(r"\1***", _IN_URL.sub(r"\1***\2", text))
