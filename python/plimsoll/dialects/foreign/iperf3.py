"""JSON of iperf3 (`iperf3 --json`): a test over TCP or UDP, in one direction or in both.

Figures are those of `end`: what was sent, and what arrived. A test that was not made has `error`, and is refused.
Source of what an end does not know: results of both ends of tests of iperf3 3.12.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any

from plimsoll.base.errors import UnreadableError
from plimsoll.dialects.foreign import Imported
from plimsoll.dialects.foreign._bench_text import broken, head_of, imported, text_of, together, unread
from plimsoll.facts import ForeignFigure

_KNOWN = ("3.12",)
_MARKS = ('"version"', '"iperf 3')
_SUMS = {
    "sum": "sum",
    "sum_sent": "sent",
    "sum_received": "arrived",
    "sum_bidir_reverse": "sum, way back",
    "sum_sent_bidir_reverse": "sent, way back",
    "sum_received_bidir_reverse": "arrived, way back",
}
_FIELDS = {
    "retransmits": ("sent again", "segments"),
    "jitter_ms": ("jitter", "ms"),
    "lost_packets": ("lost", "packets"),
    "lost_percent": ("lost", "%"),
}
_CPU = {"host_total": "CPU time here", "remote_total": "CPU time of the far side"}
_READ = frozenset(
    (*_SUMS, *_FIELDS, *_CPU, "bits_per_second", "start", "end", "error", "cpu_utilization_percent")
)
_DECODER = json.JSONDecoder()
_SETTINGS = ("protocol", "num_streams", "blksize", "duration", "reverse", "bidir", "omit", "target_bitrate")


class _Iperf3:
    def recognises(self, path: Path) -> bool:
        head = head_of(path)
        return head.lstrip().startswith("{") and all(mark in head for mark in _MARKS)

    def read(self, path: Path) -> Imported:
        """Each document is a result, and each test of a stream (`--json-stream`), which has one event in a line."""
        return together(_parts(text_of(path, "iperf3")), partial(_result, path))


READER = _Iperf3()


def _parts(text: str) -> Iterator[tuple[str, int]]:
    """The text of each test, and how many lines stand before it. What is no JSON belongs to the test before, or is one."""
    begins, at, in_stream = [0], 0, False
    while (at := _behind_blanks(text, at)) < len(text):
        try:
            found, end = _DECODER.raw_decode(text, at)
        except (ValueError, RecursionError):
            if not in_stream:
                begins.append(at)
            break
        event = found.get("event") if isinstance(found, dict) else None
        if event is None or event == "start":
            begins.append(at)
        in_stream, at = event is not None, end
    begins = [0, *(begin for begin in dict.fromkeys(begins[1:]) if text[:begin].strip())]
    for begin, end in pairwise([*begins, len(text)]):
        yield text[begin:end], text.count("\n", 0, begin)


def _behind_blanks(text: str, at: int) -> int:
    while at < len(text) and text[at].isspace():
        at += 1
    return at


def _result(path: Path, text: str, before: int) -> Imported:
    document = _document(path, text, before)
    if error := document.get("error"):
        raise UnreadableError(
            "import-broken", f"{path}: the test was not made: {error}", "Name a result of a test."
        )
    start, end = document.get("start"), document.get("end")
    if not isinstance(start, dict) or not isinstance(end, dict):
        raise broken(path, before + 1, "it has no start and end of a test of iperf3")
    figures = _Figures(start, end)
    found = tuple(figures.all())
    if not found:
        raise broken(path, before + 1, "its end has no sums: the test did not come to its end")
    version = str(start.get("version", "")).removeprefix("iperf ") or None
    asked = start.get("test_start")
    test = asked if isinstance(asked, dict) else {}
    return imported(
        path, "iperf3", version, version in _KNOWN, found, text, _settings(test, start), _title(start, test), _began(start),
        unread(figures.odd),
    )  # fmt: skip


def _document(path: Path, text: str, before: int) -> Mapping[str, Any]:
    """Of a stream the document that its events make."""
    twice = list[str]()
    decoder = json.JSONDecoder(object_pairs_hook=partial(_once, twice))
    found, at = list[Any](), _behind_blanks(text, 0)
    try:
        while at < len(text) or not found:
            one, end = decoder.raw_decode(text, at)
            found.append(one)
            at = _behind_blanks(text, end)
    except json.JSONDecodeError as error:
        raise broken(path, before + error.lineno, f"it is not JSON: {error.msg}") from error
    except (ValueError, RecursionError) as error:
        raise broken(path, before + 1, "it is not JSON that can be read") from error
    if not all(isinstance(one, dict) for one in found):
        raise broken(path, before + 1, "it is no document of iperf3")
    if twice:
        raise broken(path, before + 1, f"it has two values for {twice[0]}")
    if "event" in found[0]:
        return {str(one.get("event")): one.get("data") for one in found}
    document: Mapping[str, Any] = found[0]
    return document


def _once(twice: list[str], pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    """An object; of names that are read none may stand there again with another value. iperf3 repeats some settings itself."""
    made = dict[str, Any]()
    for name, value in pairs:
        if name in _READ and name in made and made[name] != value:
            twice.append(f"'{name}'")
        made[name] = value
    return made


class _Figures:
    """Of a test's end. iperf3 prints 0 where one end does not know of the other, and that is unknown."""

    def __init__(self, start: Mapping[str, Any], end: Mapping[str, Any]) -> None:
        self._end = end
        self._is_server = "accepted_connection" in start and "connecting_to" not in start
        asked = start.get("test_start")
        self._test: Mapping[str, Any] = asked if isinstance(asked, dict) else {}
        self.odd: list[str] = []
        """What is no number that can be counted with, in words."""

    def all(self) -> Iterator[ForeignFigure]:
        """Of each sum, and of the CPUs."""
        for key, of in _SUMS.items():
            told = self._end.get(key)
            if not isinstance(told, dict):
                continue
            rate = self._value(key, told, "bits_per_second")
            yield ForeignFigure(name="rate", of=of, value=None if rate is None else rate / 8e6, unit="MB/s")
            for field, (name, unit) in _FIELDS.items():
                if field in told:
                    yield ForeignFigure(name=name, of=of, value=self._value(key, told, field), unit=unit)
        cpu = self._end.get("cpu_utilization_percent")
        if not isinstance(cpu, dict):
            return
        for field, name in _CPU.items():
            value = self._number("cpu_utilization_percent", cpu, field)
            # A server tells its own before it hears of the client's.
            is_known = not (self._is_server and field == "remote_total" and value == 0)
            yield ForeignFigure(name=name, value=value if is_known else None, unit="% of one CPU")

    def _value(self, key: str, told: Mapping[str, Any], field: str) -> float | None:
        value = self._number(key, told, field)
        return None if value == 0 and self._is_of_other_end(key, field) else value

    def _is_of_other_end(self, key: str, field: str) -> bool:
        """Whether what is printed there is known at the other end alone."""
        way = "_bidir_reverse" if key.endswith("_bidir_reverse") else ""
        is_arrival = field in ("jitter_ms", "lost_packets", "lost_percent")
        what = key.removesuffix(way)
        if is_arrival and what == "sum_sent":
            return True
        if not self._is_server:
            return False
        is_sender = self._is_sender(way)
        if what == "sum":
            return is_arrival if is_sender else not is_arrival
        return what == ("sum_received" if is_sender else "sum_sent")

    def _is_sender(self, way: str) -> bool:
        """Whether this end sent, in that direction. Of UDP only `sum` says so."""
        for key in (f"sum{way}", f"sum_sent{way}"):
            told = self._end.get(key)
            if isinstance(told, dict) and isinstance(told.get("sender"), bool):
                return bool(told["sender"])
        return bool(self._test.get("reverse")) is not bool(way)

    def _number(self, key: str, told: Mapping[str, Any], field: str) -> float | None:
        value = told.get(field)
        if field == "retransmits" and value == -1:
            # Where its system does not count them.
            return None
        found = _number(value)
        if found is None or found < 0:
            said = "missing" if field not in told else f"{str(value)[:40]!r}"
            self.odd.append(f"end.{key}.{field} is {said}")
            return None
        return found


def _number(value: Any) -> float | None:
    """None: it is none, or one that cannot be counted with."""
    if not isinstance(value, int | float) or isinstance(value, bool):
        return None
    try:
        found = float(value)
    except OverflowError:
        return None
    return found if math.isfinite(found) else None


def _settings(test: Any, start: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    to = start.get("connecting_to")
    if isinstance(to, dict):
        yield "server", f"{to.get('host')}, port {to.get('port')}"
    yield from ((name, str(test[name])) for name in _SETTINGS if name in test)


def _title(start: Mapping[str, Any], test: Any) -> str:
    to = start.get("connecting_to")
    host = to.get("host") if isinstance(to, dict) else "a client"
    return f"{test.get('protocol', 'a test')} with {host}"


def _began(start: Mapping[str, Any]) -> datetime | None:
    told = start.get("timestamp")
    seconds = _number(told.get("timesecs")) if isinstance(told, dict) else None
    return datetime.fromtimestamp(seconds, UTC) if seconds is not None and 0 < seconds < 1e11 else None
