"""Links between documents lead somewhere: to a file that is there, and to a heading in it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from documents import ROOT, pages

DOCUMENTS = [*pages(), *sorted((ROOT / "docs" / "reference").glob("*.md"))]
_LINK = re.compile(r"!?\[[^\]]*\]\(([^)\s]+)\)")
_SOURCE = re.compile(r"`([\w.]+(?:/[\w.]+)+\.(?:py|rs|pyi|sh))`")


@pytest.mark.parametrize("page", DOCUMENTS, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_links_resolve(page: Path) -> None:
    for link in _LINK.findall(page.read_text(encoding="utf-8")):
        if "://" in link:
            continue
        place, _, heading = link.partition("#")
        path = (page.parent / place).resolve() if place else page
        assert path.exists(), f"{link} leads nowhere"
        assert not heading or heading in _headings(path), f"{link} names no heading of {path.name}"


def _headings(path: Path) -> set[str]:
    lines = re.findall(r"^#+ (.+)$", path.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"\s+", "-", re.sub(r"[^\w\s-]", "", line.lower()).strip()) for line in lines}


def test_every_page_is_in_the_manuals_contents() -> None:
    contents = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    for path in (ROOT / "docs").rglob("*.md"):
        assert path.relative_to(ROOT / "docs").as_posix() in contents, f"{path.name} is not in mkdocs.yml"


def test_source_files_that_pages_name_exist() -> None:
    roots = [ROOT, ROOT / "python" / "plimsoll", ROOT / "crates", ROOT / "crates" / "engine" / "src"]
    for page in pages():
        for name in _SOURCE.findall(page.read_text(encoding="utf-8")):
            inside = "NAME" in name or any((root / name).exists() for root in roots)
            assert inside, f"{page.name} names {name}, which is not there"
