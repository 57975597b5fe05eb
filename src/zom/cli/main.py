"""The command `zom`: its verbs, and how it ends.

Data goes to standard output, messages to standard error. An error is one line that says what to do
next, never a traceback. Exit codes: see `zom.cli.outcome`.
"""

from __future__ import annotations

import argparse
import os
import sys
from typing import TYPE_CHECKING, Any, NoReturn

from zom import __version__
from zom.cli import convert, demo, diff, explain, rules, schema, tree, validate
from zom.cli.outcome import INTERNAL, USAGE, CommandError

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["main"]

_VERBS: dict[str, Any] = {
    "demo": demo,
    "validate": validate,
    "tree": tree,
    "diff": diff,
    "convert": convert,
    "explain": explain,
    "rules": rules,
    "schema": schema,
}

_EPILOG = """\
exit codes: 0 nothing is wrong, 1 problems or a difference, 2 wrong usage, 3 a file can't be read or
written, 4 a fault of zom itself

FILE is a hierarchy as one document, a zarr.json, .zarray, .zgroup, .zattrs or .zmetadata, or - for
standard input"""


class _Parser(argparse.ArgumentParser):
    """A parser whose errors are one line."""

    def error(self, message: str) -> NoReturn:
        print(f"{self.prog}: {message}; see {self.prog} --help", file=sys.stderr)
        sys.exit(USAGE)


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(
        prog="zom",
        description="Zarr hierarchies as documents: check them, show them, compare them.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"zom {__version__}")
    verbs = parser.add_subparsers(
        title="verbs", metavar="VERB", dest="verb", required=True, parser_class=_Parser
    )
    for name, verb in _VERBS.items():
        about = verb.__doc__.splitlines()[0].partition(": ")[2].removesuffix(".")
        inner = verbs.add_parser(name, help=about, description=f"{about[0].upper()}{about[1:]}.")
        verb.declare(inner)
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """The exit code of `zom` called with `arguments`; those of the process, where None are given.

    >>> main(["explain", "json/duplicate-key"])  # doctest: +ELLIPSIS
    json/duplicate-key
    ...
    0
    """
    for stream in (sys.stdout, sys.stderr):
        # A terminal without the characters of a tree shows their codes: better than no tree.
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="backslashreplace")
    try:
        found = _parser().parse_args(arguments)
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else USAGE
    try:
        code: int = _VERBS[found.verb].run(found)
        sys.stdout.flush()
    except CommandError as error:
        print(f"zom {found.verb}: {error}", file=sys.stderr)
        return error.code
    except BrokenPipeError:
        # Who reads has read enough; the interpreter must not complain when it flushes.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 141
    except KeyboardInterrupt:
        return 130
    except Exception as cause:
        if os.environ.get("ZOM_TRACEBACK"):
            raise
        text = " ".join(f"{type(cause).__name__}: {cause}".split())[:300]
        print(
            f"zom: internal error: {text}; set ZOM_TRACEBACK=1 to see where, and report it", file=sys.stderr
        )
        return INTERNAL
    return code
