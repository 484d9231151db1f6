"""Runs the notebooks of the manual (docs/notebooks) in plain Python processes, and writes down what their cells gave.

`python scripts/notebooks.py` runs them all; no Jupyter is needed for it. A cell's last expression shows itself as a notebook
would: by `_repr_html_` where it has that, and by `repr`.
"""

from __future__ import annotations

import ast
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "docs" / "notebooks"
_TIMEOUT_S = 120


def main(words: list[str]) -> int:
    """Without words each notebook in a process of its own; with one the outputs of that notebook to standard output."""
    if words:
        found = list(outputs(json.loads(Path(words[0]).read_text(encoding="utf-8"))))
        print(json.dumps(found))
        return 0
    for path in sorted(FOLDER.glob("*.ipynb")):
        path.write_text(executed(path), encoding="utf-8")
        print(path.relative_to(ROOT))
    return 0


def executed(path: Path) -> str:
    """The notebook with new outputs. Raises where a cell fails or it takes too long."""
    here = {**os.environ, "PYTHONPATH": str(ROOT / "python")}
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run(
            [sys.executable, __file__, str(path)],
            cwd=folder, env=here, capture_output=True, text=True, timeout=_TIMEOUT_S, check=False,
        )  # fmt: skip
    if done.returncode != 0:
        raise SystemExit(f"{path.name}: {done.stderr}")
    notebook = json.loads(path.read_text(encoding="utf-8"))
    code = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    for number, (cell, given) in enumerate(zip(code, json.loads(done.stdout), strict=True), start=1):
        cell["execution_count"] = number
        cell["outputs"] = [_numbered(one, number) for one in given]
    return json.dumps(notebook, indent=1, ensure_ascii=False) + "\n"


def outputs(notebook: dict[str, Any]) -> Iterator[list[dict[str, Any]]]:
    """What each code cell gives, run one after the other in one namespace."""
    names: dict[str, Any] = {}
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":
            yield list(_run("".join(cell["source"]), names))


def _run(source: str, names: dict[str, Any]) -> Iterator[dict[str, Any]]:
    tree = ast.parse(source)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    said, value = StringIO(), None
    with redirect_stdout(said):
        exec(compile(tree, "<cell>", "exec"), names)  # noqa: S102 - the code is ours
        if isinstance(last, ast.Expr):
            value = eval(compile(ast.Expression(last.value), "<cell>", "eval"), names)  # noqa: S307
    if said.getvalue():
        yield {"output_type": "stream", "name": "stdout", "text": _lines(said.getvalue())}
    if value is not None:
        yield {"output_type": "execute_result", "metadata": {}, "data": _shown(value)}


def _shown(value: Any) -> dict[str, list[str]]:
    html = getattr(value, "_repr_html_", None)
    as_html = {} if html is None else {"text/html": _lines(html())}
    return {"text/plain": _lines(repr(value)), **as_html}


def _numbered(output: dict[str, Any], number: int) -> dict[str, Any]:
    return {**output, "execution_count": number} if output["output_type"] == "execute_result" else output


def _lines(text: str) -> list[str]:
    return text.splitlines(keepends=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
