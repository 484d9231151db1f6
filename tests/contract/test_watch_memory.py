"""How much memory `plimsoll watch` takes at its peak: it stays beside a database for hours."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from plimsoll.native import block_probe

MB = 1_000_000
PEAK_BYTES_MAX = 52 * MB
"""What it takes with Python 3.11 and a store that is there, and some more for other versions of it and of libraries. With pages of
2 MiB it were 5 MB more, with OpenSSL 4, with what draws 3, and with all of the kernel's types 5;
the version before took 59 to 62 MB.
"""
FIRST_PEAK_BYTES_MAX = 60 * MB
"""Where the store has to be made, which takes all kinds of results; the version before took 65 MB."""
PROGRAM = """
import json, re, sys
from pathlib import Path
from plimsoll.cli.main import run
status = run(sys.argv[1:])
peak = re.search(r"^VmHWM:\\s+(\\d+)", Path("/proc/self/status").read_text(), re.M)
print(json.dumps([status, 1024 * int(peak[1])]), file=sys.stderr)
"""


def test_a_watch_takes_little_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if obstacles := block_probe.obstacles():
        pytest.skip(f"no probe can be loaded here: {obstacles[0].message}")
    (tmp_path / "own").mkdir(mode=0o700)
    monkeypatch.setenv("PLIMSOLL_STORE", str(tmp_path / "own" / "runs.db"))
    words = (sys.executable, "-c", PROGRAM, "watch", "--json", "--runtime", "2s", "--role", "nobody")
    for most in (FIRST_PEAK_BYTES_MAX, PEAK_BYTES_MAX):
        # What others do meanwhile is in no row.
        done = subprocess.run(words, capture_output=True, text=True, check=False, timeout=100)
        status, peak_bytes = json.loads(done.stderr.splitlines()[-1])
        assert status in (1, 5), done.stderr
        assert peak_bytes < most
