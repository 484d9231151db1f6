"""`python bench/kit/fleet_resume.py resume FOLDER`: `plimsoll read` that is killed when half of its groups are kept.

It is killed by SIGKILL from outside, at a moment that what is kept tells, and not a clock. Printed is whether the outcome, on
standard output and in all tables, is that of a serial run on one CPU, and how many groups were read a second time: no more than
those that had been handed out and were not kept when it was killed.

`once FOLDER PLACE CPUS` is one such command, which notes the groups that it hands out in PLACE/groups.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

from plimsoll.context import LocalExecutor
from plimsoll.reports.sources import Source

LOOK_S = 0.02
SUM_BYTES = 4
"""Before what was made of a group stands its CRC-32."""
Group = Sequence[Source]


def main() -> None:
    """Prints JSON."""
    what, *words = sys.argv[1:]
    print(json.dumps(WORK[what](*words)))


def resume(folder: str) -> dict[str, float]:
    """The whole comparison."""
    with tempfile.TemporaryDirectory(dir=Path(folder).parent) as made:
        place = Path(made)
        _run(folder, place, cpus=1)
        groups, serial = _handed_out(place), _outcome(place)
        _forget(place)
        kept = _killed_at_half(folder, place, len(groups))
        before = _handed_out(place)
        (place / "groups").unlink()
        begin_s = time.perf_counter()
        _run(folder, place)
        again = _handed_out(place)
        return {
            "is_equal": float(_outcome(place) == serial),
            "groups": len(groups),
            "kept_groups": kept,
            "under_way_groups": len(before) - kept,
            "read_again_groups": len(before & again),
            "read_again_without_need_groups": max(0, len(before & again) - (len(before) - kept)),
            "left_groups": _kept(place),
            "rest_s": time.perf_counter() - begin_s,
        }


def _command(folder: str, place: Path, cpus: int) -> list[str]:
    return [sys.executable, __file__, "once", folder, str(place), str(cpus)]


def _run(folder: str, place: Path, cpus: int = 0) -> None:
    """To its end. What could not be read whole, of which there is some in each folder, is status 5."""
    done = subprocess.run(_command(folder, place, cpus), check=True, stdout=subprocess.PIPE)
    if json.loads(done.stdout)["status"] not in (0, 5):
        raise SystemExit(f"the command ended with {done.stdout!r}")


def _killed_at_half(folder: str, place: Path, groups: int) -> int:
    """How many groups were kept when it was dead."""
    child = subprocess.Popen(_command(folder, place, 0), stdout=subprocess.DEVNULL)
    while child.poll() is None and _kept(place) < groups // 2:
        time.sleep(LOOK_S)
    child.kill()
    if child.wait() >= 0:
        raise SystemExit("it had ended before half of its groups were kept")
    return _kept(place)


def _kept(place: Path) -> int:
    """Groups that are kept whole: what the kill cut off in the middle is none."""
    found = (place / "state" / "plimsoll" / "read-in-part").rglob("*")
    return sum(_is_whole(path.read_bytes()) for path in found if path.is_file())


def _is_whole(content: bytes) -> bool:
    return int.from_bytes(content[:SUM_BYTES], "big") == zlib.crc32(content[SUM_BYTES:])


def _handed_out(place: Path) -> set[str]:
    """By their first file."""
    return set((place / "groups").read_text().splitlines())


def _outcome(place: Path) -> str:
    """The SHA-256 of all that the command gave."""
    told = hashlib.sha256((place / "out.json").read_bytes())
    for path in sorted(path for path in (place / "out").rglob("*") if path.is_file()):
        told.update(f"{path.relative_to(place)}\n".encode() + path.read_bytes())
    return told.hexdigest()


def _forget(place: Path) -> None:
    for name in ("out", "state", "data"):
        shutil.rmtree(place / name, ignore_errors=True)
    (place / "groups").unlink()


def once(folder: str, place: str, cpus: str) -> dict[str, float]:
    """One command within this process."""
    from plimsoll.cli.main import run

    if int(cpus):
        os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[: int(cpus)])
    os.environ |= {"XDG_STATE_HOME": f"{place}/state", "XDG_DATA_HOME": f"{place}/data"}
    _note_groups(Path(place) / "groups")
    with open(f"{place}/out.json", "w") as answer, redirect_stdout(answer):
        status = run(["read", folder, "--json", "--out", f"{place}/out", "--format", "parquet"])
    return {"status": float(status)}


def _note_groups(log: Path) -> None:
    """From now on each group is written down before it is handed out."""
    apart = LocalExecutor.apart

    def noted(self: LocalExecutor, function: Any, groups: Iterable[Group], *more: Any) -> Iterator[Any]:
        return apart(self, function, _noted(log, groups), *more)

    LocalExecutor.apart = noted  # type: ignore[method-assign]


def _noted(log: Path, groups: Iterable[Group]) -> Iterator[Group]:
    with log.open("a", buffering=1) as file:
        for group in groups:
            file.write(f"{group[0].name}\n")
            yield group


WORK: dict[str, Callable[..., dict[str, float]]] = {"resume": resume, "once": once}


if __name__ == "__main__":
    main()
