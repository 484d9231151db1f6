"""JSON of iperf3 (`iperf3 --json`): a test over TCP or UDP, in one direction or in both.

Figures are those of `end`: what was sent, and what arrived. A test that was not made has `error`, and is refused.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from plimsoll.base.errors import UnreadableError
from plimsoll.dialects.foreign import Imported
from plimsoll.dialects.foreign._bench_text import broken, head_of, imported, text_of
from plimsoll.facts import ForeignFigure

_KNOWN = ("3.12",)
_MARKS = ('"version"', '"iperf 3')
_SUMS = {
    "sum": "sum",
    "sum_sent": "sent",
    "sum_received": "arrived",
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
_SETTINGS = ("protocol", "num_streams", "blksize", "duration", "reverse", "bidir", "omit", "target_bitrate")


class _Iperf3:
    def recognises(self, path: Path) -> bool:
        head = head_of(path)
        return head.lstrip().startswith("{") and all(mark in head for mark in _MARKS)

    def read(self, path: Path) -> Imported:
        text = text_of(path, "iperf3")
        document = _document(path, text)
        if error := document.get("error"):
            raise UnreadableError(
                "import-broken", f"{path}: the test was not made: {error}", "Name a result of a test."
            )
        start, end = document.get("start"), document.get("end")
        if not isinstance(start, dict) or not isinstance(end, dict):
            raise broken(path, 1, "it has no start and end of a test of iperf3")
        figures = tuple(_figures(end))
        if not figures:
            raise broken(path, 1, "its end has no sums: the test did not come to its end")
        version = str(start.get("version", "")).removeprefix("iperf ") or None
        asked = start.get("test_start")
        test = asked if isinstance(asked, dict) else {}
        return imported(
            path, "iperf3", version, version in _KNOWN, figures, text, _settings(test, start), _title(start, test), _began(start)
        )  # fmt: skip


READER = _Iperf3()


def _document(path: Path, text: str) -> Mapping[str, Any]:
    try:
        found = json.loads(text)
    except json.JSONDecodeError as error:
        raise broken(path, error.lineno, f"it is not JSON: {error.msg}") from error
    except (ValueError, RecursionError) as error:
        raise broken(path, 1, "it is not JSON that can be read") from error
    if not isinstance(found, dict):
        raise broken(path, 1, "it is no document of iperf3")
    return found


def _figures(end: Mapping[str, Any]) -> Iterator[ForeignFigure]:
    for key, of in _SUMS.items():
        told = end.get(key)
        if not isinstance(told, dict):
            continue
        rate = _number(told.get("bits_per_second"))
        yield ForeignFigure(name="rate", of=of, value=None if rate is None else rate / 8e6, unit="MB/s")
        for field, (name, unit) in _FIELDS.items():
            if field in told:
                yield ForeignFigure(name=name, of=of, value=_number(told[field]), unit=unit)
    cpu = end.get("cpu_utilization_percent")
    if not isinstance(cpu, dict):
        return
    for field, name in _CPU.items():
        yield ForeignFigure(name=name, value=_number(cpu.get(field)), unit="% of one CPU")


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
