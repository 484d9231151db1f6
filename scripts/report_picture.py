"""Takes the picture of a report that the README shows: `report_picture.py REPORT.html OUT.png`.

From the top of the page to the foot of the load line, as a reader with a wide window and a fine screen sees it. Wants
Chromium (Debian's package chromium) and Playwright, which brings no browser of its own here.
"""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

WIDTH_PX, MARGIN_PX = 900, 28
BROWSERS = ("chromium", "chromium-browser", "google-chrome")


def main(arguments: list[str]) -> int:
    """0 when the picture was written; 2 when called wrongly; 1 without a browser."""
    if len(arguments) != 2:
        print("usage: report_picture.py REPORT.html OUT.png", file=sys.stderr)
        return 2
    browser = next((path for name in BROWSERS if (path := shutil.which(name))), None)
    if browser is None:
        print(f"no browser found: looked for {', '.join(BROWSERS)}", file=sys.stderr)
        return 1
    take(Path(arguments[0]), Path(arguments[1]), browser)
    return 0


def take(report: Path, out: Path, browser_path: str) -> None:
    """Opens the report without a network and writes the picture."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=browser_path, args=["--no-sandbox"])
        view = {"width": WIDTH_PX, "height": 1200}
        page = browser.new_page(viewport=view, device_scale_factor=2, color_scheme="light", offline=True)  # type: ignore[arg-type]
        page.goto(report.resolve().as_uri())
        clip = {"x": 0, "y": 0, "width": WIDTH_PX, "height": foot(page)}
        page.screenshot(path=out, full_page=True, clip=clip)  # type: ignore[arg-type]
        browser.close()


def foot(page: Page) -> float:
    """Where to cut: below the first picture of the page, else below the verdict."""
    target = (
        page.locator("figure .chart").first if page.locator("figure").count() else page.locator("#verdict")
    )
    box = target.bounding_box()
    return MARGIN_PX + (box["y"] + box["height"] if box else 1200)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
