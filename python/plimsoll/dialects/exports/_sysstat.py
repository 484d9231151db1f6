"""What sysstat's JSON has in common, whether `sadf` or `iostat` wrote it: hosts, and reports of one interval after the other."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from plimsoll.dialects.exports._content import Content
from plimsoll.dialects.exports._source import Found, listed, mapping, scaled
from plimsoll.facts import Note

KIB_MB = 1024 / 1e6
SECTOR_MB = 512 / 1e6
"""In megabytes of 10^6 bytes: what these tools call kB, and their sector."""
BLIND = (
    Note(
        code="device-not-database",
        message="sysstat counts what a device did for all programs of its host, and not what one database asked for",
    ),
    Note(
        code="sizes-unknown",
        message="sysstat prints mean sizes of I/Os: small and large ones, and the log's, are not told apart",
    ),
    Note(
        code="averages",
        message="sysstat prints averages of its interval: peaks within it, and percentiles of latency, are not known",
    ),
)


def host_of(content: Content) -> Mapping[str, Any]:
    """The first host of sysstat's JSON, which tells who wrote it; empty where it is something else."""
    document = content.document
    sysstat = document.get("sysstat") if isinstance(document, dict) else None
    hosts = sysstat.get("hosts") if isinstance(sysstat, dict) else None
    return hosts[0] if isinstance(hosts, list) and hosts and isinstance(hosts[0], dict) else {}


def is_archive(host: Mapping[str, Any]) -> bool:
    """Whether `sadf` wrote it, of sar's files."""
    return "file-date" in host


def for_hosts(content: Content, found: Found, take: Callable[[Mapping[str, Any], Found], None]) -> None:
    """Takes each host in a document of sysstat."""
    with found.part("sysstat"):
        for number, host in enumerate(listed(mapping(mapping(content.document)["sysstat"]), "hosts")):
            with found.part(f"hosts[{number}]"):
                take(mapping(host), found)


def add_device(
    found: Found,
    device: str,
    at: tuple[float, float],
    rates: Mapping[str, float | None],
    waits: Mapping[str, tuple[float | None, float | None]],
) -> None:
    """A device's figures in an interval: rates by metric, and latencies in ms with the rate that they are a mean of.

    What nobody asked for had no latency: sysstat prints 0 there.
    """
    begin_s, duration_s = at
    for metric, value in rates.items():
        found.add(device, metric, begin_s, value, duration_s=duration_s)
    for metric, (wait_ms, per_s) in waits.items():
        if per_s:
            weight = per_s * duration_s
            found.add(device, metric, begin_s, scaled(wait_ms, 1e3), duration_s=duration_s, weight=weight)
