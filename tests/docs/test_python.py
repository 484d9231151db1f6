"""The Python of the manual and of examples/ runs, and prints what is shown."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from documents import ROOT, pages

sys.path.insert(0, str(ROOT / "scripts"))

import notebooks

_BLOCK = re.compile(
    r"^```python\n(?P<code>.*?)^```$(?:\n\n^```text\n(?P<shown>.*?)^```$)?", re.MULTILINE | re.DOTALL
)
EXAMPLES = sorted((ROOT / "examples").glob("*.py"))
PYTHON = ROOT / "docs" / "python.md"
NOTEBOOKS = sorted(notebooks.FOLDER.glob("*.ipynb"))


def test_the_blocks_of_the_page_run_in_order_and_print_what_is_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    blocks = list(_BLOCK.finditer(PYTHON.read_text(encoding="utf-8")))
    assert len(blocks) > 8
    for block in blocks:
        exec(compile(block["code"], str(PYTHON), "exec"), names)  # noqa: S102 - that is what the page is for
        said = capsys.readouterr()
        assert said.out == (block["shown"] or ""), block["code"]
        assert said.err == ""


def test_no_other_page_shows_python_that_nobody_runs() -> None:
    shown = {page.name for page in pages() if _BLOCK.search(page.read_text(encoding="utf-8"))}
    assert shown - {"data-path.md"} == {"python.md"}


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.name)
def test_an_example_runs(example: Path, tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, str(example)], cwd=tmp_path, capture_output=True, text=True, timeout=100, check=False
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    assert done.stdout
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda path: path.name)
def test_the_cells_of_a_notebook_run_and_its_outputs_are_there(
    notebook: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    content = json.loads(notebook.read_text(encoding="utf-8"))
    code = [cell for cell in content["cells"] if cell["cell_type"] == "code"]
    found = list(notebooks.outputs(content))
    kinds = [[one["output_type"] for one in cell["outputs"]] for cell in code]
    assert kinds == [[one["output_type"] for one in given] for given in found], "run scripts/notebooks.py"
    assert any("text/html" in one.get("data", ()) for given in found for one in given)
    assert f"notebooks/{notebook.name}" in PYTHON.read_text(encoding="utf-8")


def test_every_example_is_in_the_manual() -> None:
    text = PYTHON.read_text(encoding="utf-8")
    assert EXAMPLES
    assert [path.name for path in EXAMPLES if f"`examples/{path.name}`" not in text] == []
