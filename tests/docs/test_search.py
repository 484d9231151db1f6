"""The manual's search answers where pages are opened from disk: a browser starts no worker and reads no index there by itself."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from documents import ROOT

playwright_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
pytest.importorskip("mkdocs", reason="mkdocs is not installed")
BROWSER = next((path for name in ("chromium", "chromium-browser") if (path := shutil.which(name))), None)


@pytest.mark.skipif(BROWSER is None, reason="chromium is not installed (scripts/system-packages.sh)")
def test_a_word_is_found_without_a_server(tmp_path: Path) -> None:
    """On two pages with the manual's own configuration, which build in a second."""
    site = _built(tmp_path)
    with playwright_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=BROWSER, args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 1300, "height": 900}, offline=True)
        failed: list[str] = []
        page.on("requestfailed", lambda request: failed.append(request.url))
        page.goto((site / "deep" / "page.html").as_uri(), timeout=20_000)
        page.locator(".md-search__input").click(timeout=20_000)
        page.keyboard.type("headroom")
        found = page.locator(".md-search-result__link").first.get_attribute("href", timeout=20_000)
        browser.close()
    assert found is not None
    assert found.startswith((site / "index.html").as_uri())
    assert failed == []


def _built(folder: Path) -> Path:
    (folder / "docs" / "deep").mkdir(parents=True)
    (folder / "docs" / "index.md").write_text("# First\n\nHere the headroom is told.\n", encoding="utf-8")
    (folder / "docs" / "deep" / "page.md").write_text("# Second\n\nNothing.\n", encoding="utf-8")
    shutil.copytree(ROOT / "docs" / "scripts", folder / "docs" / "scripts")
    config = (
        f"INHERIT: {ROOT / 'mkdocs.yml'}\ndocs_dir: docs\nsite_dir: site\nnav: [index.md, deep/page.md]\n"
    )
    (folder / "mkdocs.yml").write_text(config, encoding="utf-8")
    subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet"],
        cwd=folder, check=True, timeout=120, env={**os.environ, "NO_MKDOCS_2_WARNING": "1"},
    )  # fmt: skip
    return folder / "site"
