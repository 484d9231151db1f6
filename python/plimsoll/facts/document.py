"""A run as one JSON document, with its distributions beside it: each once, by the SHA-256 of its content.

The store keeps text and blobs apart. Files and `--json` are one text, in which `distributions` holds them in base64 (RFC 4648,
section 4). Wherever a fact has a distribution (`hdr`), its document has the SHA-256.
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from plimsoll.base.jsontext import parse_json
from plimsoll.facts.run import Run

DISTRIBUTIONS = "distributions"
_DISTRIBUTION = "hdr"


@dataclass(frozen=True)
class Document:
    """`text` is JSON; `blobs` by their SHA-256 in hexadecimal digits."""

    text: str
    blobs: Mapping[str, bytes]


def document_of(run: Run) -> Document:
    """The run, and apart from it its distributions and tables."""
    blobs: dict[str, bytes] = {}
    return Document(run.model_dump_json(context=blobs), blobs)


def run_of(document: Document) -> Run:
    """The run again; keys without an order of their own, such as names of settings, are sorted.

    Raises ValueError for what is no run, and where a blob is missing.
    """
    return Run.model_validate(_sorted(parse_json(document.text)), context=dict(document.blobs))


def to_json(run: Run, indent: int | None = None) -> str:
    """The run as one text."""
    data, distributions = apart(run.model_dump(mode="json"))
    whole = {**data, DISTRIBUTIONS: distributions} if distributions else data
    return json.dumps(whole, ensure_ascii=False, allow_nan=False, indent=indent)


def from_json(text: bytes | str) -> Run:
    """The run of such a text. Raises ValueError for what is none, and where a distribution is missing."""
    data = parse_json(text)
    held = data.pop(DISTRIBUTIONS, {}) if isinstance(data, dict) else {}
    return Run.model_validate(data, context={name: base64.b64decode(held[name]) for name in held})


def apart(data: Any) -> tuple[Any, dict[str, str]]:
    """JSON-ready facts without their distributions, and these in base64, each once by its SHA-256."""
    held: dict[str, str] = {}
    return _shared(data, held), held


def _shared(value: Any, held: dict[str, str]) -> Any:
    if isinstance(value, dict):
        return {
            key: _named(part, held) if key == _DISTRIBUTION and isinstance(part, str) else _shared(part, held)
            for key, part in value.items()
        }
    return [_shared(part, held) for part in value] if isinstance(value, list) else value


def _named(encoded: str, held: dict[str, str]) -> str:
    digest = hashlib.sha256(base64.b64decode(encoded)).hexdigest()
    held[digest] = encoded
    return digest


def _sorted(value: Any) -> Any:
    """A database may have kept the keys in another order."""
    if isinstance(value, dict):
        return {key: _sorted(value[key]) for key in sorted(value)}
    return [_sorted(part) for part in value] if isinstance(value, list) else value
