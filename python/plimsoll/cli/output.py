"""What goes where: one JSON envelope or a person's text on standard output, talk and errors on standard error."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from plimsoll import __version__
from plimsoll.base.errors import ExitStatus, PlimsollError

SCHEMA = 1


@dataclass(frozen=True)
class JsonText:
    """Data that is JSON already, in pieces: what is large need not stand in memory as a whole."""

    pieces: Iterable[str]


def print_envelope(kind: str, data: Any, warnings: Sequence[Any] = ()) -> None:
    """Prints the one JSON document of `--json`. `data` is JSON-ready, or JsonText."""
    if not isinstance(data, JsonText):
        print(envelope(kind, data, warnings))
        return
    before, after = envelope(kind, _PLACE, warnings).split(f'"{_PLACE}"', 1)
    sys.stdout.write(before)
    for piece in data.pieces:
        sys.stdout.write(piece)
    print(after)


_PLACE = "<data>"


def envelope(kind: str, data: Any, warnings: Sequence[Any] = ()) -> str:
    """The one JSON document of `--json`. `data` is JSON-ready; `warnings` are Notes."""
    return json.dumps(
        {
            "plimsoll": __version__,
            "schema": SCHEMA,
            "kind": kind,
            "data": data,
            "warnings": [{"code": note.code, "message": note.message} for note in warnings],
        },
        ensure_ascii=False,
        allow_nan=False,
    )


def fail(error: PlimsollError, words: Sequence[str] = ()) -> int:
    """Says the error in one line, then the hint; with `--json` among the words also as a document. Returns the status."""
    if "--json" in words:
        data = {"id": error.id, "message": error.message, "hint": error.hint, "status": int(error.status)}
        print(envelope("error", data))
    print(f"error: {error.message}", file=sys.stderr)
    if error.hint:
        print(f"hint: {error.hint}", file=sys.stderr)
    return int(error.status)


def own_defect(error: Exception, words: Sequence[str] = ()) -> int:
    """Our mistake: says so, with the text to report."""
    import traceback

    if "--json" in words:
        data = {"id": "internal", "message": repr(error), "hint": None, "status": int(ExitStatus.OWN_DEFECT)}
        print(envelope("error", data))
    print("error: this is a defect of plimsoll itself; please report the text below", file=sys.stderr)
    print(f"plimsoll {__version__}, python {sys.version.split()[0]}", file=sys.stderr)
    traceback.print_exception(error, file=sys.stderr)
    return int(ExitStatus.OWN_DEFECT)
