"""`plimsoll again`: the words of a stored request, with what is not kept given anew."""

from __future__ import annotations

from typing import Any

from plimsoll.base.errors import UsageError
from plimsoll.facts import Run, StoredRequest
from plimsoll.requests.again import AgainRequest


def words_again(run: Run, asked: AgainRequest) -> tuple[StoredRequest, dict[str, Any]]:
    """What the run was asked, and its words. Raises UsageError `request-unknown`, `request-left-out`."""
    if run.request is None:
        hint = f"It was: {run.provenance.command}"
        raise UsageError("request-unknown", f"run {run.id} keeps no request that could be repeated", hint)
    anew = {"database": asked.database, "destroy": asked.destroy}
    return run.request, {**run.request.words, **_given(run, run.request, anew)}


def _given(run: Run, request: StoredRequest, words: dict[str, Any]) -> dict[str, Any]:
    """What takes the place of words that are not kept. Raises UsageError where one is missing."""
    given = {word: value for word, value in words.items() if value}
    missing = [word for word in request.left_out if word not in given]
    if missing:
        names = " and ".join(f"--{word}" for word in missing)
        message = f"{names} of run {run.id} is not kept, for its password or its permission to destroy"
        raise UsageError("request-left-out", message, f"Give it anew, with {names}.")
    return given
