"""Any bytes as `slob.conf` or `pgio.conf`: parameters within their bounds, or a usage error."""

from __future__ import annotations

from collections.abc import Iterator

from plimsoll.base.errors import PlimsollError
from plimsoll.proof.slob.conf import parse_conf
from plimsoll.proof.slob.parameters import PARAMETERS, parameters


def seeds() -> Iterator[bytes]:
    """A file with every key, with quotes, exports and remarks."""
    yield b"UPDATE_PCT=25\nSCALE=80M\nRUN_TIME=300\nWORK_LOOP=0\nTHREADS_PER_SCHEMA=2\nDO_HOTSPOT=TRUE\nHOTSPOT_MB=8\n"
    yield b"# remark\nexport SCAN_PCT='10'\nWORK_UNIT=\"64\" # more\nADMIN_SQLNET_SERVICE=x\nSYSDBA_PASSWD=x\n"
    yield "\n".join(f"{name}=1" for parameter in PARAMETERS for name in parameter.names).encode()


def one(data: bytes) -> None:
    """Reads them."""
    try:
        parameters(**parse_conf(data.decode(errors="replace"), "input").given)
    except PlimsollError:
        return
