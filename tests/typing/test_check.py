"""What the type checkers are given, and what is made of their words. `.ci/run types` starts them, each once."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.append(str(Path(__file__).parent))

import check

PAGE = """# Title

```python
import zom
spec: int = 1
```

<!-- wrong on purpose -->
```python
spec = "a"
```

<!-- examples/plugins/src/zom_acme/rot.py -->
```python
left = "out"
```

```py
not_run()
```

```python
print(spec)
```
"""


@pytest.fixture
def page(tmp_path):
    path = tmp_path / "page.md"
    path.write_text(PAGE, encoding="utf-8")
    return path


def test_the_blocks_of_a_page_are_one_module_whose_lines_are_those_of_the_page(page):
    lines = check.module_of(page).splitlines()
    assert lines[0].startswith("# mypy: ")
    written = {number: line for number, line in enumerate(lines[1:], 2) if line}
    assert written == {
        4: "import zom",
        5: "spec: int = 1",
        15: "from zom_acme.rot import *",
        23: "print(spec)",
    }


def test_every_page_with_python_is_a_module(tmp_path):
    check.assemble(tmp_path / "pages")
    made = {path.stem for path in (tmp_path / "pages").glob("page_*.py")}
    assert {"page_README", "page_quickstart", "page_modelling", "page_extending_codecs"} <= made
    assert len(made) == sum("```python" in page.read_text(encoding="utf-8") for page in check.PAGES)


def test_all_examples_are_checked():
    names = {Path(path).name for path in check.checked()}
    assert {path.name for path in (check.ROOT / "examples").glob("*.py")} | {
        "zom_acme",
        "users_file.py",
        "wrong_uses.py",
    } == names


@pytest.mark.parametrize("line", ["{0}:{1}: error: Wrong  [arg-type]", "  {0}:{1}:28 - error: Wrong"])
def test_an_error_counts_unless_it_has_to_be_there(line):
    (name, number), *rest = sorted(check.refused())
    assert len(rest) > 50
    others = "\n".join(line.format(f"examples/{name}", number) for name, number in rest)
    wanted = f"{others}\n{line.format(f'examples/{name}', number)}"
    assert check.problems(wanted) == ()
    other = line.format("a/b.py", 3)
    assert check.problems(f"{wanted}\n{other}\nFound 2 errors") == (other,)
    assert check.problems(others) == (f"{name}:{number}: expected an error, found none",)


def test_a_checker_that_does_not_run_fails(monkeypatch, capsys):
    def broken(_folder):
        return check.subprocess.CompletedProcess([], 2, stdout="", stderr="no such option")

    monkeypatch.setattr(check, "run_mypy", broken)
    assert check.main(["mypy"]) == 1
    assert "no such option" in capsys.readouterr().out
