import contextlib
import io
import re
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_the_page_on_templates_prints_what_it_shows():
    text = (ROOT / "docs" / "templates.md").read_text()
    blocks = re.findall(r"^```(python)?\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)
    names, printed = {"__name__": "templates"}, ""
    shown = 0
    for language, block in blocks:
        if language:
            out = io.StringIO()
            with contextlib.redirect_stdout(out):
                exec(compile(block, "docs/templates.md", "exec"), names)
            printed = out.getvalue()
        else:
            assert printed == block
            shown += 1
    assert shown > 5
