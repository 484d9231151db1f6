"""Which glibc the programs and libraries in a folder or a wheel ask for, by the versions of the symbols that they take from it.

Usage: scripts/check_glibc.py NEWEST PATH…, such as `check_glibc.py 2.28 dist/x.whl`. Prints the newest that is asked for, and
fails where that is newer than NEWEST, with each file that asks for it: what a tag of a wheel says is thereby true.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Iterator
from pathlib import Path

_NEEDED = re.compile(r"Name: GLIBC_(\d+(?:\.\d+)+) ")
_ELF = b"\x7fELF"

Version = tuple[int, ...]


def version(text: str) -> Version:
    """`2.28` as numbers, which compare as versions do."""
    return tuple(int(part) for part in text.split("."))


def needed(readelf: str) -> Version | None:
    """The newest glibc in what `readelf --version-info` prints of a file; None where it asks for none."""
    return max(map(version, _NEEDED.findall(readelf)), default=None)


def of_files(folder: Path) -> Iterator[tuple[Path, Version]]:
    """Every program and library below the folder that asks for a version of glibc, with the newest that it asks for."""
    for path in sorted(folder.rglob("*")):
        if path.is_file() and not path.is_symlink() and _is_elf(path):
            command = ["readelf", "--wide", "--version-info", str(path)]
            printed = subprocess.run(command, check=True, capture_output=True, text=True, timeout=60).stdout
            asks = needed(printed)
            if asks is not None:
                yield path, asks


def _is_elf(path: Path) -> bool:
    with path.open("rb") as file:
        return file.read(len(_ELF)) == _ELF


def newer(place: Path, newest: Version) -> list[str]:
    """A line for each file that asks for more than `newest`; prints what the place asks for."""
    with tempfile.TemporaryDirectory() as scratch:
        folder = place
        if place.suffix == ".whl":
            folder = Path(scratch)
            zipfile.ZipFile(place).extractall(folder)
        found = list(of_files(folder))
    if not found:
        return [f"{place}: nothing in it asks for glibc"]
    most = max(asks for _, asks in found)
    print(f"{place.name}: {len(found)} programs and libraries, glibc {_text(most)} or newer")
    return [f"{path.relative_to(folder)}: glibc {_text(asks)}" for path, asks in found if asks > newest]


def _text(version: Version) -> str:
    return ".".join(map(str, version))


def main() -> int:
    """0 where all of it runs with the glibc that was named."""
    newest, *places = sys.argv[1:]
    lines = [line for place in places for line in newer(Path(place), version(newest))]
    print("".join(f"error: {line}\n" for line in lines), file=sys.stderr, end="")
    return 1 if lines else 0


if __name__ == "__main__":
    sys.exit(main())
