"""What the network gives over named paths."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from plimsoll.base.errors import ExitStatus
from plimsoll.base.units import counted, format_count, format_mb, format_rate, format_seconds
from plimsoll.charts import Table
from plimsoll.facts import NetworkBench, NetworkTest, Run
from plimsoll.results._blocks import Block, Grid, Points, Words
from plimsoll.results._compared import Compared, Quantity
from plimsoll.results._kind import ResultKind
from plimsoll.results._words import sentence

_DIRECTIONS = {"out": "out", "in": "in", "both": "both at once"}
_METHOD = (
    "Out is from the client, this host where no other is named, to the far side. MB are data that arrived, without headers. CPU"
    " time is that of iperf3, in percent of one CPU. What the network card counted has headers and other programs with it: it must"
    " be the data at least."
)


def _answer(found: NetworkBench) -> str:
    """Over each path the most of each direction, and of both at once."""
    paths = dict.fromkeys(one.path for one in found.tests)
    told = [f"over {path}: {said}" for path in paths if (said := _best(found, path))]
    missed = [path for path in paths if not _best(found, path)]
    less = "the network card counted less data than iperf3 says; " if _is_less(found) else ""
    refused = f"not measured: {', '.join(missed)}" if missed else ""
    return less + "; ".join(part for part in (*told, refused) if part) or "nothing was measured"


def _best(found: NetworkBench, path: str) -> str:
    return ", ".join(
        f"{_DIRECTIONS[direction]} {_rates(max(tests, key=_sum))}"
        for direction in _DIRECTIONS
        if (tests := _of(found, path, direction))
    )


def _of(found: NetworkBench, path: str, direction: str) -> list[NetworkTest]:
    return [
        one for one in found.tests if (one.path, one.direction) == (path, direction) and one.reason is None
    ]


def _sum(one: NetworkTest) -> float:
    return (one.out_mb_per_s or 0.0) + (one.in_mb_per_s or 0.0)


def _rates(one: NetworkTest) -> str:
    """`1,120 MB/s`, of both at once `900 + 880 MB/s`."""
    rates = [format_mb(rate) for rate in (one.out_mb_per_s, one.in_mb_per_s) if rate is not None]
    return f"{' + '.join(rates)} MB/s"


def _is_less(found: NetworkBench) -> bool:
    return any(one.counted == "less" for one in found.tests)


def _status(run: Run) -> ExitStatus:
    """130: interrupted; 1: a card counted less than iperf3 says; 5: some test was not made."""
    found: NetworkBench = run.results["network_bench"]
    if run.interrupted:
        return ExitStatus.INTERRUPTED
    if _is_less(found):
        return ExitStatus.ANSWER_IS_NO
    return ExitStatus.DONE_IN_PART if any(one.reason for one in found.tests) else ExitStatus.DONE


def _blocks(run: Run) -> list[Block]:
    found: NetworkBench = run.results["network_bench"]
    made = [one for one in found.tests if one.reason is None]
    blocks: list[Block] = [Words(sentence(_answer(found)))]
    if made:
        tool = f" by {found.tool}" if found.tool else ""
        tool += "" if found.client_host is None else f" from {found.client_host}"
        blocks.append(
            Grid(f"Tests of {format_seconds(found.runtime_s)} each{tool}, MB per second", _tests(made))
        )
        if found.client_host is None:
            blocks.append(Grid("What the network cards counted meanwhile, MB", _cards(made), folded=True))
    points = tuple(_points(found))
    return [*blocks, Points(points)] if points else blocks


def _tests(tests: Sequence[NetworkTest]) -> Table:
    columns = (
        "path",
        "direction",
        "streams",
        "out",
        "in",
        "sent again out",
        "sent again in",
        "CPU % per Gbit/s here",
        "there",
    )
    rows = tuple(
        (
            one.path,
            one.direction,
            str(one.streams),
            _or_dash(one.out_mb_per_s),
            _or_dash(one.in_mb_per_s),
            "–" if one.out_mb_per_s is None else format_count(one.out_retransmits),
            "–" if one.in_mb_per_s is None else format_count(one.in_retransmits),
            format_rate(one.own_cpu_percent_per_gbit),
            format_rate(one.far_cpu_percent_per_gbit),
        )
        for one in tests
    )
    return Table(columns, rows, (False, False, *(True,) * 7), ("sent again in", "sent again out", "there"))


def _or_dash(mb: float | None) -> str:
    return "–" if mb is None else format_mb(mb)


def _cards(tests: Sequence[NetworkTest]) -> Table:
    columns = (
        "path",
        "direction",
        "streams",
        "card",
        "data out",
        "counted out",
        "data in",
        "counted in",
        "so",
    )
    rows = tuple(
        (
            one.path,
            one.direction,
            str(one.streams),
            one.card or "unknown",
            _or_dash(one.out_mb),
            format_mb(one.card_out_mb),
            _or_dash(one.in_mb),
            format_mb(one.card_in_mb),
            {"agrees": "agrees", "less": "less than the data", "unknown": "unknown"}[one.counted],
        )
        for one in tests
    )
    return Table(
        columns, rows, (False, False, True, False, True, True, True, True, False), ("data in", "data out")
    )


def _points(found: NetworkBench) -> Iterator[tuple[str, str]]:
    """Each path that was refused once, each test that was not made beside others, and what does not agree."""
    told: set[tuple[str, str]] = set()
    if found.client_host is not None:
        yield (
            "network cards",
            f"What those of {found.client_host} counted is not known: figures are held against nothing.",
        )
    for one in found.tests:
        if one.reason is not None:
            if (one.path, one.reason) not in told:
                yield one.path, sentence(one.reason)
            told.add((one.path, one.reason))
        elif one.counted == "less":
            way = f"{one.direction}, {counted(one.streams, 'stream')}"
            said = f"{one.card} counted less than the data: it went another way, see `ip route get {one.server}` and `ip rule`"
            yield one.path, sentence(f"{way}: {said}")


def _figures(run: Run) -> list[Quantity]:
    found: NetworkBench = run.results["network_bench"]
    return [
        Quantity(
            f"network_bench.{one.path}.{one.direction}.{one.streams}.{way}_mb_per_s",
            f"{one.path}, {_DIRECTIONS[one.direction]}, {counted(one.streams, 'stream')}: {way}",
            "mb_per_s",
            rate,
            "more",
        )
        for one in found.tests
        for way, rate in (("out", one.out_mb_per_s), ("in", one.in_mb_per_s))
        if rate is not None
    ]


def _work(run: Run) -> dict[str, str]:
    found: NetworkBench = run.results["network_bench"]
    paths = dict.fromkeys(one.path for one in found.tests)
    return {"paths": ", ".join(paths), "each test": format_seconds(found.runtime_s)}


RESULT = ResultKind(
    fact=NetworkBench,
    rows=(NetworkTest,),
    rank=13,
    answer=_answer,
    status=_status,
    envelope="host-bench-network",
    title="What the network gives",
    help="Data that arrived over named paths, one way, the other and both at once, and what the network cards counted.",
    page_rank=56,
    blocks=_blocks,
    on_page=lambda run: [Words(_METHOD)],
    compared=Compared(figures=_figures, work=_work),
)
