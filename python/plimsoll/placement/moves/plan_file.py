"""A plan as `plimsoll place --json` prints it, or another fact as its verb does, read from a file."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from plimsoll.base.errors import UsageError, input_error
from plimsoll.facts import Placement
from plimsoll.ports import files

F = TypeVar("F", bound=BaseModel)

BYTES_MAX = 256 << 20
_HINT = "Give the id of a stored run of plimsoll place, or a file that `plimsoll place … --json` printed."


def read_plan(path: Path) -> Placement:
    """Raises UsageError `file-missing`, `plan-unreadable`, WorldError `plan-unreadable`."""
    return fact_of(document_in(path, _HINT), str(path), Placement, "plan", _HINT)


def placement_of(document: Any, where: str) -> Placement:
    """The placement in a document. Raises UsageError `plan-unreadable`."""
    return fact_of(document, where, Placement, "plan", _HINT)


def document_in(path: Path, hint: str) -> Any:
    """The JSON in a file. Raises UsageError `file-missing`, `plan-unreadable`, WorldError `plan-unreadable`."""
    try:
        text = files.read_input(path, BYTES_MAX)
    except OSError as error:
        raise input_error("plan-unreadable", path, error) from error
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise UsageError("plan-unreadable", f"{path} is not JSON: {error}", hint) from error


def fact_of(document: Any, where: str, fact: type[F], key: str, hint: str) -> F:
    """The fact in a document, which has that key; its envelope may be around it. Raises UsageError `plan-unreadable`."""
    data = document.get("data", document) if isinstance(document, dict) else None
    if not isinstance(data, dict) or key not in data:
        raise UsageError("plan-unreadable", f"{where} holds no plan", hint)
    try:
        return fact.model_validate({key: value for key, value in data.items() if key in fact.model_fields})
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        place = ".".join(map(str, first["loc"]))
        raise UsageError("plan-unreadable", f"{where}: {place}: {first['msg'].lower()}", hint) from error
