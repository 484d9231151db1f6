"""Names of files made of names that others chose: of hosts, databases, reports."""

from __future__ import annotations

import re
from hashlib import sha256

_BYTES_MAX = 200
"""Of the 255 that nearly all file systems take (NAME_MAX in limits.h), with room for what is put before and behind."""
_HASH_DIGITS = 16
_UNSAFE = re.compile(r"[^\w.-]+")


def file_name(text: str) -> str:
    """The text as one name of a file: no separators, no dot in front, nothing that a shell minds, and not too long."""
    return shortened(_UNSAFE.sub("-", text).lstrip(".") or "-")


def shortened(name: str) -> str:
    """The name; one that file systems would not take is cut, and ends with a hash of the whole, so that no two become one."""
    encoded = name.encode(errors="surrogateescape")
    if len(encoded) <= _BYTES_MAX:
        return name
    digits = sha256(encoded).hexdigest()[:_HASH_DIGITS]
    kept = encoded[: _BYTES_MAX - _HASH_DIGITS - 1].decode(errors="ignore")
    return f"{kept}-{digits}"
