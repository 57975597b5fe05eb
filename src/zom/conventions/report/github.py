"""Reports as GitHub workflow commands, which its runners turn into annotations of lines.

https://docs.github.com/en/actions/reference/workflows-and-actions/workflow-commands Characters that a message
or property can't hold are escaped as in GitHub's own toolkit:
https://github.com/actions/toolkit/blob/main/packages/core/src/command.ts
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from zom.problems import one_line

if TYPE_CHECKING:
    from collections.abc import Sequence

    from zom.conventions.report import Report
    from zom.problems import Problem

__all__ = ["github_of"]

_COMMANDS: Final = {"error": "error", "warning": "warning", "note": "notice"}


def github_of(reports: Sequence[Report]) -> str:
    """A command for each finding, one per line."""
    return "".join(
        f"{_command(problem, report.file(problem))}\n" for report in reports for problem in report.problems
    )


def _command(problem: Problem, file: str) -> str:
    properties = {"file": file, "line": problem.line or 1, "col": problem.column, "title": problem.code}
    said = ",".join(f"{name}={_property(value)}" for name, value in properties.items() if value is not None)
    message = str(replace(problem, line=None, column=None))
    return f"::{_COMMANDS[problem.severity]} {said}::{_escaped(message)}"


def _property(value: object) -> str:
    return _escaped(one_line(str(value))).replace(":", "%3A").replace(",", "%2C")


def _escaped(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
