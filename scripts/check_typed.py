"""Whether a program that uses the package sees types: pyright's own count of symbols whose type is known, at least 98 %."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
KNOWN_SHARE_MIN = 0.98
_SHOWN_MAX = 10


def main() -> int:
    """1 where fewer are known, with the first that are not."""
    found = _verified()["typeCompleteness"]
    share = found["completenessScore"]
    print(f"{share:.2%} of the package's symbols have a known type")
    if share >= KNOWN_SHARE_MIN:
        return 0
    for line in _causes(found["symbols"])[:_SHOWN_MAX]:
        print(line, file=sys.stderr)
    return 1


def _verified() -> dict[str, Any]:
    pyright = Path(sys.executable).parent / "pyright"
    words = [str(pyright), "--verifytypes", "plimsoll", "--ignoreexternal", "--outputjson"]
    here = {**os.environ, "PYTHONPATH": str(ROOT / "python")}
    done = subprocess.run(words, cwd=ROOT, env=here, capture_output=True, text=True, timeout=600, check=False)
    if not done.stdout.startswith("{"):
        raise SystemExit(f"pyright gave no answer: {done.stderr.strip() or done.stdout.strip()}")
    return json.loads(done.stdout)


def _causes(symbols: list[dict[str, Any]]) -> list[str]:
    """Symbols whose own lines lack a type; the others only follow from them."""
    return [
        f"{one['name']}: {problem['message'].splitlines()[0]}"
        for one in symbols
        for problem in one["diagnostics"]
        if not one["isTypeKnown"] and "annotation" in problem["message"]
    ]


if __name__ == "__main__":
    sys.exit(main())
