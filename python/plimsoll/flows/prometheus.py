"""What a Prometheus answers: `plimsoll trend --prometheus URL --query PROMQL` asks it for ranges, and for nothing else."""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from math import ceil
from urllib.parse import SplitResult, unquote, urlencode, urlsplit

from plimsoll.base import settings
from plimsoll.base.errors import PlimsollError, UsageError, WorldError, reason_of
from plimsoll.base.limits import (
    EXPORT_BYTES_MAX,
    PROMETHEUS_ASKED_MAX,
    PROMETHEUS_S_MAX,
    PROMETHEUS_STEPS_MAX,
)
from plimsoll.base.units import format_seconds
from plimsoll.context import Context
from plimsoll.dialects.exports import Content, Found
from plimsoll.dialects.exports.prometheus import SOURCE, read_answers
from plimsoll.flows.wanted import moment_of
from plimsoll.ports import http
from plimsoll.requests.trend import TrendRequest

_SINCE = "90d"
_NAMED = re.compile(r"([A-Za-z_]\w*)=(?![=~])(.+)", re.DOTALL)
_WINDOW = re.compile(r"\[((?:\d+(?:ms|[smhdwy]))+)(?=[\]:])")
_LENGTH = re.compile(r"(\d+)(ms|[smhdwy])")
_UNITS_S = {"ms": 1e-3, "s": 1.0, "m": 60.0, "h": 3_600.0, "d": 86_400.0, "w": 604_800.0, "y": 31_536_000.0}
_DENIED = (401, 403)
_REFUSED = (400, 422)
_GOOD = 200
_EXAMPLE = "Name it as http://prom.example:9090, with what stands before /api/v1 in its path."


@dataclass(frozen=True)
class _Range:
    """A time that is asked for, on whole steps."""

    begin_s: int
    end_s: int
    step_s: int

    def parts(self) -> Iterator[_Range]:
        """No longer than what is answered at once. Where one ends the next begins, so that no counter's step is lost."""
        length_s = self.step_s * PROMETHEUS_STEPS_MAX
        for begin_s in range(self.begin_s, self.end_s, length_s):
            yield _Range(begin_s, min(begin_s + length_s, self.end_s), self.step_s)


def ask_prometheus(ctx: Context, asked: TrendRequest, found: Found) -> None:
    """Takes what it answers to each query.

    Raises UsageError `prometheus-url`, `prometheus-token`, `query-long`, `query-short`, `query-refused`, `moment-unreadable`,
    `export-unreadable`; WorldError `prometheus-denied`, `prometheus-unreachable`.
    """
    assert asked.prometheus is not None, "the caller has looked"
    url = _url(asked.prometheus)
    wanted = _range(ctx, asked)
    parts = list(wanted.parts())
    if len(parts) * len(asked.queries) > PROMETHEUS_ASKED_MAX:
        message = f"of so long a time in so small steps Prometheus would be asked more than {PROMETHEUS_ASKED_MAX} times"
        raise UsageError(
            "query-long", message, "Ask for a longer --step, or for less with --since and --until."
        )
    left_bytes = EXPORT_BYTES_MAX
    for query in asked.queries:
        metric, expression = _named(query)
        _note_window(expression, wanted.step_s, found)
        name = f"the answer to {metric or expression}"
        contents: list[Content] = []
        for part in parts:
            ctx.cancel.check()
            answer = _answer(url, expression, part, left_bytes)
            left_bytes -= len(answer)
            contents.append(Content(name, answer, metric))
        found.begin(name, SOURCE)
        read_answers(contents, found)
        found.end()


def _url(typed: str) -> SplitResult:
    """Raises UsageError `prometheus-url`."""
    try:
        url = urlsplit(typed)
        is_one = url.scheme in ("http", "https") and bool(url.hostname) and not url.query and not url.fragment
        _ = url.port, (url.hostname or "").encode("idna")
    except ValueError:
        is_one = False
        url = None
    if not is_one or url is None:
        # What was typed is not shown: what it takes for a host may be a part of a password.
        raise UsageError("prometheus-url", "--prometheus is no url of a Prometheus", _EXAMPLE)
    return url


def _range(ctx: Context, asked: TrendRequest) -> _Range:
    """Raises UsageError `moment-unreadable`, `query-short`."""
    now = ctx.clock.now()
    since = moment_of(ctx, asked.since or _SINCE)
    until = moment_of(ctx, asked.until) or now
    assert since is not None, "a word was given"
    step_s = max(1, round(asked.step_s))
    begin_s, end_s = (_whole(moment, step_s) for moment in (since, min(until, now + timedelta(days=1))))
    if end_s <= begin_s:
        message = f"between --since and --until there is less than a step of {format_seconds(step_s)}"
        raise UsageError("query-short", message, "Ask for a shorter --step, or for a longer time.")
    return _Range(begin_s, end_s, step_s)


def _whole(moment: datetime, step_s: int) -> int:
    """In whole steps, so that values of hours stand at hours."""
    return int(moment.timestamp()) // step_s * step_s


def _named(query: str) -> tuple[str | None, str]:
    """`METRIC=EXPRESSION` apart; `up{job="a"}` and `up==1` have no name before them."""
    found = _NAMED.fullmatch(query.strip())
    return (found[1], found[2].strip()) if found else (None, query.strip())


def _note_window(expression: str, step_s: int, found: Found) -> None:
    """Of `rate(…[5m])` at each hour most of the hour is not seen."""
    for window in _WINDOW.findall(expression):
        window_s = sum(int(number) * _UNITS_S[unit] for number, unit in _LENGTH.findall(window))
        if window_s < step_s:
            message = (
                f"[{window}] is shorter than the step of {format_seconds(step_s)}: of each step only its last"
                f" {format_seconds(window_s)} is in the value; [{ceil(step_s / 60)}m] would hold all of it"
            )
            found.note("window-short", message)


def _answer(url: SplitResult, expression: str, part: _Range, bytes_max: int) -> bytes:
    place = f"the Prometheus at {url.hostname}"
    asked = {"query": expression, "start": part.begin_s, "end": part.end_s, "step": part.step_s}
    path = f"{url.path.rstrip('/')}/api/v1/query_range?{urlencode(asked)}"
    try:
        answer = http.get(url, path, _headers(url), seconds_max=PROMETHEUS_S_MAX, bytes_max=bytes_max)
    except OSError as error:
        hint = "Check the URL, and that it answers there: curl URL/api/v1/query?query=up."
        raise WorldError(
            "prometheus-unreachable", f"could not ask {place}: {reason_of(error)}", hint
        ) from error
    if answer.status != _GOOD:
        raise _refusal(place, answer)
    return answer.content


def _headers(url: SplitResult) -> dict[str, str]:
    """What proves who asks: a login in the URL, or a token in the environment."""
    if url.username is not None:
        login = f"{unquote(url.username)}:{unquote(url.password or '')}"
        return {"Authorization": f"Basic {b64encode(login.encode()).decode()}"}
    token = settings.read(settings.PROMETHEUS_TOKEN)
    if token is None:
        return {}
    if not (token.isascii() and token.isprintable()):
        message = f"the value of {settings.PROMETHEUS_TOKEN.name} holds signs that no token has"
        raise UsageError("prometheus-token", message, "Put the token alone there, on one line.")
    return {"Authorization": f"Bearer {token}"}


def _refusal(place: str, answer: http.Answer) -> PlimsollError:
    if answer.status in _DENIED:
        hint = f"Put a user and a password into the URL, or a token into {settings.PROMETHEUS_TOKEN.name}."
        return WorldError("prometheus-denied", f"{place} lets nobody ask without a login", hint)
    if answer.status in _REFUSED:
        why = _said(answer.content) or answer.reason
        return UsageError(
            "query-refused", f"{place} refused the query: {why}", "Try the query in its own page."
        )
    hint = (
        "Check the URL: what stands before /api/v1 in its path belongs to it. Redirections are not followed."
    )
    return WorldError("prometheus-unreachable", f"{place} answered {answer.status} {answer.reason}", hint)


_SAID_SIGNS_MAX = 300


def _said(content: bytes) -> str | None:
    """Its own words, where it has some."""
    try:
        document = Content("the answer", content).document
    except UsageError:
        return None
    said = document.get("error") if isinstance(document, dict) else None
    return said[:_SAID_SIGNS_MAX] if isinstance(said, str) else None
