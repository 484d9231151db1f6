"""Huge pages of each node, set aside by a program, where no systemd does it at boot."""

from __future__ import annotations

from collections.abc import Iterator

from plimsoll.placement.slices.layout import Layout
from plimsoll.placement.slices.outputs._output import Output, OutputFile
from plimsoll.placement.slices.outputs._shell import RAISE, head, raised


def _files(layout: Layout) -> Iterator[OutputFile]:
    if layout.pages:
        about = "Sets huge pages aside on each node. Run it early after a boot, as memory is in pieces later."
        text = "\n".join([head(about, RAISE).rstrip("\n"), *map(raised, layout.pages)])
        yield OutputFile("set.sh", f"{text}\n", "sets huge pages aside on each node", is_program=True)


OUTPUT = Output(help="Huge pages of each node, set aside by a program for sh.", files=_files)
