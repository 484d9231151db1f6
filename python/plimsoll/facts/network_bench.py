"""What the network gives over named paths, as iperf3 measured it, beside what the network card counted."""

from __future__ import annotations

from typing import Literal

from plimsoll.facts._fact import Fact, Several, Text

NetworkDirection = Literal["out", "in", "both"]
NetworkCount = Literal["agrees", "less", "unknown"]


class NetworkTest(Fact):
    """One test over one path; directions are seen from this host."""

    path: Text
    """Its name."""
    source: Text | None = None
    """The address of this host that was bound to; None: the kernel chose one."""
    server: Text
    """The far side."""
    direction: NetworkDirection
    """Whether this host sent, received, or both at the same time."""
    streams: int
    """Connections in each direction."""
    reason: Text | None = None
    """Why nothing was measured; None: it was."""
    out_mb_per_s: float | None = None
    """What arrived at the far side, in 10^6 bytes of data per second; None: this host did not send."""
    in_mb_per_s: float | None = None
    """What arrived here; None: the far side did not send."""
    out_retransmits: int | None = None
    """Segments that this host sent again; None: it did not send, or is not told."""
    in_retransmits: int | None = None
    """Segments that the far side sent again."""
    own_cpu_percent: float | None = None
    """CPU time of iperf3 on this host, in percent of one CPU."""
    far_cpu_percent: float | None = None
    """The same of the far side, as it told."""
    own_cpu_percent_per_gbit: float | None = None
    """CPU time of iperf3 here for each Gbit/s that went either way, in percent of one CPU."""
    far_cpu_percent_per_gbit: float | None = None
    """The same of the far side."""
    card: Text | None = None
    """The network card that the kernel's main table of routes leads through; None: it knows no way."""
    out_mb: float | None = None
    """Data that arrived at the far side, in 10^6 bytes."""
    in_mb: float | None = None
    """Data that arrived here."""
    card_out_mb: float | None = None
    """What the card counted meanwhile as sent, all programs and headers with it."""
    card_in_mb: float | None = None
    """What it counted as received."""
    counted: NetworkCount = "unknown"
    """Agrees: the card counted that data at least; less: it did not, so that data went another way, or figures are wrong."""
    others_mb: float | None = None
    """What the card counted beyond that data, its headers and acknowledgements: traffic of others; None: not known."""


class NetworkBench(Fact):
    """All tests, path by path."""

    tool: Text | None
    """The program that measured, with its version; None: it could not say."""
    runtime_s: float
    """How long each test lasted."""
    client_host: Text | None = None
    """The host on which iperf3 was the client, as it was named; None: this one. Directions are seen from it."""
    server_host: Text | None = None
    """The host on which iperf3 was started as the server; None: it ran there already."""
    tests: Several[NetworkTest] = ()
    """In the order in which they were made."""
