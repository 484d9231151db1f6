"""How the benchmarks watch a verb of Plimsoll at work, tried on a program in its place."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest
from kit.watching import Watching

AT_ITS_END_BYTES = 150_000_000
_PROGRAM = """#!{python}
import json, os, signal, sys
def end(*_):
    much = bytearray(b"x") * {at_its_end}
    print(json.dumps({{"data": {{"store": os.environ["PLIMSOLL_STORE"]}}}}))
    sys.exit(130)
signal.signal(signal.SIGINT, end)
open(sys.argv[-1], "w").write("begun")
while True:
    signal.pause()
"""


def watched(program: Path, folder: Path) -> tuple[dict[str, Any], float]:
    program.write_text(_PROGRAM.format(python=sys.executable, at_its_end=AT_ITS_END_BYTES))
    program.chmod(0o755)
    folder.mkdir()
    watching = Watching.started(str(program), "watch", folder, "begun")
    assert watching.memory()["watch_bytes"] < AT_ITS_END_BYTES
    return watching.ended()


def test_the_peak_is_that_of_the_end_as_well_and_each_build_has_a_store_of_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = str(tmp_path / "store.sqlite")
    monkeypatch.setenv("PLIMSOLL_STORE", place)
    told = [watched(tmp_path / name, tmp_path / f"of-{number}") for number, name in enumerate("ABA")]
    assert min(peak for _, peak in told) > AT_ITS_END_BYTES
    first, second, third = (said["store"] for said, _ in told)
    assert first == third != second
    assert place not in (first, second)
    assert first.startswith(place)
