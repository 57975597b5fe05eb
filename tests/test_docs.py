"""Everything that README and docs show runs, and what is generated is up to date."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
BLOCK = re.compile(r"^```python\n(.*?)^```", re.DOTALL | re.MULTILINE)

# One process for a page: what a page registers stays there. Blank lines before a block make the line
# numbers of a traceback those of the page.
RUNNER = """
import pathlib, re, sys
page = pathlib.Path(sys.argv[1]).read_text(encoding="utf-8")
for block in re.finditer(sys.argv[2], page, re.DOTALL | re.MULTILINE):
    lines = page[: block.start(1)].count("\\n")
    exec(compile("\\n" * lines + block[1], sys.argv[1], "exec"), globals())
"""


def run(page, directory):
    command = [sys.executable, "-W", "error", "-c", RUNNER, str(page), BLOCK.pattern]
    return subprocess.run(
        command, cwd=directory, capture_output=True, text=True, check=False, encoding="utf-8"
    )


@pytest.mark.slow
@pytest.mark.parametrize(
    "page", [p for p in PAGES if "```python" in p.read_text(encoding="utf-8")], ids=lambda p: p.name
)
def test_the_python_of_a_page_runs(page, tmp_path):
    done = run(page, tmp_path)
    assert done.returncode == 0, done.stderr


def test_a_page_that_is_wrong_fails_at_its_own_line(tmp_path):
    page = tmp_path / "page.md"
    page.write_text("text\n\n```python\nx = 1\n```\n\n```python\nassert x == 2\n```\n")
    done = run(page, tmp_path)
    assert done.returncode == 1
    assert 'page.md", line 8' in done.stderr


QUOTED = re.compile(r"^<!-- (examples/\S+) -->\n```\w+\n(.*?)^```", re.DOTALL | re.MULTILINE)


def test_files_of_examples_are_quoted_as_they_are():
    quoted = [match for page in PAGES for match in QUOTED.finditer(page.read_text(encoding="utf-8"))]
    assert {match[1]: match[2] for match in quoted} == {
        match[1]: (ROOT / match[1]).read_text(encoding="utf-8") for match in quoted
    }
    package = ROOT / "examples" / "plugins"
    files = [package / "pyproject.toml", *(package / "src" / "zom_acme").glob("*.py")]
    shown = {ROOT / match[1] for match in quoted}
    assert {*files} - shown == {package / "src" / "zom_acme" / "__init__.py"}


@pytest.mark.parametrize("page", PAGES, ids=lambda p: p.name)
def test_links_between_pages_lead_somewhere(page):
    prose = re.sub(r"`[^`\n]*`", "", page.read_text(encoding="utf-8"))  # x[a](b) is no link
    links = re.findall(r"\]\((?!https?:)([^)#]+)", prose)
    assert [link for link in links if not (page.parent / link).exists()] == []


def test_the_generated_pages_are_up_to_date():
    command = [sys.executable, str(ROOT / "docs" / "generate.py"), "--check"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.slow
def test_the_readme_shows_what_the_demonstration_shows(tmp_path):
    demo = [sys.executable, "-m", "zom", "demo"]
    subprocess.run(demo, cwd=tmp_path, capture_output=True, check=True)
    tree = [sys.executable, "-m", "zom", "tree", "zom-demo/climate.zarr"]
    done = subprocess.run(tree, cwd=tmp_path, capture_output=True, check=True, text=True, encoding="utf-8")
    assert f"$ zom tree zom-demo/climate.zarr\n{done.stdout}```" in (ROOT / "README.md").read_text(
        encoding="utf-8"
    )
