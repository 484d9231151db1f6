"""Results of hpcc, bonnie++, iozone and perftest: small ones as the tools write them, and what is no result of theirs.

`PLIMSOLL_SAMPLES` names a folder of results that the tools themselves wrote; without it, `../shared/samples` beside the project.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from foreign_results import (
    BANDWIDTH,
    CHILDREN,
    HPCC_HEAD,
    HPCC_SUMMARY,
    IOZONE,
    IOZONE_3_489,
    LATENCY,
    bench_of,
    bonnie,
    figures_of,
    hpcc,
    imported,
    iperf,
    values_of,
)
from plimsoll.base.errors import PlimsollError
from plimsoll.dialects import foreign

SAMPLES = Path(os.environ.get("PLIMSOLL_SAMPLES") or Path(__file__).resolve().parents[5] / "shared/samples")


def test_a_version_that_nobody_looked_at_is_said(tmp_path: Path) -> None:
    text = iperf(start={"version": "iperf 3.99", "test_start": {}})
    found = imported(tmp_path, text)
    assert bench_of(found).is_known_version is False
    assert [(note.code, "version 3.99 of iperf3 is not known" in note.message) for note in found.notes] == [
        ("version-unknown", True)
    ]


def test_hpcc_tells_its_summary_and_what_it_does_not_say(tmp_path: Path) -> None:
    found = imported(tmp_path, hpcc())
    assert (found.tool_version, found.title) == ("hpcc 1.5.0", "HPL 0.0195 Tflop/s, N 2000")
    assert [(one.name, one.value, one.unit) for one in bench_of(found).figures] == [
        ("HPL_Tflops", 0.0195, "Tflop/s"),
        ("StarSTREAM_Triad", 11.3, "GB/s"),
        ("MaxPingPongLatency_usec", None, "µs"),
    ]
    assert [note.code for note in found.notes] == ["hpcc-blas", "hpcc-stream-small"]
    large = imported(tmp_path, hpcc(HPCC_SUMMARY.replace("666666", "66666666")))
    assert [note.code for note in large.notes] == ["hpcc-blas"]


@pytest.mark.parametrize("version", ["1.97", "1.98"])
def test_bonnie_keeps_what_was_too_fast_as_unknown(tmp_path: Path, version: str) -> None:
    found = figures_of(tmp_path, bonnie(version))
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
    assert figures_of(tmp_path, IOZONE) == {
        ("write", of): (411003.0, "KiB/s"),
        ("rewrite", of): (502118.0, "KiB/s"),
        ("random read", of): (90113.0, "KiB/s"),
        ("random write", of): (81007.0, "KiB/s"),
    }
    assert figures_of(tmp_path, CHILDREN) == {
        ("initial writers", "2 threads together"): (401923.5, "KiB/s"),
        ("initial writers, parent", "2 threads together"): (398000.0, "KiB/s"),
        ("initial writers, min of each", "2 threads together"): (200000.0, "KiB/s"),
    }


def test_a_test_of_iozone_that_was_left_out_is_unknown_and_not_nothing(tmp_path: Path) -> None:
    """As 3.489 prints it with -+n."""
    of = "file of 1 MiB, records of 64 KiB"
    assert figures_of(tmp_path, IOZONE_3_489) == {
        ("write", of): (1939207.0, "KiB/s"),
        ("rewrite", of): (None, "KiB/s"),
        ("read", of): (9485232.0, "KiB/s"),
        ("reread", of): (None, "KiB/s"),
    }
    found = imported(tmp_path, IOZONE_3_489)
    assert (found.tool_version, found.notes) == ("iozone 3.489", ())


def test_a_peak_that_perftest_did_not_take_is_unknown(tmp_path: Path) -> None:
    text = BANDWIDTH.replace("11011.20 ", "0.00     ")
    assert [one.value for one in bench_of(imported(tmp_path, text)).figures] == [None, 10990.5, 0.175848]


def test_latency_of_perftest_over_a_time_has_transactions_per_second(tmp_path: Path) -> None:
    """The heading of --duration, whose last column has no unit."""
    text = " #bytes        #iterations       t_avg[usec]    tps average\n 2       100000            1.10           909090.90\n"
    assert figures_of(tmp_path, text) == {
        ("t_avg", "messages of 2 B"): (1.1, "µs"),
        ("tps average", "messages of 2 B"): (909090.9, "per second"),
    }


def test_perftest_has_bandwidth_or_latency_and_no_version(tmp_path: Path) -> None:
    found = imported(tmp_path, BANDWIDTH)
    assert found.title == "RDMA_Write BW Test"
    assert [(one.name, one.value, one.unit) for one in bench_of(found).figures] == [
        ("BW peak", 11011.2, "MiB/s"),
        ("BW average", 10990.5, "MiB/s"),
        ("MsgRate", 0.175848, "10^6 messages/s"),
    ]
    assert {one.name: one.value for one in bench_of(found).settings} == {
        "Number of qps": "1",
        "Mtu": "4096[B]",
        "Dual-port": "OFF",
        "Device": "mlx5_0",
        "Transport type": "IB",
    }
    assert "does not say its version" in found.notes[0].message
    latency = figures_of(tmp_path, LATENCY)
    assert latency["t_typical", "messages of 2 B"] == (0.88, "µs")
    assert latency["99.9% percentile", "messages of 2 B"] == (3.91, "µs")
    assert len(latency) == 7


_NO_PEAK = " WARNING: BW peak won't be measured in this run.\n" + BANDWIDTH.replace("11011.20", "0.00")


def test_a_peak_that_perftest_did_not_measure_is_unknown(tmp_path: Path) -> None:
    found = imported(tmp_path, _NO_PEAK)
    assert [(one.name, one.value) for one in bench_of(found).figures] == [
        ("BW peak", None),
        ("BW average", 10990.5),
        ("MsgRate", 0.175848),
    ]
    assert [note.code for note in found.notes] == ["perftest-no-peak", "version-unknown"]
    assert "BW peak won't be measured in this run; the 0.00 that it prints" in found.notes[0].message
    # Without an end (--run_infinitely) it says nothing of it.
    assert (
        figures_of(tmp_path, BANDWIDTH.replace("11011.20", "0.00"))["BW peak", "messages of 65536 B"][0]
        is None
    )


def test_what_perftest_says_against_its_clock_is_told(tmp_path: Path) -> None:
    line = (
        "Conflicting CPU frequency values detected: 1200.000000 != 3000.000000. CPU Frequency is not max.\n"
    )
    found = imported(tmp_path, BANDWIDTH.replace(" 65536", f"{line} 65536") + BANDWIDTH)
    assert [note.code for note in found.notes] == ["perftest-clock", "version-unknown"]
    assert "1200.000000 != 3000.000000" in found.notes[0].message
    assert [note.code for note in found.more[0].notes] == ["version-unknown"]


def test_latency_of_perftest_by_duration(tmp_path: Path) -> None:
    text = """                    Send Latency Test
 #bytes        #iterations       t_avg[usec]    tps average
 2             1500000           0.89           561797.75
"""
    of = "messages of 2 B"
    assert figures_of(tmp_path, text) == {
        ("t_avg", of): (0.89, "µs"),
        ("tps average", of): (561797.75, "per second"),
    }


def test_each_line_of_bonnie_is_a_result(tmp_path: Path) -> None:
    found = imported(tmp_path, bonnie() + "\n" + bonnie(more=",9") + bonnie(first="2288") + "Version 2.00a\n")
    assert values_of(found, "write, per character") == [1177.0, 2288.0]
    assert [bench_of(one).document for one in (found, *found.more)] == [bonnie(), bonnie(first="2288")]
    assert [failure.id for failure in found.failures] == ["import-broken"] * 2
    assert "line 3: it has 51 fields" in found.failures[0].message
    assert "line 5: it is no line of values of bonnie++: 'Version 2.00a'" in found.failures[1].message


def test_each_run_of_hpcc_is_a_result_with_its_own_time(tmp_path: Path) -> None:
    later = hpcc(HPCC_SUMMARY.replace("0.0195", "0.0201"), HPCC_HEAD.replace("1800000000", "1800000600"))
    failed = hpcc(HPCC_SUMMARY.replace("Success=1", "Success=0"))
    found = imported(tmp_path, hpcc() + failed + later)
    assert values_of(found, "HPL_Tflops") == [0.0195, 0.0201]
    times = [one.started_at and one.started_at.timestamp() for one in (found, *found.more)]
    assert times == [1_800_000_000, 1_800_000_600]
    assert [bench_of(one).document for one in (found, *found.more)] == [hpcc(), later]
    begin = len(hpcc().splitlines()) + 1
    assert [failure.message.partition(": ")[2] for failure in found.failures] == [
        f"the run that begins in line {begin} did not succeed: Success=0"
    ]
    broken = imported(tmp_path, hpcc() + hpcc(HPCC_SUMMARY.replace("HPL_N=2000", "garbage")))
    assert f"line {begin + 10}: it is no NAME=VALUE" in broken.failures[0].message
    cut = imported(tmp_path, hpcc() + HPCC_HEAD)
    assert f"line {begin + 2}: it has no summary" in cut.failures[0].message


def test_each_table_of_perftest_is_a_result(tmp_path: Path) -> None:
    second = BANDWIDTH.replace("10990.50", "9000.25").replace("mlx5_0", "mlx5_1")
    found = imported(tmp_path, BANDWIDTH + LATENCY + second)
    assert values_of(found, "BW average") == [10990.5, 9000.25]
    assert [one.title for one in (found, *found.more)] == [
        "RDMA_Write BW Test",
        "Send Latency Test",
        "RDMA_Write BW Test",
    ]
    devices = [
        {one.name: one.value for one in bench_of(one).settings}.get("Device") for one in (found, *found.more)
    ]
    assert devices == ["mlx5_0", None, "mlx5_1"]
    line = " 65536      5000             11011.20            10990.50\t\t     0.175848\n"
    spoken = BANDWIDTH.replace(line, f"{line} a word between\n{line.replace('65536', '131072')}")
    assert values_of(imported(tmp_path, spoken + second), "BW average") == [10990.5, 10990.5, 9000.25]
    broken = imported(tmp_path, BANDWIDTH + second.replace("9000.25", ""))
    assert f"line {len(BANDWIDTH.splitlines()) + 8}: it has 4 values" in broken.failures[0].message


def test_a_size_that_perftest_prints_again_overwrites_nothing(tmp_path: Path) -> None:
    line = " 65536      5000             11011.20            10990.50\t\t     0.175848\n"
    found = figures_of(tmp_path, BANDWIDTH.replace(line, line + line.replace("10990.50", "10000.00")))
    assert found["BW average", "messages of 65536 B"] == (10990.5, "MiB/s")
    assert found["BW average", "messages of 65536 B, line 2"] == (10000.0, "MiB/s")


@pytest.mark.parametrize(
    ("text", "what"),
    [
        (iperf(error="unable to connect to server: Connection refused"), "Connection refused"),
        (iperf(end={}), "the test did not come to its end"),
        (iperf(end=3), "no start and end"),
        (iperf()[:-40], "it is not JSON"),
        (iperf().replace('"retransmits": 3', '"retransmits": 3, "retransmits": 4'), "two values for 'retransmits'"),
        (HPCC_HEAD, "line 3: it has no summary"),
        (hpcc(HPCC_SUMMARY.replace("Success=1", "Success=0")), "Success=0"),
        (hpcc(HPCC_SUMMARY.replace("Success=1\n", "")), "its summary does not say so"),
        (hpcc(HPCC_SUMMARY.replace("HPL_N=2000", "garbage")), "line 11: it is no NAME=VALUE"),
        (hpcc().replace("End of Summary section.\n", ""), "its summary has no end"),
        (bonnie("1.96"), "format 1.96"),
        (bonnie(more=",9"), "it has 51 fields"),
        (bonnie(first="many"), "write, per character is no number: 'many'"),
        (bonnie().replace("24ms", "24 apples"), "highest latency, write, per block is no time"),
        (IOZONE.replace("   81007", ""), "line 8: it has 3 values, and the tests of the command line are 4"),
        (IOZONE.replace("81007", "fast"), "line 8"),
        (IOZONE.replace("kBytes/sec", "ops/sec"), "does not say that its output is in kBytes/sec"),
        (IOZONE.partition("              kB")[0], "the test did not come to its end"),
        (CHILDREN.replace("401923.50", "inf"), "'inf' is no number"),
        (BANDWIDTH.replace("10990.50", ""), "it has 4 values, and its table has 5 columns"),
        (BANDWIDTH.replace("[Mpps]", ""), "no units in brackets"),
        (BANDWIDTH.partition(" 65536")[0], "the test did not come to its end"),
    ],
)  # fmt: skip
def test_what_is_no_whole_result_is_refused_with_the_reason(tmp_path: Path, text: str, what: str) -> None:
    with pytest.raises(PlimsollError) as caught:
        imported(tmp_path, text)
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
    bench = bench_of(foreign.read(SAMPLES / name))
    assert bench.is_known_version
    (value,) = (one.value for one in bench.figures if (one.name, one.of) == figure)
    assert value == pytest.approx(wanted, rel=1e-5)
