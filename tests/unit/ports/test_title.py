"""A password among the arguments is gone from what other users see, and the program still has it."""

from __future__ import annotations

import subprocess
import sys

PROGRAM = """
import sys
from pathlib import Path
from plimsoll.base.redact import redact_all
from plimsoll.ports.title import rewrite_arguments
assert rewrite_arguments(redact_all)
assert sys.argv[2] == "me/hunter2@db"
print(Path("/proc/self/cmdline").read_bytes().rstrip(b"\\0").split(b"\\0")[3:])
"""


def test_a_password_is_hidden_from_other_users() -> None:
    command = [sys.executable, "-c", PROGRAM, "--database", "me/hunter2@db", "--json"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == "[b'--database', b'me/***@db', b'--json']"
