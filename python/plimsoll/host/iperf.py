"""iperf3 as a client: one test over one path, and what its JSON says.

A connection that is refused ends with status 0 in iperf3 3.12, and an `error` in the JSON: the status is not looked at. Figures are
those of `end`: `sum_received` is what arrived, whichever side received, and with --bidir `…_bidir_reverse` is the way back.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from plimsoll.base.errors import WorldError
from plimsoll.facts.network_bench import NetworkDirection
from plimsoll.ports import processes

PROGRAM = "iperf3"
_CONNECT_MS = 5_000
_PATIENCE_S = 30.0
_LOOK_S = 0.2
_MODES: dict[str, tuple[str, ...]] = {"out": (), "in": ("--reverse",), "both": ("--bidir",)}
_BUSY = re.compile(r"server is busy|connection refused|connection reset|closed unexpectedly", re.IGNORECASE)
_INSTALL = (
    "Install it: `apt install iperf3` on Debian and Ubuntu, `dnf install iperf3` on Red Hat and Oracle Linux, `zypper install"
    " iperf` on SUSE. On the far side start `iperf3 -s`."
)


class NotMeasured(Exception):
    """Why a test has no figures."""


class ServerBusy(NotMeasured):
    """The server has another client, or is about to listen again: it may be there a moment later."""


@dataclass(frozen=True)
class Path:
    """From an address of this host, where one is named, to a server."""

    name: str
    source: str | None
    server: str


@dataclass(frozen=True)
class Wish:
    """One test."""

    direction: NetworkDirection
    streams: int
    runtime_s: int
    port: int


@dataclass(frozen=True)
class Way:
    """One direction of a test."""

    bytes_arrived: int
    bytes_sent: int
    mb_per_s: float
    retransmits: int | None


@dataclass(frozen=True)
class Told:
    """What iperf3 says of a test."""

    tool: str | None
    far_address: str | None
    out: Way | None
    back: Way | None
    own_cpu_percent: float | None
    far_cpu_percent: float | None


def check_installed() -> None:
    """Raises WorldError `iperf-missing`."""
    try:
        processes.run([PROGRAM, "--version"], timeout_s=10.0)
    except (OSError, processes.TimeoutExpired) as error:
        raise WorldError(
            "iperf-missing", f"{PROGRAM}, which measures networks, cannot be run here", _INSTALL
        ) from error


Runner = Callable[[list[str], float, Callable[[], bool]], str]
"""Runs a command for at most so many seconds, or until somebody wants it to end; what it prints. Raises NotMeasured."""
CUT = "it was interrupted before"


def late(patience_s: float) -> str:
    """Why there is nothing of a test that did not end."""
    return f"{PROGRAM} did not end within {patience_s:.0f} s"


def measure(path: Path, wish: Wish, is_cut: Callable[[], bool], run: Runner | None = None) -> Told:
    """Runs one test to its end, here or where `run` does. Raises NotMeasured, ServerBusy."""
    output = (run or run_here)(_command(path, wish), wish.runtime_s + _PATIENCE_S, is_cut)
    return told(output, wish.direction)


def _command(path: Path, wish: Wish) -> list[str]:
    bound = [] if path.source is None else ["--bind", path.source]
    return [
        PROGRAM, "--client", path.server, "--port", str(wish.port), "--json", "--time", str(wish.runtime_s), "--parallel",
        str(wish.streams), "--connect-timeout", str(_CONNECT_MS), *bound, *_MODES[wish.direction],
    ]  # fmt: skip


def run_here(command: list[str], patience_s: float, is_cut: Callable[[], bool]) -> str:
    """What it prints on this host. It says nothing before its end, so that whoever waits looks now and then whether to go on."""
    started = processes.start(command, stdout=processes.CAPTURE, stderr=processes.WITH_STDOUT)
    try:
        for _ in range(int(patience_s / _LOOK_S)):
            if is_cut():
                raise NotMeasured(CUT)
            try:
                return started.communicate(timeout=_LOOK_S)[0]
            except processes.TimeoutExpired:
                continue
    finally:
        if started.poll() is None:
            started.kill()
            started.communicate()
    raise NotMeasured(late(patience_s))


def told(text: str, direction: NetworkDirection) -> Told:
    """What a document of iperf3 says. Raises NotMeasured for one of an error, or without figures, ServerBusy."""
    try:
        document = json.loads(text)
    except ValueError:
        first = next((line.strip() for line in text.splitlines() if line.strip()), "nothing")
        raise NotMeasured(f"{PROGRAM} said: {first.removeprefix(f'{PROGRAM}: ')[:200]}") from None
    if not isinstance(document, dict):
        raise NotMeasured(f"{PROGRAM} printed no document")
    if said := document.get("error"):
        kind = ServerBusy if _BUSY.search(str(said)) else NotMeasured
        raise kind(f"{PROGRAM} said: {said}")
    try:
        return _told(document, direction)
    except (KeyError, TypeError, ValueError, IndexError, AttributeError, OverflowError) as error:
        raise NotMeasured(f"the document of {PROGRAM} has not the figures of a test: {error!r}") from error


def _told(document: Mapping[str, Any], direction: NetworkDirection) -> Told:
    start, end = document["start"], document["end"]
    first = _way(end, "")
    back = _way(end, "_bidir_reverse") if direction == "both" else None
    cpu = end.get("cpu_utilization_percent") or {}
    version = start.get("version")
    return Told(
        tool=version if isinstance(version, str) else None,
        far_address=start["connected"][0]["remote_host"],
        out=first if direction != "in" else None,
        back=first if direction == "in" else back,
        own_cpu_percent=_number(cpu.get("host_total")),
        far_cpu_percent=_number(cpu.get("remote_total")),
    )


def _way(end: Mapping[str, Any], way: str) -> Way:
    sent, arrived = end[f"sum_sent{way}"], end[f"sum_received{way}"]
    again = sent.get("retransmits")
    return Way(
        bytes_arrived=int(_finite(arrived["bytes"])),
        bytes_sent=int(_finite(sent["bytes"])),
        mb_per_s=_finite(arrived["bits_per_second"]) / 8e6,
        retransmits=again if isinstance(again, int) and again >= 0 else None,
    )


def _finite(value: Any) -> float:
    """Raises ValueError for infinity and what is no number, OverflowError."""
    found = float(value)
    if not math.isfinite(found):
        raise ValueError(f"{found} cannot be counted with")
    return found


def _number(value: Any) -> float | None:
    if not isinstance(value, int | float) or isinstance(value, bool):
        return None
    try:
        found = float(value)
    except OverflowError:
        return None
    return found if math.isfinite(found) and found >= 0 else None
