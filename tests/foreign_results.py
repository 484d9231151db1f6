"""Results of iperf3, hpcc, bonnie++, iozone and perftest, small ones as the tools write them, and what is read of them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from plimsoll.dialects import foreign
from plimsoll.dialects.foreign import Imported
from plimsoll.facts import ForeignBench


def iperf_sum(rate: float, **more: Any) -> dict[str, Any]:
    return {"seconds": 2.0, "bytes": int(rate / 4), "bits_per_second": rate, **more}


def iperf(**changes: Any) -> str:
    whole = {
        "start": {
            "version": "iperf 3.12",
            "connecting_to": {"host": "10.1.0.9", "port": 5201},
            "timestamp": {"timesecs": 1_800_000_000},
            "test_start": {"protocol": "TCP", "num_streams": 2, "duration": 2},
        },
        "intervals": [],
        "end": {
            "sum_sent": iperf_sum(8e9, retransmits=3),
            "sum_received": iperf_sum(7.2e9),
            "cpu_utilization_percent": {"host_total": 20.5, "remote_total": 31.0},
        },
        **changes,
    }
    return json.dumps(whole)


HPCC_HEAD = "####\nThis is the DARPA/DOE HPC Challenge Benchmark version 1.5.0 October 2012\nCurrent time (1800000000) is Fri\n"
HPCC_SUMMARY = """VersionMajor=1
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


def hpcc(summary: str = HPCC_SUMMARY, head: str = HPCC_HEAD) -> str:
    return f"{head}Begin of Summary section.\n{summary}End of Summary section.\n"


def bonnie(version: str = "1.98", more: str = "", first: str = "1177") -> str:
    seeks = ",8192,5" if version != "1.97" else ""
    blocks = f"{first},37,+++++,+++,901,12,1850,43,+++++,+++,120.5,9"
    files = ",".join(["16,,,,", *["+++++,+++"] * 5, "52,7"])
    latencies = ",".join(["49247us", "24ms", "+++++", "1s", *["844us"] * 8])
    return f"{version},2.00a,db1,1,1795351637,64M,{seeks},{blocks},{files},{latencies}{more}\n"


IOZONE = """\tIozone: Performance Test of File I/O
\t        Version $Revision: 3.506 $
\t\tCompiled for 64 bit mode.
\tCommand line used: iozone -s 64m -r 8k -i 0 -i 2
\tOutput is in kBytes/sec
                                                              random    random
              kB  reclen    write  rewrite    read    reread    read     write
           65536       8   411003   502118                    90113    81007

iozone test complete.
"""
CHILDREN = """\tIozone: Performance Test of File I/O
\t        Version $Revision: 3.506 $
\tOutput is in kBytes/sec
\tChildren see throughput for  2 initial writers \t=  401923.50 kB/sec
\tParent sees throughput for  2 initial writers \t=  398000.00 kB/sec
\tMin throughput per process \t\t\t=  200000.00 kB/sec
"""
IOZONE_3_489 = """\tIozone: Performance Test of File I/O
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
BANDWIDTH = """---------------------------------------------------------------------------------------
                    RDMA_Write BW Test
 Dual-port       : OFF\t\tDevice         : mlx5_0
 Number of qps   : 1\t\tTransport type : IB
 Mtu             : 4096[B]
---------------------------------------------------------------------------------------
 #bytes     #iterations    BW peak[MB/sec]    BW average[MB/sec]   MsgRate[Mpps]
 65536      5000             11011.20            10990.50\t\t     0.175848
---------------------------------------------------------------------------------------
"""
LATENCY = """                    Send Latency Test
 #bytes #iterations t_min[usec] t_max[usec] t_typical[usec] t_avg[usec] t_stdev[usec] 99% percentile[usec] 99.9% percentile[usec]
 2       1000          0.85        3.91        0.88           0.90        0.06          1.12               3.91
"""


def imported(folder: Path, text: str, name: str = "result.txt") -> Imported:
    (folder / name).write_text(text)
    return foreign.read(folder / name)


def bench_of(found: Imported) -> ForeignBench:
    assert found.bench is not None
    return found.bench


def figures_of(folder: Path, text: str) -> dict[tuple[str, str], tuple[float | None, str]]:
    return {(one.name, one.of): (one.value, one.unit) for one in bench_of(imported(folder, text)).figures}


def values_of(found: Imported, name: str) -> list[float | None]:
    """Of that figure in each result of the file."""
    return [
        one.value for result in (found, *found.more) for one in bench_of(result).figures if one.name == name
    ]
