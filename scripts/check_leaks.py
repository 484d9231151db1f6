"""Looks through every committed file for what belongs to one machine: its paths, and addresses of package hosts.

A clone must build anywhere, from whatever index its user has set up. Run by `make check`; the patterns are written so
that they do not find themselves.
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent
PATHS = re.compile(r"(?<![\w.<$}])/(?:wor[k]|roo[t]|hom[e]/\w+|tm[p]/brief)/[\w.]")
HOSTS = re.compile(
    r"py[p]i\.org|files\.pythonhoste[d]|static\.crate[s]|index\.crate[s]|registry\.npm[j]s|deb\.debia[n]\.|proxy\.golan[g]"
)
ARTIFACTS = {".png", ".ico", ".woff2", ".gz", ".sqlite"}


def main() -> int:
    """Prints `file:line: what was found`; 1 if anything was."""
    names = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        check=True,
        capture_output=True,
    ).stdout
    found = [line for name in names.decode().split("\0") if name for line in leaks_in(name)]
    print("\n".join(found), file=sys.stderr, end="\n" if found else "")
    return 1 if found else 0


def leaks_in(name: str) -> list[str]:
    """The leaks of one file, each as a line for people."""
    path = ROOT / name
    if path.suffix in ARTIFACTS or not path.is_file():
        return []
    lines = enumerate(path.read_text(encoding="utf-8", errors="replace").splitlines(), start=1)
    return [f"{name}:{number}: {match[0]}" for number, line in lines for match in [leak(line)] if match]


def leak(line: str) -> re.Match[str] | None:
    """The first thing in the line that belongs to one machine."""
    return PATHS.search(line) or HOSTS.search(line)


if __name__ == "__main__":
    sys.exit(main())
