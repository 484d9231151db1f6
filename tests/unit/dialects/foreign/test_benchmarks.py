"""Results of iperf3, hpcc, bonnie++, iozone and perftest: small ones as the tools write them, and what is no result of theirs.

`PLIMSOLL_SAMPLES` names a folder of results that the tools themselves wrote; without it, `../shared/samples` beside the project.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from plimsoll.base.errors import PlimsollError
from plimsoll.dialects import foreign
from plimsoll.dialects.foreign import Imported
from plimsoll.facts import ForeignBench

SAMPLES = Path(os.environ.get("PLIMSOLL_SAMPLES") or Path(__file__).resolve().parents[5] / "shared/samples")


def _sum(rate: float, **more: Any) -> dict[str, Any]:
    return {"seconds": 2.0, "bytes": int(rate / 4), "bits_per_second": rate, **more}


def _iperf(**changes: Any) -> str:
    whole = {
        "start": {
            "version": "iperf 3.12",
            "connecting_to": {"host": "10.1.0.9", "port": 5201},
            "timestamp": {"timesecs": 1_800_000_000},
            "test_start": {"protocol": "TCP", "num_streams": 2, "duration": 2},
        },
        "intervals": [],
        "end": {
            "sum_sent": _sum(8e9, retransmits=3),
            "sum_received": _sum(7.2e9),
            "cpu_utilization_percent": {"host_total": 20.5, "remote_total": 31.0},
        },
        **changes,
    }
    return json.dumps(whole)


_HPCC_HEAD = "####\nThis is the DARPA/DOE HPC Challenge Benchmark version 1.5.0 October 2012\nCurrent time (1800000000) is Fri\n"
_HPCC_SUMMARY = """VersionMajor=1
VersionMinor=5
VersionMicro=0
Success=1
CommWorldProcs=2
HPL_Tflops=0.0195
HPL_N=2000
StarSTREAM_Triad=11.3
STREAM_VectorSize=666666
MaxPingPongLatency_usec=-1
"""


def _hpcc(summary: str = _HPCC_SUMMARY, head: str = _HPCC_HEAD) -> str:
    return f"{head}Begin of Summary section.\n{summary}End of Summary section.\n"


def _bonnie(version: str = "1.98", more: str = "", first: str = "1177") -> str:
    seeks = ",8192,5" if version != "1.97" else ""
    blocks = f"{first},37,+++++,+++,901,12,1850,43,+++++,+++,120.5,9"
    files = ",".join(["16,,,,", *["+++++,+++"] * 5, "52,7"])
    latencies = ",".join(["49247us", "24ms", "+++++", "1s", *["844us"] * 8])
    return f"{version},2.00a,db1,1,1795351637,64M,{seeks},{blocks},{files},{latencies}{more}\n"


_IOZONE = """\tIozone: Performance Test of File I/O
\t        Version $Revision: 3.506 $
\t\tCompiled for 64 bit mode.
\tCommand line used: iozone -s 64m -r 8k -i 0 -i 2
\tOutput is in kBytes/sec
                                                              random    random
              kB  reclen    write  rewrite    read    reread    read     write
           65536       8   411003   502118                    90113    81007

iozone test complete.
"""
_CHILDREN = """\tIozone: Performance Test of File I/O
\t        Version $Revision: 3.506 $
\tOutput is in kBytes/sec
\tChildren see throughput for  2 initial writers \t=  401923.50 kB/sec
\tParent sees throughput for  2 initial writers \t=  398000.00 kB/sec
\tMin throughput per process \t\t\t=  200000.00 kB/sec
"""
_IOZONE_3_489 = """\tIozone: Performance Test of File I/O
\t        Version $Revision: 3.489 $
\t\tCompiled for 64 bit mode.

\tFile size set to 1024 kB
\tRecord Size 64 kB
\tNo retest option selected
\tCommand line used: iozone -+n -s 1m -r 64k -i 0 -i 1
\tOutput is in kBytes/sec
\tTime Resolution = 0.000001 seconds.
\tProcessor cache size set to 1024 kBytes.
\tProcessor cache line size set to 32 bytes.
\tFile stride size set to 17 * record size.
                                                              random    random     bkwd    record    stride
              kB  reclen    write  rewrite    read    reread    read     write     read   rewrite      read   fwrite
            1024      64  1939207        0  9485232        0

iozone test complete.
"""
_BANDWIDTH = """---------------------------------------------------------------------------------------
                    RDMA_Write BW Test
 Dual-port       : OFF\t\tDevice         : mlx5_0
 Number of qps   : 1\t\tTransport type : IB
 Mtu             : 4096[B]
---------------------------------------------------------------------------------------
 #bytes     #iterations    BW peak[MB/sec]    BW average[MB/sec]   MsgRate[Mpps]
 65536      5000             11011.20            10990.50\t\t     0.175848
---------------------------------------------------------------------------------------
"""
_LATENCY = """                    Send Latency Test
 #bytes #iterations t_min[usec] t_max[usec] t_typical[usec] t_avg[usec] t_stdev[usec] 99% percentile[usec] 99.9% percentile[usec]
 2       1000          0.85        3.91        0.88           0.90        0.06          1.12               3.91
"""


def _read(folder: Path, text: str, name: str = "result.txt") -> Imported:
    (folder / name).write_text(text)
    return foreign.read(folder / name)


def _bench(found: Imported) -> ForeignBench:
    assert found.bench is not None
    return found.bench


def _figures(folder: Path, text: str) -> dict[tuple[str, str], tuple[float | None, str]]:
    return {(one.name, one.of): (one.value, one.unit) for one in _bench(_read(folder, text)).figures}


def test_iperf3_tells_what_was_sent_and_what_arrived(tmp_path: Path) -> None:
    found = _read(tmp_path, _iperf())
    assert (found.tool_version, found.title) == ("iperf3 3.12", "TCP with 10.1.0.9")
    assert found.started_at is not None
    assert found.started_at.timestamp() == 1_800_000_000
    assert [(one.name, one.of, one.value, one.unit) for one in _bench(found).figures] == [
        ("rate", "sent", 1000.0, "MB/s"),
        ("sent again", "sent", 3.0, "segments"),
        ("rate", "arrived", 900.0, "MB/s"),
        ("CPU time here", "", 20.5, "% of one CPU"),
        ("CPU time of the far side", "", 31.0, "% of one CPU"),
    ]
    assert _bench(found).document == _iperf()
    assert found.notes == ()


def test_a_version_that_nobody_looked_at_is_said(tmp_path: Path) -> None:
    text = _iperf(start={"version": "iperf 3.99", "test_start": {}})
    found = _read(tmp_path, text)
    assert _bench(found).is_known_version is False
    assert [(note.code, "version 3.99 of iperf3 is not known" in note.message) for note in found.notes] == [
        ("version-unknown", True)
    ]


def test_hpcc_tells_its_summary_and_what_it_does_not_say(tmp_path: Path) -> None:
    found = _read(tmp_path, _hpcc())
    assert (found.tool_version, found.title) == ("hpcc 1.5.0", "HPL 0.0195 Tflop/s, N 2000")
    assert [(one.name, one.value, one.unit) for one in _bench(found).figures] == [
        ("HPL_Tflops", 0.0195, "Tflop/s"),
        ("StarSTREAM_Triad", 11.3, "GB/s"),
        ("MaxPingPongLatency_usec", None, "µs"),
    ]
    assert [note.code for note in found.notes] == ["hpcc-blas", "hpcc-stream-small"]
    large = _read(tmp_path, _hpcc(_HPCC_SUMMARY.replace("666666", "66666666")))
    assert [note.code for note in large.notes] == ["hpcc-blas"]


@pytest.mark.parametrize("version", ["1.97", "1.98"])
def test_bonnie_keeps_what_was_too_fast_as_unknown(tmp_path: Path, version: str) -> None:
    found = _figures(tmp_path, _bonnie(version))
    assert found["write, per character", ""] == (1177.0, "KiB/s")
    assert found["write, per block", ""] == (None, "KiB/s")
    assert found["CPU time, write, per block", ""] == (None, "%")
    assert found["seeks", ""] == (120.5, "per s")
    assert found["delete, at random", ""] == (52.0, "files/s")
    assert found["highest latency, write, per block", ""] == (24_000.0, "µs")
    assert found["highest latency, rewrite", ""] == (None, "µs")
    assert found["highest latency, read, per character", ""] == (1e6, "µs")
    assert len(found) == 12 * 3


def test_iozone_has_the_columns_of_the_tests_that_were_asked_for(tmp_path: Path) -> None:
    of = "file of 64 MiB, records of 8 KiB"
    assert _figures(tmp_path, _IOZONE) == {
        ("write", of): (411003.0, "KiB/s"),
        ("rewrite", of): (502118.0, "KiB/s"),
        ("random read", of): (90113.0, "KiB/s"),
        ("random write", of): (81007.0, "KiB/s"),
    }
    assert _figures(tmp_path, _CHILDREN) == {
        ("initial writers", "2 threads together"): (401923.5, "KiB/s"),
        ("initial writers, parent", "2 threads together"): (398000.0, "KiB/s"),
        ("initial writers, min of each", "2 threads together"): (200000.0, "KiB/s"),
    }


def test_a_test_of_iozone_that_was_left_out_is_unknown_and_not_nothing(tmp_path: Path) -> None:
    """As 3.489 prints it with -+n."""
    of = "file of 1 MiB, records of 64 KiB"
    assert _figures(tmp_path, _IOZONE_3_489) == {
        ("write", of): (1939207.0, "KiB/s"),
        ("rewrite", of): (None, "KiB/s"),
        ("read", of): (9485232.0, "KiB/s"),
        ("reread", of): (None, "KiB/s"),
    }
    found = _read(tmp_path, _IOZONE_3_489)
    assert (found.tool_version, found.notes) == ("iozone 3.489", ())


def test_a_peak_that_perftest_did_not_take_is_unknown(tmp_path: Path) -> None:
    text = _BANDWIDTH.replace("11011.20 ", "0.00     ")
    assert [one.value for one in _bench(_read(tmp_path, text)).figures] == [None, 10990.5, 0.175848]


def test_latency_of_perftest_over_a_time_has_transactions_per_second(tmp_path: Path) -> None:
    """The heading of --duration, whose last column has no unit."""
    text = " #bytes        #iterations       t_avg[usec]    tps average\n 2       100000            1.10           909090.90\n"
    assert _figures(tmp_path, text) == {
        ("t_avg", "messages of 2 B"): (1.1, "µs"),
        ("tps average", "messages of 2 B"): (909090.9, "per second"),
    }


def test_perftest_has_bandwidth_or_latency_and_no_version(tmp_path: Path) -> None:
    found = _read(tmp_path, _BANDWIDTH)
    assert found.title == "RDMA_Write BW Test"
    assert [(one.name, one.value, one.unit) for one in _bench(found).figures] == [
        ("BW peak", 11011.2, "MiB/s"),
        ("BW average", 10990.5, "MiB/s"),
        ("MsgRate", 0.175848, "10^6 messages/s"),
    ]
    assert {one.name: one.value for one in _bench(found).settings} == {
        "Number of qps": "1",
        "Mtu": "4096[B]",
        "Dual-port": "OFF",
        "Device": "mlx5_0",
        "Transport type": "IB",
    }
    assert "does not say its version" in found.notes[0].message
    latency = _figures(tmp_path, _LATENCY)
    assert latency["t_typical", "messages of 2 B"] == (0.88, "µs")
    assert latency["99.9% percentile", "messages of 2 B"] == (3.91, "µs")
    assert len(latency) == 7


@pytest.mark.parametrize("odd", ["NaN", "Infinity", "1e999", "1" + "0" * 400])
def test_numbers_of_iperf3_beyond_all_measure_are_unknown(tmp_path: Path, odd: str) -> None:
    text = _iperf(
        end={"sum_sent": _sum(8e9, retransmits="@"), "sum_received": _sum(7.2e9) | {"bits_per_second": "@"}}
    )
    found = _read(tmp_path, text.replace('"@"', odd).replace("1800000000", odd))
    assert [(one.name, one.of, one.value) for one in _bench(found).figures] == [
        ("rate", "sent", 1000.0),
        ("sent again", "sent", None),
        ("rate", "arrived", None),
    ]
    assert found.started_at is None


def _ends(found: Imported) -> dict[tuple[str, str], float | None]:
    return {(one.name, one.of): one.value for one in _bench(found).figures}


def _server(protocol: str = "TCP", reverse: int = 0, **end: Any) -> str:
    start = {
        "version": "iperf 3.12",
        "accepted_connection": {"host": "10.1.0.8", "port": 34446},
        "test_start": {"protocol": protocol, "reverse": reverse},
    }
    cpu = {"host_total": 0.77, "remote_total": 0}
    return _iperf(start=start, end={**end, "cpu_utilization_percent": cpu})


def _datagrams(rate: float, jitter: float, lost: int, **more: Any) -> dict[str, Any]:
    return _sum(rate, jitter_ms=jitter, lost_packets=lost, lost_percent=lost, **more)


def test_a_server_of_iperf3_does_not_know_what_the_client_did(tmp_path: Path) -> None:
    received = _server(sum_sent=_sum(0, sender=False), sum_received=_sum(8e9, sender=False))
    assert _ends(_read(tmp_path, received)) == {
        ("rate", "sent"): None,
        ("rate", "arrived"): 1000.0,
        ("CPU time here", ""): 0.77,
        ("CPU time of the far side", ""): None,
    }
    sent = _server(
        reverse=1, sum_sent=_sum(8e9, sender=True, retransmits=0), sum_received=_sum(0, sender=True)
    )
    found = _ends(_read(tmp_path, sent))
    assert (found["rate", "sent"], found["sent again", "sent"], found["rate", "arrived"]) == (
        1000.0,
        0.0,
        None,
    )
    # Older versions do not say which end sent.
    old = _ends(_read(tmp_path, _server(reverse=1, sum_sent=_sum(8e9), sum_received=_sum(0))))
    assert (old["rate", "sent"], old["rate", "arrived"]) == (1000.0, None)
    nothing = _server(sum_sent=_sum(0, sender=False), sum_received=_sum(0, sender=False))
    assert _ends(_read(tmp_path, nothing))["rate", "arrived"] == 0.0


def test_datagrams_of_iperf3_are_told_by_the_end_that_counts_them(tmp_path: Path) -> None:
    of_sender = _datagrams(8e9, 0, 0, sender=True)
    of_receiver = _datagrams(7.2e9, 0.013, 0, sender=False)
    client = _ends(
        _read(tmp_path, _iperf(end={"sum": of_sender, "sum_sent": of_sender, "sum_received": of_receiver}))
    )
    assert (client["rate", "sent"], client["jitter", "sent"], client["lost", "sent"]) == (1000.0, None, None)
    assert (client["jitter", "arrived"], client["lost", "arrived"]) == (0.013, 0.0)
    untold = _datagrams(0, 0, 0, sender=True)
    total = _datagrams(0, 0.013, 0, sender=False)
    server = _ends(_read(tmp_path, _server("UDP", sum=total, sum_sent=untold, sum_received=of_receiver)))
    assert (server["rate", "sum"], server["jitter", "sum"], server["lost", "sum"]) == (None, 0.013, 0.0)
    assert (server["rate", "sent"], server["rate", "arrived"]) == (None, 900.0)
    nothing = _datagrams(0, 0, 0, sender=False)
    server = _ends(
        _read(tmp_path, _server("UDP", 1, sum=of_sender, sum_sent=of_sender, sum_received=nothing))
    )
    assert (server["rate", "sum"], server["jitter", "sum"], server["lost", "sum"]) == (1000.0, None, None)
    assert (server["rate", "arrived"], server["jitter", "arrived"], server["lost", "arrived"]) == (None,) * 3


@pytest.mark.parametrize("odd", ["12,5", float("nan"), -5, None])
def test_a_figure_of_iperf3_that_is_no_number_is_told(tmp_path: Path, odd: Any) -> None:
    end = {"sum_sent": _sum(8e9) | {"bits_per_second": odd}, "sum_received": _sum(7.2e9)}
    found = _read(tmp_path, _iperf(end=end))
    assert _ends(found) == {("rate", "sent"): None, ("rate", "arrived"): 900.0}
    assert [note.code for note in found.notes] == ["figures-unread"]
    assert "end.sum_sent.bits_per_second is " in found.notes[0].message


def test_retransmits_that_a_system_does_not_count_are_unknown(tmp_path: Path) -> None:
    found = _read(tmp_path, _iperf(end={"sum_sent": _sum(8e9, retransmits=-1)}))
    assert (_ends(found)["sent again", "sent"], found.notes) == (None, ())


def test_several_results_of_iperf3_in_a_file_and_its_stream(tmp_path: Path) -> None:
    second = _iperf(end={"sum_sent": _sum(4e9)})
    found = _read(tmp_path, f"{_iperf()}\n{second}\n")
    assert _values(found, "rate") == [1000.0, 900.0, 500.0]
    whole = json.loads(_iperf())
    events = [{"event": name, "data": whole[name]} for name in ("start", "end")]
    events.insert(1, {"event": "interval", "data": {"sum": _sum(1e9)}})
    stream = "".join(f"{json.dumps(one)}\n" for one in events)
    assert _ends(_read(tmp_path, stream)) == _ends(_read(tmp_path, _iperf()))
    assert _values(_read(tmp_path, stream + stream), "rate") == [1000.0, 900.0] * 2
    cut = _read(tmp_path, stream + stream[:-40])
    assert _values(cut, "rate") == [1000.0, 900.0]
    assert "line 6: it is not JSON" in cut.failures[0].message


_NO_PEAK = " WARNING: BW peak won't be measured in this run.\n" + _BANDWIDTH.replace("11011.20", "0.00")


def test_a_peak_that_perftest_did_not_measure_is_unknown(tmp_path: Path) -> None:
    found = _read(tmp_path, _NO_PEAK)
    assert [(one.name, one.value) for one in _bench(found).figures] == [
        ("BW peak", None),
        ("BW average", 10990.5),
        ("MsgRate", 0.175848),
    ]
    assert [note.code for note in found.notes] == ["perftest-no-peak", "version-unknown"]
    assert "BW peak won't be measured in this run; the 0.00 that it prints" in found.notes[0].message
    # Without an end (--run_infinitely) it says nothing of it.
    assert (
        _figures(tmp_path, _BANDWIDTH.replace("11011.20", "0.00"))["BW peak", "messages of 65536 B"][0]
        is None
    )


def test_what_perftest_says_against_its_clock_is_told(tmp_path: Path) -> None:
    line = (
        "Conflicting CPU frequency values detected: 1200.000000 != 3000.000000. CPU Frequency is not max.\n"
    )
    found = _read(tmp_path, _BANDWIDTH.replace(" 65536", f"{line} 65536") + _BANDWIDTH)
    assert [note.code for note in found.notes] == ["perftest-clock", "version-unknown"]
    assert "1200.000000 != 3000.000000" in found.notes[0].message
    assert [note.code for note in found.more[0].notes] == ["version-unknown"]


def test_latency_of_perftest_by_duration(tmp_path: Path) -> None:
    text = """                    Send Latency Test
 #bytes        #iterations       t_avg[usec]    tps average
 2             1500000           0.89           561797.75
"""
    of = "messages of 2 B"
    assert _figures(tmp_path, text) == {
        ("t_avg", of): (0.89, "µs"),
        ("tps average", of): (561797.75, "per second"),
    }


def _values(found: Imported, name: str) -> list[float | None]:
    """Of that figure in each result of the file."""
    return [
        one.value for result in (found, *found.more) for one in _bench(result).figures if one.name == name
    ]


def test_each_line_of_bonnie_is_a_result(tmp_path: Path) -> None:
    found = _read(tmp_path, _bonnie() + "\n" + _bonnie(more=",9") + _bonnie(first="2288") + "Version 2.00a\n")
    assert _values(found, "write, per character") == [1177.0, 2288.0]
    assert [_bench(one).document for one in (found, *found.more)] == [_bonnie(), _bonnie(first="2288")]
    assert [failure.id for failure in found.failures] == ["import-broken"] * 2
    assert "line 3: it has 51 fields" in found.failures[0].message
    assert "line 5: it is no line of values of bonnie++: 'Version 2.00a'" in found.failures[1].message


def test_each_run_of_hpcc_is_a_result_with_its_own_time(tmp_path: Path) -> None:
    later = _hpcc(_HPCC_SUMMARY.replace("0.0195", "0.0201"), _HPCC_HEAD.replace("1800000000", "1800000600"))
    failed = _hpcc(_HPCC_SUMMARY.replace("Success=1", "Success=0"))
    found = _read(tmp_path, _hpcc() + failed + later)
    assert _values(found, "HPL_Tflops") == [0.0195, 0.0201]
    times = [one.started_at and one.started_at.timestamp() for one in (found, *found.more)]
    assert times == [1_800_000_000, 1_800_000_600]
    assert [_bench(one).document for one in (found, *found.more)] == [_hpcc(), later]
    begin = len(_hpcc().splitlines()) + 1
    assert [failure.message.partition(": ")[2] for failure in found.failures] == [
        f"the run that begins in line {begin} did not succeed: Success=0"
    ]
    broken = _read(tmp_path, _hpcc() + _hpcc(_HPCC_SUMMARY.replace("HPL_N=2000", "garbage")))
    assert f"line {begin + 10}: it is no NAME=VALUE" in broken.failures[0].message
    cut = _read(tmp_path, _hpcc() + _HPCC_HEAD)
    assert f"line {begin + 2}: it has no summary" in cut.failures[0].message


def test_each_table_of_perftest_is_a_result(tmp_path: Path) -> None:
    second = _BANDWIDTH.replace("10990.50", "9000.25").replace("mlx5_0", "mlx5_1")
    found = _read(tmp_path, _BANDWIDTH + _LATENCY + second)
    assert _values(found, "BW average") == [10990.5, 9000.25]
    assert [one.title for one in (found, *found.more)] == [
        "RDMA_Write BW Test",
        "Send Latency Test",
        "RDMA_Write BW Test",
    ]
    devices = [
        {one.name: one.value for one in _bench(one).settings}.get("Device") for one in (found, *found.more)
    ]
    assert devices == ["mlx5_0", None, "mlx5_1"]
    line = " 65536      5000             11011.20            10990.50\t\t     0.175848\n"
    spoken = _BANDWIDTH.replace(line, f"{line} a word between\n{line.replace('65536', '131072')}")
    assert _values(_read(tmp_path, spoken + second), "BW average") == [10990.5, 10990.5, 9000.25]
    broken = _read(tmp_path, _BANDWIDTH + second.replace("9000.25", ""))
    assert f"line {len(_BANDWIDTH.splitlines()) + 8}: it has 4 values" in broken.failures[0].message


def test_a_size_that_perftest_prints_again_overwrites_nothing(tmp_path: Path) -> None:
    line = " 65536      5000             11011.20            10990.50\t\t     0.175848\n"
    found = _figures(tmp_path, _BANDWIDTH.replace(line, line + line.replace("10990.50", "10000.00")))
    assert found["BW average", "messages of 65536 B"] == (10990.5, "MiB/s")
    assert found["BW average", "messages of 65536 B, line 2"] == (10000.0, "MiB/s")


@pytest.mark.parametrize(
    ("text", "what"),
    [
        (_iperf(error="unable to connect to server: Connection refused"), "Connection refused"),
        (_iperf(end={}), "the test did not come to its end"),
        (_iperf(end=3), "no start and end"),
        (_iperf()[:-40], "it is not JSON"),
        (_iperf().replace('"retransmits": 3', '"retransmits": 3, "retransmits": 4'), "two values for 'retransmits'"),
        (_HPCC_HEAD, "line 3: it has no summary"),
        (_hpcc(_HPCC_SUMMARY.replace("Success=1", "Success=0")), "Success=0"),
        (_hpcc(_HPCC_SUMMARY.replace("Success=1\n", "")), "its summary does not say so"),
        (_hpcc(_HPCC_SUMMARY.replace("HPL_N=2000", "garbage")), "line 11: it is no NAME=VALUE"),
        (_hpcc().replace("End of Summary section.\n", ""), "its summary has no end"),
        (_bonnie("1.96"), "format 1.96"),
        (_bonnie(more=",9"), "it has 51 fields"),
        (_bonnie(first="many"), "write, per character is no number: 'many'"),
        (_bonnie().replace("24ms", "24 apples"), "highest latency, write, per block is no time"),
        (_IOZONE.replace("   81007", ""), "line 8: it has 3 values, and the tests of the command line are 4"),
        (_IOZONE.replace("81007", "fast"), "line 8"),
        (_IOZONE.replace("kBytes/sec", "ops/sec"), "does not say that its output is in kBytes/sec"),
        (_IOZONE.partition("              kB")[0], "the test did not come to its end"),
        (_CHILDREN.replace("401923.50", "inf"), "'inf' is no number"),
        (_BANDWIDTH.replace("10990.50", ""), "it has 4 values, and its table has 5 columns"),
        (_BANDWIDTH.replace("[Mpps]", ""), "no units in brackets"),
        (_BANDWIDTH.partition(" 65536")[0], "the test did not come to its end"),
    ],
)  # fmt: skip
def test_what_is_no_whole_result_is_refused_with_the_reason(tmp_path: Path, text: str, what: str) -> None:
    with pytest.raises(PlimsollError) as caught:
        _read(tmp_path, text)
    assert caught.value.id == "import-broken"
    assert what in caught.value.message
    assert "result.txt" in caught.value.message


@pytest.mark.parametrize(
    ("name", "figure", "wanted"),
    [
        ("iperf3-tcp.json", ("rate", "arrived"), 2255.88),
        ("iperf3-udp.json", ("jitter", "arrived"), 0.150314),
        ("hpcc-openblas-2ranks.txt", ("HPL_Tflops", ""), 0.0195248),
        ("bonnie.csv", ("read, per character", ""), 1850.0),
    ],
)
def test_results_of_the_tools_themselves(name: str, figure: tuple[str, str], wanted: float) -> None:
    if not (SAMPLES / name).exists():
        pytest.skip(f"{name} is not in {SAMPLES}: PLIMSOLL_SAMPLES names the folder of such results")
    bench = _bench(foreign.read(SAMPLES / name))
    assert bench.is_known_version
    (value,) = (one.value for one in bench.figures if (one.name, one.of) == figure)
    assert value == pytest.approx(wanted, rel=1e-5)
