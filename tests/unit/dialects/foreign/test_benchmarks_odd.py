"""Results of bonnie++, iozone and hpcc as they are printed for people, by older releases, and with figures that are none."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import command
from plimsoll.base.errors import PlimsollError
from plimsoll.dialects import foreign
from plimsoll.dialects.foreign import Imported

_BLOCKS = "1177,37,+++++,+++,901,12,1850,43,+++++,+++,120.5,9"
_FILES = ",".join(["16,,,,", *["+++++,+++"] * 5, "52,7"])
_LATENCIES = ",".join(["49247us", "24ms", "30us", "1s", *["844us"] * 8])
_VALUES = f"1.98,2.00a,db1,1,1795351637,64M,,8192,5,{_BLOCKS},{_FILES},{_LATENCIES}\n"
_PRINTED = """Writing a byte at a time...done
Writing intelligently...done
start 'em...done...done...done...done...done...
Version 2.00a       ------Sequential Output------ --Sequential Input- --Random-
                    -Per Chr- --Block-- -Rewrite- -Per Chr- --Block-- --Seeks--
Name:Size etc        /sec %CP  /sec %CP  /sec %CP  /sec %CP  /sec %CP  /sec %CP
db1             64M 1177k  37 +++++ +++  901k  12 1850k  43 +++++ +++ 120.5   9
Latency             49247us      24ms      30us        1s     844us     844us
"""
_IOZONE = """\tIozone: Performance Test of File I/O
\t        Version $Revision: 3.408 $
\tCommand line used: iozone -i0 -i2 -s 64m -r 8k
\tOutput is in Kbytes/sec
              KB  reclen   write rewrite    read    reread    read   write
           65536       8   31782   22524                    816017   10411
"""
_TOGETHER = """\tIozone: Performance Test of File I/O
\tOutput is in kBytes/sec
\tThroughput test with 4 processes
\tChildren see throughput for  4 initial writers \t=  812345.67 kB/sec
\tParent sees throughput for  4 initial writers \t=  799999.12 kB/sec
\tMin throughput per process \t\t\t=  200000.11 kB/sec \n\tMax throughput per process \t\t\t=  210000.22 kB/sec
\tAvg throughput per process \t\t\t=  203086.42 kB/sec
\tMin xfer \t\t\t\t\t= 1000000.00 kB
"""
_HPCC = """This is the DARPA/DOE HPC Challenge Benchmark version 1.5.0 October 2012
Begin of Summary section.
VersionMajor=1
VersionMinor=5
VersionMicro=0
Success=1
HPL_Tflops=0.0195
HPL_N=2000
MaxPingPongLatency_usec=-1
End of Summary section.
"""


def _read(folder: Path, text: str) -> Imported:
    (folder / "result.txt").write_text(text)
    return foreign.read(folder / "result.txt")


def _figures(found: Imported) -> dict[str, float | None]:
    assert found.bench is not None
    return {one.name: one.value for one in found.bench.figures}


@pytest.mark.parametrize("above", [_PRINTED, "format_version,bonnie_version,name,concurrency\n"])
def test_values_of_bonnie_stand_below_what_it_prints(tmp_path: Path, above: str) -> None:
    found = _read(tmp_path, above + _VALUES)
    assert _figures(found)["write, per character"] == 1177.0
    assert (found.title, found.more, found.failures) == ("db1, files of 64M", (), ())
    twice = _read(tmp_path, above + _VALUES + above + _VALUES.replace("1177", "2288"))
    assert [_figures(one)["write, per character"] for one in (twice, *twice.more)] == [1177.0, 2288.0]
    assert twice.failures == ()


def test_a_run_of_bonnie_without_blocks_says_so(tmp_path: Path) -> None:
    found = _read(tmp_path, _VALUES.replace("64M,,8192,5," + _BLOCKS, ",,,," + "," * 11))
    assert found.title == "db1, files created alone"
    assert _figures(found)["write, per character"] is None


def test_iozone_of_older_releases_writes_its_units_otherwise(tmp_path: Path) -> None:
    assert _figures(_read(tmp_path, _IOZONE)) == {
        "write": 31782.0,
        "rewrite": 22524.0,
        "random read": 816017.0,
        "random write": 10411.0,
    }


def test_processes_of_iozone_are_told_together_and_each(tmp_path: Path) -> None:
    found = _read(tmp_path, _TOGETHER)
    assert _figures(found) == {
        "initial writers": 812345.67,
        "initial writers, parent": 799999.12,
        "initial writers, min of each": 200000.11,
        "initial writers, max of each": 210000.22,
        "initial writers, avg of each": 203086.42,
        "initial writers, min of each, moved": 1e6,
    }
    assert found.bench is not None
    assert {one.of for one in found.bench.figures} == {"4 processes together"}
    assert [one.unit for one in found.bench.figures] == [*["KiB/s"] * 5, "KiB"]


@pytest.mark.parametrize(
    ("text", "what"),
    [
        (_VALUES.replace("1177", "-1177"), "line 1: write, per character is less than nothing: '-1177'"),
        (_VALUES.replace("1177", "nan"), "line 1: write, per character is no number: 'nan'"),
        (_VALUES.replace("1177,37", "1177,+++++"), "CPU time, write, per character is no number: '+++++'"),
        (_VALUES.replace("901,12", "901,5,12"), "line 1: it has 51 fields"),
        (_IOZONE.replace("31782", "3178,2"), "line 6: '3178,2' is no number"),
        (_IOZONE.replace("31782", "-31782"), "line 6: '-31782' is less than nothing"),
        (_IOZONE.replace("Output is in Kbytes/sec", "OPS Mode. Output is in operations per second."), "line 4: it does not say"),
        (_TOGETHER.replace("799999.12", "7,9"), "line 5: '7,9' is no number"),
        (_HPCC.replace("0.0195", "0,0195"), "line 7: HPL_Tflops is no figure of a test: '0,0195'"),
        (_HPCC.replace("0.0195", "nan"), "line 7: HPL_Tflops is no figure of a test: 'nan'"),
        (_HPCC.replace("usec=-1", "usec=-2"), "line 9: MaxPingPongLatency_usec is no figure of a test: '-2'"),
        (_HPCC.replace("HPL_Tflops=0.0195\n", ""), "line 3: its summary has no HPL_Tflops"),
        (_HPCC.replace("HPL_N=", "HPL_Tflops=99\nHPL_N="), "line 8: its summary has two values for HPL_Tflops: 0.0195 and 99"),
    ],
)  # fmt: skip
def test_a_figure_that_is_none_is_refused_with_its_line(tmp_path: Path, text: str, what: str) -> None:
    with pytest.raises(PlimsollError) as caught:
        _read(tmp_path, text)
    assert caught.value.id == "import-broken"
    assert what in caught.value.message


def test_a_repeated_line_of_hpcc_with_the_same_value_is_one(tmp_path: Path) -> None:
    found = _read(tmp_path, _HPCC.replace("HPL_N=", "HPL_Tflops=0.0195\nHPL_N="))
    assert (found.title, _figures(found)["MaxPingPongLatency_usec"]) == ("HPL 0.0195 Tflop/s, N 2000", None)


def test_a_figure_that_could_not_be_read_reaches_the_headline_and_the_status(tmp_path: Path) -> None:
    document = {
        "start": {"version": "iperf 3.12", "test_start": {"protocol": "TCP"}},
        "end": {"sum_sent": {"bits_per_second": "12,5"}, "sum_received": {"bits_per_second": 8e9}},
    }
    path = tmp_path / "iperf3.json"
    path.write_text(json.dumps(document))
    done = command.here("import", str(path))
    assert done.returncode == 5
    assert "rate (arrived) 1,000 MB/s; figures of it could not be read." in " ".join(done.stdout.split())
    assert "unknown: end.sum_sent.bits_per_second is '12,5'" in " ".join(done.stderr.split())
