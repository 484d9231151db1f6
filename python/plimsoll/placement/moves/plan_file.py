"""A plan as `plimsoll place --json` prints it, read from a file."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from plimsoll.base.errors import UsageError, input_error
from plimsoll.facts import Placement
from plimsoll.ports import files

BYTES_MAX = 256 << 20
_HINT = "Give the id of a stored run of plimsoll place, or a file that `plimsoll place … --json` printed."


def read_plan(path: Path) -> Placement:
    """Raises UsageError `file-missing`, `plan-unreadable`, WorldError `plan-unreadable`."""
    try:
        text = files.read_input(path, BYTES_MAX)
    except OSError as error:
        raise input_error("plan-unreadable", path, error) from error
    try:
        document = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise UsageError("plan-unreadable", f"{path} is not JSON: {error}", _HINT) from error
    return placement_of(document, str(path))


def placement_of(document: Any, where: str) -> Placement:
    """The placement in a document. Raises UsageError `plan-unreadable`."""
    data = document.get("data", document) if isinstance(document, dict) else None
    if not isinstance(data, dict) or "plan" not in data:
        raise UsageError("plan-unreadable", f"{where} holds no plan", _HINT)
    try:
        return Placement.model_validate(
            {key: value for key, value in data.items() if key in Placement.model_fields}
        )
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        place = ".".join(map(str, first["loc"]))
        raise UsageError("plan-unreadable", f"{where}: {place}: {first['msg'].lower()}", _HINT) from error
