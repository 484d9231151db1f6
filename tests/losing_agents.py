"""A launcher that loses the agent of a host at a moment which the talk of client and agent says, and no clock."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path

_SCRIPT = """import os, subprocess, sys
host, word, left = sys.argv[1], sys.argv[2].encode(), int(sys.argv[3])
agent = subprocess.Popen(sys.argv[4:], stdin=subprocess.PIPE)
for line in sys.stdin.buffer:
    left -= os.environ['HOST'] == host and b'"say":"' + word + b'"' in line
    if left <= 0:
        agent.kill()
        break
    agent.stdin.write(line); agent.stdin.flush()
agent.stdin.close()
how = agent.wait()
how < 0 and os.kill(os.getpid(), -how)
"""


def losing(folder: Path, host: str, word: str, times: int = 1) -> str:
    """The launcher: the agent of `host` is killed in place of being told that word, so many times said. It ends as
    the agent does."""
    script = folder / f"losing-{word}-{times}"
    script.write_text(_SCRIPT)
    words = ("env", "HOST={host}", sys.executable, script, host, word, times)
    return shlex.join(map(str, words))
