"""`python fuzz/seeds.py FOLDER`: inputs to begin with for each fuzz target, made by the report generator: whole reports in every
layout and with every damage, and the sections of some alone, so that small inputs hold much. Named by their content.
"""

from __future__ import annotations

import argparse
import hashlib
import re
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests"))

from reportgen.invent import Scale, invent
from reportgen.layout import Damage, Form, Layout, fits, plain_layouts
from reportgen.report import render

_SEED = 29
_SECTION = {Form.TEXT: re.compile(rb"\n(?=[^\n]+DB/Inst: )"), Form.HTML: re.compile(rb"(?=<h3)")}
_KIND = {
    Form.TEXT: b"WORKLOAD REPOSITORY report for\n",
    Form.HTML: b"<h1>WORKLOAD REPOSITORY report for</h1>",
}
_WORD = re.compile(rb"[-+.\d][^\s<>]*")


def main() -> None:
    """Writes the folder: text/, html/ and value/."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    asked = parser.parse_args()
    for form in Form:
        _write(asked.folder / form.value, _reports(form))
    _write(asked.folder / "value", _words())


def _write(folder: Path, inputs: Iterator[bytes]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for seed in inputs:
        (folder / hashlib.sha256(seed).hexdigest()[:16]).write_bytes(seed)


def _reports(form: Form) -> Iterator[bytes]:
    facts = invent(_SEED, Scale(rows=1))
    layouts = [layout for layout in plain_layouts() if layout.form is form]
    for layout in layouts:
        yield render(facts, layout)
    for damage in filter(lambda damage: fits(damage, form), Damage):
        for layout in layouts[:: max(1, len(layouts) // 3)]:
            yield render(facts, replace(layout, page_length=21, damage=frozenset({damage})))
    for layout in layouts[::3]:
        for section in _SECTION[form].split(render(facts, layout)):
            yield _KIND[form] + section


def _words() -> Iterator[bytes]:
    facts = invent(_SEED, Scale(rows=2))
    for comma in (False, True):
        yield from _WORD.findall(render(facts, Layout("19", comma=comma)))


if __name__ == "__main__":
    main()
