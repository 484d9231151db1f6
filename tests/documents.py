"""The commands that the documents show: found in their fenced blocks, with the output that stands beneath them."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
GENERATED = ROOT / "docs" / "reference"
_BLOCK = re.compile(r"^```(?P<kind>sh|console)\n(?P<body>.*?)^```$", re.MULTILINE | re.DOTALL)
HOW_TO = "docs/how-to/"
"""Its pages run as a whole, in order (tests/docs/test_how_to.py)."""
_CHANGING = re.compile(
    r"\d{8}-\d{6}-[0-9a-z]{6}|CPU time [\d.]+ µs per I/O.*|(?<=  )\d{4}-\d{2}-\d{2} \d{2}:\d{2}(?=  randread)"
)
"""Ids of runs, what we cost ourselves, and when a run was made."""
_CODE = re.compile(r"`(plimsoll [^`\n]+(?:\n[^`\n]+)?)`")


@dataclass(frozen=True)
class Command:
    """One command as written; `output` are the lines shown beneath it, None where none are."""

    page: str
    text: str
    output: tuple[str, ...] | None = None

    @property
    def words(self) -> list[str]:
        """The command's words, without comments and redirections."""
        words = shlex.split(self.text, comments=True)
        return words[: words.index(">")] if ">" in words else words


def pages() -> list[Path]:
    """Every document that somebody wrote by hand."""
    written = [path for path in sorted((ROOT / "docs").rglob("*.md")) if path.parent != GENERATED]
    return [ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md", *written]


def blocks() -> list[Command]:
    """The commands of fenced blocks, page by page, in order."""
    return [command for page in pages() for command in _in_blocks(page)]


def inline() -> list[Command]:
    """Commands in running text that have more than a verb: `plimsoll io sim: --rate 9k`."""
    found = []
    for page in pages():
        for match in _CODE.finditer(_BLOCK.sub("", page.read_text(encoding="utf-8"))):
            text = " ".join(match[1].split())
            if len(text.split()) > 2:
                found.append(Command(_name(page), text))
    return found


def _name(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


def _in_blocks(page: Path) -> Iterator[Command]:
    for block in _BLOCK.finditer(page.read_text(encoding="utf-8")):
        lines = block["body"].replace("\\\n", " ").splitlines()
        if block["kind"] == "sh":
            yield from (Command(_name(page), line.strip()) for line in lines if line.strip())
        else:
            yield from _with_output(_name(page), lines)


def _with_output(page: str, lines: list[str]) -> Iterator[Command]:
    starts = [number for number, line in enumerate(lines) if line.startswith("$ ")]
    for start, end in zip(starts, [*starts[1:], len(lines)], strict=True):
        yield Command(page, lines[start].removeprefix("$ "), tuple(lines[start + 1 : end]))


def fits(shown: Iterable[str], real: str) -> bool:
    """Whether what was printed is what a page shows, where a line `…` stands for any lines and ids of runs may differ."""
    pattern = "".join(r"(?:.*\n)*?" if line == "…" else re.escape(line) + r"\n" for line in _kept(shown))
    return re.fullmatch(pattern, "".join(f"{line}\n" for line in _kept(real.splitlines()))) is not None


def _kept(lines: Iterable[str]) -> list[str]:
    return [_CHANGING.sub("~", line).rstrip() for line in lines if line.strip()]
