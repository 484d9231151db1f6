"""How a result that is made of many reports tells which of them are not in it: one way for all verbs that read reports."""

from __future__ import annotations

from typing import Any

from plimsoll.facts import Run, Unread
from plimsoll.results._kind import fact_data

KIND = "unread"


def unread_data(found: Unread | None) -> dict[str, Any]:
    """Of the data of `--json`; of nothing an empty list."""
    told = Unread() if found is None else found
    return {"unread_files": [one.model_dump(mode="json") for one in told.files], "unreached": told.unreached}


def data_with_unread(run: Run, kind: str) -> dict[str, Any]:
    """The run's id, which files are not in the result, and the fields of the result."""
    found = fact_data(run, kind)
    return {"run": found.pop("run"), **unread_data(run.results.get(KIND)), **found}
