"""Draws what a command printed on a terminal as a picture of the manual (docs/pictures/NAME.svg), with its words as text.

`script -qec "stty cols 120; plimsoll watch --runtime 10s" seen` on a host at work; then
`python scripts/terminal_picture.py seen watch "plimsoll watch --runtime 10s"`. Lines behind the result, such as the run's name, are
left out, and `--until WORDS` ends the picture before the line that begins so.
"""

from __future__ import annotations

import argparse
import io
import re
from pathlib import Path

from rich._export_format import CONSOLE_SVG_FORMAT
from rich.console import Console
from rich.terminal_theme import DEFAULT_TERMINAL_THEME
from rich.text import Text

FOLDER = Path(__file__).resolve().parent.parent / "docs" / "pictures"
COLUMNS = 120
_FONTS = re.compile(r"@font-face \{\{.*?\}\}\s*", re.DOTALL)
"""The manual is read without a network, where no font can be fetched."""
_NOT_OF_THE_RESULT = ("Script ", "run ")


def main() -> int:
    """Writes the picture, and names it."""
    words = argparse.ArgumentParser(description=__doc__)
    words.add_argument("typescript", type=Path)
    words.add_argument("name")
    words.add_argument("command")
    words.add_argument("--until", default=None)
    asked = words.parse_args()
    path = FOLDER / f"{asked.name}.svg"
    path.write_text(drawn(shown(asked.typescript.read_text(), asked.until), asked.command, asked.name))
    print(path)
    return 0


def shown(typescript: str, until: str | None) -> list[Text]:
    """Its lines, as far as they are shown."""
    lines = [Text.from_ansi(line) for line in typescript.splitlines()]
    plain = [line.plain for line in lines]
    end = next((at for at, line in enumerate(plain) if until is not None and line.startswith(until)), None)
    told = zip(lines[:end], plain[:end], strict=True)
    return [line for line, words in told if words and not words.startswith(_NOT_OF_THE_RESULT)]


def drawn(lines: list[Text], command: str, name: str) -> str:
    """As SVG, the command above."""
    console = Console(width=COLUMNS, record=True, file=io.StringIO(), force_terminal=True)
    console.print(Text(f"# {command}", "bold"))
    for line in lines:
        console.print(line)
    form = _FONTS.sub("", CONSOLE_SVG_FORMAT)
    return console.export_svg(
        title="", theme=DEFAULT_TERMINAL_THEME, code_format=form, unique_id=f"terminal-{name}"
    )


if __name__ == "__main__":
    raise SystemExit(main())
