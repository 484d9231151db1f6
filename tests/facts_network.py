"""A plausible network of two paths, of which one is refused; or data of one path went another way."""

from __future__ import annotations

from plimsoll.facts import NetworkBench, NetworkTest

_REFUSED = "iperf3 said: unable to connect to server: Connection refused"


def network_bench(less: bool = False) -> NetworkBench:
    """10 Gbit/s."""
    out = NetworkTest(
        path="storage", source="10.1.0.5", server="10.1.0.9", direction="out", streams=4, out_mb_per_s=1_176.4, out_retransmits=17,
        own_cpu_percent=41.3, far_cpu_percent=62.1, own_cpu_percent_per_gbit=4.39, far_cpu_percent_per_gbit=6.6, card="eth1",
        out_mb=5_882.3, card_out_mb=312.7 if less else 6_104.9, card_in_mb=40.2, others_mb=0.0,
        counted="less" if less else "agrees",
    )  # fmt: skip
    both = out.but(
        direction="both",
        out_mb_per_s=980.6,
        in_mb_per_s=1_010.3,
        in_retransmits=1_204,
        out_mb=4_903.8,
        in_mb=5_051.6,
        card_in_mb=5_288.4,
    )
    refused = NetworkTest(path="backup", server="10.2.0.9", direction="out", streams=1, reason=_REFUSED)
    return NetworkBench(tool="iperf 3.12", runtime_s=5.0, tests=(out, both, *(() if less else (refused,))))
