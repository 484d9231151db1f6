"""Pages for man: one for each verb, whole, and without anything that groff warns of."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from plimsoll.cli import main, manual, verbs


def test_every_verb_has_a_page_with_all_its_words() -> None:
    pages = manual.pages()
    assert {name.removesuffix(".1").replace("-", " ") for name in pages} == {
        verb.name.replace("-", " ") for verb in verbs.every()
    }
    for verb in verbs.single():
        text = pages[f"{verb.name.replace(' ', '-')}.1"].replace("\\-", "-").replace("\\fB", " ")
        for field in verb.fields:
            assert field.asked.stands_first or re.search(rf"(?<![\w-]){field.asked.option}(?![\w-])", text)
        for _, words in verb.request.examples:
            assert words.replace("'", "\\(aq") in text


@pytest.mark.skipif(shutil.which("groff") is None, reason="groff is not here")
def test_groff_has_nothing_to_say() -> None:
    text = "".join(manual.pages().values())
    done = subprocess.run(
        ["groff", "-man", "-Tutf8", "-Kutf8", "-ww", "-z"],
        input=text, capture_output=True, text=True, timeout=20, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")


def test_pages_are_written_and_replace_only_ours(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "man" / "man1"
    assert main.run(["help", "--man", str(folder), "--json"]) == 0
    written = json.loads(capsys.readouterr().out)["data"]["files"]
    assert sorted(written) == sorted(str(folder / name) for name in manual.pages())
    assert main.run(["help", "--man", str(folder)]) == 0
    (folder / "plimsoll.1").write_text("of somebody else")
    assert main.run(["help", "--man", str(folder)]) == 4
    assert "plimsoll.1" in capsys.readouterr().err
    assert (folder / "plimsoll.1").read_text() == "of somebody else"


def test_a_verb_beside_man_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main.run(["help", "io", "--man", "/nowhere"]) == 2
    assert "would have no effect with --man" in capsys.readouterr().err
