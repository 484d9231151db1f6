"""Licence texts of all crates that the extension links, in one file: the wheel brings it, as most of these licences ask.

Usage: scripts/licences.py FILE. A crate without a text of its own is named with the licence that it says.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
_NAMES = ("licen", "copying", "notice", "unlicense", "copyright")
_TEXT_BYTES_MAX = 1 << 20


def linked(metadata: dict[str, Any], root: str = "bindings") -> list[dict[str, Any]]:
    """The packages from elsewhere that the crate in the folder `root` needs, by name; none that only tests need."""
    packages = {package["id"]: package for package in metadata["packages"]}
    needs = {node["id"]: node["deps"] for node in metadata["resolve"]["nodes"]}
    waiting = [id for id, package in packages.items() if Path(package["manifest_path"]).parent.name == root]
    seen: set[str] = set()
    while waiting:
        id = waiting.pop()
        if id not in seen:
            seen.add(id)
            waiting += [
                dep["pkg"] for dep in needs[id] if any(kind["kind"] is None for kind in dep["dep_kinds"])
            ]
    found = [packages[id] for id in seen if packages[id]["source"] is not None]
    return sorted(found, key=lambda package: (package["name"], package["version"]))


def section(package: dict[str, Any], seen: dict[str, str]) -> str:
    """Name, version and licence of a crate, and its texts; `seen` has those that stand under another crate already."""
    folder = Path(package["manifest_path"]).parent
    name = f"{package['name']} {package['version']}"
    said = []
    for path in sorted(folder.iterdir()):
        if path.is_file() and path.name.lower().startswith(_NAMES):
            text = path.read_bytes()[:_TEXT_BYTES_MAX].decode(errors="replace").strip()
            first = seen.setdefault(text, name)
            said.append(text if first == name else f"{path.name}: the same text as that of {first}")
    head = f"{name}: {package['license'] or 'see its text'}"
    return "\n\n".join([head + "\n" + "=" * len(head), *said])


def main() -> int:
    """Writes the file."""
    command = [
        "cargo",
        "metadata",
        "--format-version",
        "1",
        "--locked",
        "--filter-platform",
        "x86_64-unknown-linux-gnu",
    ]
    metadata = json.loads(
        subprocess.run(command, cwd=ROOT, check=True, capture_output=True, timeout=300).stdout
    )
    crates = linked(metadata)
    out = Path(sys.argv[1])
    out.parent.mkdir(parents=True, exist_ok=True)
    seen: dict[str, str] = {}
    out.write_text("\n\n\n".join(section(one, seen) for one in crates) + "\n", encoding="utf-8")
    print(f"{out}: {len(crates)} crates")
    return 0


if __name__ == "__main__":
    sys.exit(main())
