"""The code of the guide's page, and what it prints."""

import contextlib
import io
import os
import re
from pathlib import Path

import pytest

PAGE = Path(__file__).parents[2] / "docs" / "guide" / "python.md"
BLOCK = re.compile(r"```python\n(.*?)```\n\n```text\n(.*?)```", re.S)


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_the_page_prints_what_it_shows(tmp_path, monkeypatch):
    """Run the blocks one after the other; with KERF_UPDATE the page gets what they print."""
    monkeypatch.chdir(tmp_path)
    text, scope = PAGE.read_text(encoding="utf-8"), {}
    assert text.count("```python") == len(BLOCK.findall(text)) > 3
    faults = []

    def shown(match):
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            exec(compile(match[1], str(PAGE), "exec"), scope)  # noqa: S102
        if out.getvalue() != match[2]:
            faults.append((match[2], out.getvalue()))
        return f"```python\n{match[1]}```\n\n```text\n{out.getvalue()}```"

    text = BLOCK.sub(shown, text)
    if os.environ.get("KERF_UPDATE"):
        PAGE.write_text(text, encoding="utf-8")
    else:
        assert not faults
