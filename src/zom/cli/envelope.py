"""The envelope: with `--format json`, every verb prints one object of the same form.

    {"envelope": 1, "zom": "0.1.0", "verb": "tree", "exit_code": 0, "result": ..., "error": null}

`result` is the JSON that the verb prints, or `{"lines": [...]}` if it prints text. `error` is the line that a
failed verb prints to standard error. The number changes when a program that reads it would have to.
"""

from __future__ import annotations

from contextlib import redirect_stdout
from io import StringIO
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable

__all__ = ["ENVELOPE", "has_envelope", "in_envelope"]

ENVELOPE: Final = 1
"""The version of the envelope."""

_OWN = frozenset({"declare", "completion"})
"""Verbs whose `--format` is the format of a file."""


def has_envelope(arguments: argparse.Namespace) -> bool:
    """Whether the verb's output is wrapped in an envelope."""
    return getattr(arguments, "format", None) == "json" and arguments.verb not in _OWN


def in_envelope(arguments: argparse.Namespace, run: Callable[[argparse.Namespace], int]) -> int:
    """Run a verb, and write its output in an envelope to standard output or to the named file.

    Errors of the verb are raised again after their envelope is written.
    """
    from zom.cli.file import write_text  # noqa: PLC0415 - text needs none of it
    from zom.cli.outcome import CommandError, command_error  # noqa: PLC0415 - as above
    from zom.errors import ZomError  # noqa: PLC0415 - as above

    target: str | None = getattr(arguments, "output", None)
    arguments.output = None
    printed = StringIO()
    try:
        with redirect_stdout(printed):
            code = run(arguments)
    except (CommandError, ZomError) as error:
        told = error if isinstance(error, CommandError) else command_error(error)
        write_text(target, _envelope(arguments.verb, told.code, "null", str(told)))
        raise
    write_text(target, _envelope(arguments.verb, code, _result(printed.getvalue()), None))
    return code


def _result(printed: str) -> str:
    """The printed text, as JSON."""
    from json import loads  # noqa: PLC0415 - as above

    from zom.json.write import facts_json  # noqa: PLC0415 - as above

    text = printed.strip()
    try:
        loads(text)
    except (ValueError, RecursionError):
        return facts_json({"lines": text.splitlines()}, indent=2)
    return text


def _envelope(verb: str, code: int, result: str, error: str | None) -> str:
    from zom import __version__  # noqa: PLC0415 - as above
    from zom.json.write import facts_json  # noqa: PLC0415 - as above

    indented = result.replace("\n", "\n  ")  # JSON strings have no line ends
    facts = {"envelope": ENVELOPE, "zom": __version__, "verb": verb, "exit_code": code, "error": error}
    head = facts_json(facts, indent=2).removesuffix("\n}")
    return f'{head},\n  "result": {indented}\n}}\n'
