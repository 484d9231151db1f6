"""A run as one JSON document, with its distributions beside it: each once, by the SHA-256 of its content.

The store keeps text and blobs apart. Files and `--json` are one text, in which `distributions` holds them in base64 (RFC 4648,
section 4). Wherever a fact has a distribution (`hdr`), its document has the SHA-256.
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from plimsoll.base.jsontext import parse_json
from plimsoll.base.values import value
from plimsoll.facts._fact import Fact
from plimsoll.facts.run import Run

FACTS_AT_ONCE = 500
"""Facts of a list that are text at the same time: a megabyte of findings, where the whole list may be many hundreds."""
DISTRIBUTIONS = "distributions"
_DISTRIBUTION = "hdr"


@value
class Document:
    """`text` is JSON, in UTF-8 where it is bytes; `blobs` by their SHA-256 in hexadecimal digits."""

    text: str | bytes
    blobs: Mapping[str, bytes]


def document_of(run: Run) -> Document:
    """The run, and apart from it its distributions and tables."""
    blobs: dict[str, bytes] = {}
    return Document(run.model_dump_json(context=blobs), blobs)


def pieces_of(run: Run, blobs: dict[str, bytes]) -> Iterator[str]:
    """The text of `document_of` in parts, of lists of many facts some at a time; `blobs` has all of them after the last part."""
    if not any(_is_long(value) for result in run.results.values() for value in _values(result)):
        yield run.model_dump_json(context=blobs)
        return
    names = list(Run.model_fields)
    place = names.index("results")
    yield run.model_dump_json(include={*names[:place]}, context=blobs)[:-1]
    yield ',"results":{'
    for number, kind in enumerate(run.results):
        yield "," if number else ""
        yield from _of_result(run, kind, blobs)
    yield "}"
    yield f",{run.model_dump_json(include={*names[place + 1 :]}, context=blobs)[1:]}"


def _of_result(run: Run, kind: str, blobs: dict[str, bytes]) -> Iterator[str]:
    """As a member of an object."""
    result = run.results[kind]
    if not any(map(_is_long, _values(result))):
        alone = run.model_dump_json(include={"results": {kind}}, context=blobs)
        yield alone.removeprefix('{"results":{').removesuffix("}}")
        return
    yield f"{json.dumps(kind)}:{{"
    for place, name in enumerate(type(result).model_fields):
        held = getattr(result, name)
        yield "," if place else ""
        if not _is_long(held):
            yield _member(result, name, blobs)[1:-1]
            continue
        for begin in range(0, len(held), FACTS_AT_ONCE):
            some = result.model_copy(update={name: held[begin : begin + FACTS_AT_ONCE]})
            part = _member(some, name, blobs)[1:-1]
            yield part.removesuffix("]") if begin == 0 else f",{part[part.index('[') + 1 : -1]}"
        yield "]"
    yield "}"


def _member(fact: Fact, name: str, blobs: dict[str, bytes]) -> str:
    """That field alone, as an object."""
    return fact.model_dump_json(include={name}, context=blobs)


def _values(result: Any) -> Iterator[Any]:
    """Of a result that is one fact; one that is a list of them, or of a kind that is not known here, is written at once."""
    return iter(result.__dict__.values()) if isinstance(result, Fact) else iter(())


def _is_long(value: Any) -> bool:
    return isinstance(value, Sequence) and len(value) > FACTS_AT_ONCE and isinstance(value[0], Fact)


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
