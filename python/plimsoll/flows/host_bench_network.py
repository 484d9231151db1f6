"""`plimsoll host bench network`: what the network gives over named paths, held against what the network card counted."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from plimsoll.base.errors import WorldError
from plimsoll.context import Context
from plimsoll.facts import NetworkBench, NetworkTest, Note, Run
from plimsoll.facts.network_bench import NetworkCount, NetworkDirection
from plimsoll.flows.network_hosts import client_there, server_there
from plimsoll.flows.record import record
from plimsoll.flows.report import write_report
from plimsoll.host import iperf
from plimsoll.host.network_counters import LOOPBACK, Counted, card_towards, mtu_of, read_counters, settled
from plimsoll.requests.host_bench_network import HostBenchNetworkRequest

_STAGE = "network"
_DIRECTIONS: tuple[NetworkDirection, ...] = ("out", "in", "both")
_HEADERS_BYTES = 90
"""Of a packet: Ethernet with a tag 18, IPv6 40, TCP with time stamps 32."""
_MTU_LEAST = 576
_AGAIN_S = (0.3, 0.7, 1.0, 1.0)
"""After which time a server that is busy is asked again: between two clients it takes a moment until it listens."""
_LESS_SHARE = 0.99
_BESIDE_BYTES = 1 << 20
"""What iperf3 says beside its data, its results among them, and a little of others."""
OTHERS_SHARE = 0.05
_SERVER_HINT = "Start `iperf3 -s` on the far side, let its port through the firewall, and name the address that it listens on."
_HOSTS_HINT = "See whether the path leads to {}, on which iperf3 was started, and let its port through the firewall there."


def bench_network(ctx: Context, asked: HostBenchNetworkRequest) -> Run:
    """Measures, stores and returns the run; an interrupted one has the tests that were made until then.

    Raises UsageError `network-path`, `network-runtime`, WorldError `iperf-missing`, `network-refused` where no test has a figure,
    what `server_there` raises,
    and what `write_report` raises.
    """
    started_at = ctx.clock.now()
    paths = [iperf.Path(*one) for one in asked.named()]
    asked.whole_seconds()
    if not asked.is_client_far:
        iperf.check_installed()
    bench = _Bench(ctx, asked)
    with server_there(ctx, asked):
        tests = tuple(bench.tests(paths))
    if not ctx.cancel.is_set and all(one.reason is not None for one in tests):
        hint = _HOSTS_HINT.format(asked.hosts[-1]) if asked.hosts else _SERVER_HINT
        raise WorldError("network-refused", f"no path could be measured: {tests[0].reason}", hint)
    run = record(
        ctx,
        "host",
        f"network of {asked.client or 'this host'} to {', '.join(path.server for path in paths)}",
        started_at,
        interrupted=ctx.cancel.is_set,
        network_bench=NetworkBench(
            tool=bench.tool,
            runtime_s=asked.runtime_s,
            client_host=asked.client,
            server_host=asked.hosts[-1] if asked.hosts else None,
            tests=tests,
        ),
        notes=tuple(_notes(tests)),
    )
    if asked.out is not None:
        write_report(run, Path(asked.out))
    return run


class _Bench:
    """Makes the tests one after the other."""

    def __init__(self, ctx: Context, asked: HostBenchNetworkRequest) -> None:
        self.ctx, self.asked = ctx, asked
        self._run = client_there(asked)
        self.tool: str | None = None

    def tests(self, paths: list[iperf.Path]) -> Iterator[NetworkTest]:
        """Of each path each direction with one stream, then with several; a path that is refused is not asked again."""
        if not self.asked.is_client_far:
            self._settled(card for card in read_counters() if card != LOOPBACK)
        streams = dict.fromkeys((1, self.asked.streams))
        for path in paths:
            refused: str | None = None
            for many in streams:
                for direction in _DIRECTIONS:
                    test = NetworkTest(
                        path=path.name,
                        source=path.source,
                        server=path.server,
                        direction=direction,
                        streams=many,
                    )
                    told = test.but(reason=refused) if refused else self._test(path, test)
                    yield told
                    if direction == "out" and many == 1:
                        refused = told.reason

    def _test(self, path: iperf.Path, test: NetworkTest) -> NetworkTest:
        if self.ctx.cancel.is_set:
            return test.but(reason="it was interrupted before")
        self.ctx.progress(_STAGE, f"{test.path}: {test.direction}, {test.streams} at once")
        wish = iperf.Wish(test.direction, test.streams, self.asked.whole_seconds(), self.asked.port)
        try:
            before, told = self._measured(path, wish)
        except iperf.NotMeasured as error:
            return test.but(reason=str(error))
        self.tool = told.tool or self.tool
        if self.asked.is_client_far:
            return _figures(test, told)  # what its card counted is not read there
        card = None if told.far_address is None else card_towards(told.far_address)
        after = read_counters() if card in (None, LOOPBACK) else self._settled((card,))
        return counted(_figures(test, told), told, before, after, lambda _: card)

    def _measured(self, path: iperf.Path, wish: iperf.Wish) -> tuple[dict[str, Counted], iperf.Told]:
        """What cards had counted before it, and what iperf3 tells. Raises NotMeasured."""
        for wait_s in _AGAIN_S:
            before = read_counters()
            try:
                return before, iperf.measure(path, wish, self._is_cut, self._run)
            except iperf.ServerBusy:
                self.ctx.clock.sleep(wait_s)
        return read_counters(), iperf.measure(path, wish, self._is_cut, self._run)

    def _is_cut(self) -> bool:
        return self.ctx.cancel.is_set

    def _settled(self, cards: Iterable[str | None]) -> dict[str, Counted]:
        return settled([card for card in cards if card is not None], self.ctx.clock, self._is_cut)


def _figures(test: NetworkTest, told: iperf.Told) -> NetworkTest:
    """What iperf3 says."""
    gbit_per_s = sum(8e-3 * way.mb_per_s for way in (told.out, told.back) if way is not None)
    out, back = told.out, told.back

    def per_gbit(percent: float | None) -> float | None:
        return percent / gbit_per_s if percent is not None and gbit_per_s > 0 else None

    return test.but(
        out_mb_per_s=None if out is None else out.mb_per_s,
        in_mb_per_s=None if back is None else back.mb_per_s,
        out_retransmits=None if out is None else out.retransmits,
        in_retransmits=None if back is None else back.retransmits,
        own_cpu_percent=told.own_cpu_percent,
        far_cpu_percent=told.far_cpu_percent,
        own_cpu_percent_per_gbit=per_gbit(told.own_cpu_percent),
        far_cpu_percent_per_gbit=per_gbit(told.far_cpu_percent),
        out_mb=None if out is None else out.bytes_arrived / 1e6,
        in_mb=None if back is None else back.bytes_arrived / 1e6,
    )


def counted(
    test: NetworkTest,
    told: iperf.Told,
    before: dict[str, Counted],
    after: dict[str, Counted],
    card_of: Callable[[str], str | None] = card_towards,
) -> NetworkTest:
    """The test held against what its card counted: that must be the data at least, and more by headers and acknowledgements."""
    card = None if told.far_address is None else card_of(told.far_address)
    if card is None or card not in before or card not in after:
        return test.but(card=card)
    seen = after[card].since(before[card])
    arrived, sent = _expected(told, card == LOOPBACK)
    lost = any(
        have < _LESS_SHARE * data for have, data in zip((seen.out_bytes, seen.in_bytes), arrived, strict=True)
    )
    packet = max(_MTU_LEAST, mtu_of(card) or 1500)
    again = sum(way.retransmits or 0 for way in (told.out, told.back) if way is not None)
    most = (
        sum(sent) * (1 + 2 * _HEADERS_BYTES / (packet - _HEADERS_BYTES)) + 2 * again * packet + _BESIDE_BYTES
    )
    state: NetworkCount = "less" if lost else "agrees"
    return test.but(
        card=card,
        card_out_mb=seen.out_bytes / 1e6,
        card_in_mb=seen.in_bytes / 1e6,
        counted=state,
        others_mb=max(0.0, seen.out_bytes + seen.in_bytes - most) / 1e6,
    )


def _expected(told: iperf.Told, is_loopback: bool) -> tuple[tuple[int, int], tuple[int, int]]:
    """Bytes of data out and in that arrived, and that were sent. The loopback counts each of them in both directions."""
    out, back = (way or _NOTHING for way in (told.out, told.back))
    arrived, sent = (out.bytes_arrived, back.bytes_arrived), (out.bytes_sent, back.bytes_sent)
    if not is_loopback:
        return arrived, sent
    return (sum(arrived), sum(arrived)), (sum(sent), sum(sent))


_NOTHING = iperf.Way(0, 0, 0.0, None)


def _notes(tests: tuple[NetworkTest, ...]) -> Iterator[Note]:
    for one in tests:
        data = (one.out_mb or 0.0) + (one.in_mb or 0.0)
        if one.others_mb is not None and one.others_mb > OTHERS_SHARE * data:
            message = (
                f"{one.path}, {one.direction}, {one.streams} at once: others moved {one.others_mb:,.1f} MB over {one.card}"
                " meanwhile, so that the path may give more"
            )
            yield Note(code="network-others", message=message)
