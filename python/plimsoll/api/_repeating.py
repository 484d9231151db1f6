"""What is done with a run that is there: its page, and the same once more."""

from __future__ import annotations

from contextlib import chdir
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from plimsoll.api import _dialects, _learning, _measuring, _proving
from plimsoll.api._asking import asks, request_of
from plimsoll.api._learning import Demanded, Read, TakenIn
from plimsoll.api._results import Result
from plimsoll.api._shown import Shown
from plimsoll.base.errors import UsageError
from plimsoll.base.units import format_bytes
from plimsoll.context import Context, stored_request
from plimsoll.facts import Run
from plimsoll.requests.again import AgainRequest
from plimsoll.requests.report import ReportRequest


@dataclass(frozen=True, repr=False)
class Page(Shown):
    """A page that was written, or a picture of it."""

    path: Path
    size_bytes: int

    def _answer(self) -> str:
        return f"{self.path}, {format_bytes(self.size_bytes)}"


@asks(ReportRequest)
def report(ctx: Context, asked: ReportRequest) -> Page:
    """A run as one HTML page that opens offline, or with `figure` one picture of it, as `plimsoll report`.

    `run` may be a result or a Run as well as an id.

    Example:
        found = plimsoll.measure("sim:mean=100us", runtime="1s")
        plimsoll.report(found, out="page.html")
        plimsoll.report(found, figure="windows-over-time", out="windows.svg")
    """
    from plimsoll.flows.report_figure import write_asked

    page = write_asked(_run(ctx, asked.run), asked)
    return Page(page.path, page.size_bytes)


def _run(ctx: Context, named: Any) -> Run:
    if isinstance(named, Result):
        return named.run
    return named if isinstance(named, Run) else ctx.store.load(named)


@asks(AgainRequest)
def again(ctx: Context, asked: AgainRequest) -> Result | Demanded | Read | TakenIn:
    """What a stored run was asked, asked once more in its folder, as `plimsoll again`; until it ends that is the current folder.

    Example:
        plimsoll.measure("sim:mean=100us", runtime="1s", store="runs.sqlite")
        plimsoll.again("latest", store="runs.sqlite")
    """
    from plimsoll.flows.again import words_again

    stored, words = words_again(ctx.store.load(asked.run), asked)
    function = _function_of(stored.verb, words)
    request = request_of(function)
    assert request is not None, "functions of verbs are made of requests"
    with _folder(stored.folder):
        anew = request.of_words(words)
        own = replace(ctx, command=f"plimsoll.{function.__name__}()", request=stored_request(anew))
        return function.__wrapped__(own, anew)


def _folder(place: str) -> chdir[str]:
    if not Path(place).is_dir():
        raise UsageError(
            "request-folder", f"cannot go to {place}, where it was asked", "Type the command again."
        )
    return chdir(place)


def _function_of(verb: str, words: dict[str, Any]) -> Any:
    """The function that asks this, by the words where a verb has several."""
    if verb == "calibrate":
        asked = [function for word, function in _CALIBRATIONS.items() if words.get(word) is not None]
        return asked[0] if asked else _measuring.calibrate
    if verb not in _BY_VERB:
        message = f"{verb} cannot be asked again in a Python process"
        raise UsageError("request-unknown", message, "Do it on the command line: plimsoll again RUN.")
    return _BY_VERB[verb]


_CALIBRATIONS = {
    "working_sets": _measuring.working_sets,
    "ladder": _measuring.ladder,
    "like": _measuring.calibrate_io,
}
_BY_VERB = {
    request.verb: function
    for room in (_measuring, _proving, _dialects, _learning)
    for function in vars(room).values()
    if (request := request_of(function)) is not None
}
