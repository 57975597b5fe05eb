"""The command `zom`: its verbs, and how it ends.

Data goes to standard output, messages to standard error. An error is one line that says what to do
next, never a traceback. Exit codes: see `zom.cli.outcome`.
"""

from __future__ import annotations

import argparse
import os
import sys
import warnings
from typing import TYPE_CHECKING, Any, NoReturn, TextIO

from zom import __version__
from zom.cli import (
    consolidate,
    convert,
    copy,
    create,
    declare,
    delete,
    demo,
    diff,
    dingus,
    explain,
    info,
    migrate,
    plan,
    pyramid,
    read,
    rename,
    repair,
    resize,
    rules,
    schema,
    tree,
    validate,
)
from zom.cli.outcome import INTERNAL, USAGE, CommandError, command_error, note_verb
from zom.errors import PluginWarning, SpecWarning, ZomError

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["main"]

_VERBS: dict[str, Any] = {
    "demo": demo,
    "tree": tree,
    "info": info,
    "read": read,
    "validate": validate,
    "diff": diff,
    "declare": declare,
    "plan": plan,
    "create": create,
    "copy": copy,
    "convert": convert,
    "migrate": migrate,
    "pyramid": pyramid,
    "consolidate": consolidate,
    "delete": delete,
    "rename": rename,
    "resize": resize,
    "repair": repair,
    "schema": schema,
    "explain": explain,
    "rules": rules,
    "dingus": dingus,
}

_OTHER_NAMES = {"check": "validate"}
"""Names of verbs, for those who look for another word."""

_EPILOG = """\
PLACE is a document or a store:
  FILE        a hierarchy as one document, or a document of a store: zarr.json, .zarray, .zgroup, ...
  -           such a document on standard input
  DIRECTORY   a store; so is a zip or SQLite file, or one of kerchunk references
  URL         a store: https://, s3://, gs://, az://, file://
  STORE::a/b  the node at /a/b in a store

what is written to a directory may be lost in a power cut until the system has written it: run sync

exit codes: 0 nothing is wrong, 1 problems or a difference, 2 wrong usage, 3 something can't be read or
written, 4 a fault of zom itself"""


class _Formatter(argparse.RawDescriptionHelpFormatter):
    """The epilog as it is written, and room for the longest verb before what it does."""

    def __init__(self, prog: str) -> None:
        super().__init__(prog, max_help_position=17)
        self._action_max_length = 15  # argparse forgets that verbs are indented twice


class _Parser(argparse.ArgumentParser):
    """A parser whose errors are one line."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **{**options, "allow_abbrev": False})
        about = "show the traceback of what goes wrong"
        self.add_argument("--debug", action="store_true", default=argparse.SUPPRESS, help=about)

    def error(self, message: str) -> NoReturn:
        print(f"{self.prog}: {message}; see {self.prog} --help", file=sys.stderr)
        sys.exit(USAGE)


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(
        prog="zom",
        description="Zarr hierarchies, as documents and in stores: made, shown, checked, compared, moved.",
        epilog=_EPILOG,
        formatter_class=_Formatter,
    )
    parser.add_argument("--version", action="version", version=f"zom {__version__}")
    verbs = parser.add_subparsers(
        title="verbs", metavar="VERB", dest="verb", required=True, parser_class=_Parser
    )
    for name, verb in _VERBS.items():
        about = verb.__doc__.splitlines()[0].partition(": ")[2].removesuffix(".")
        others = [other for other, verb_name in _OTHER_NAMES.items() if verb_name == name]
        inner = verbs.add_parser(
            name, help=about, description=f"{about[0].upper()}{about[1:]}.", aliases=others
        )
        inner.set_defaults(verb=name)
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
        with warnings.catch_warnings():
            # What can be read is read: telling what is wrong with it is the business of `zom validate`.
            warnings.simplefilter("ignore", SpecWarning)
            warnings.showwarning = _show_warning
            return _run(sys.argv[1:] if arguments is None else arguments)
    except BrokenPipeError:
        # Who reads has read enough; the interpreter must not complain when it flushes.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 141
    except KeyboardInterrupt:
        return 130


def _show_warning(  # noqa: PLR0913, PLR0917 - as `warnings.showwarning` is called
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    file: TextIO | None = None,
    line: str | None = None,
) -> None:
    """A plugin that can't be loaded in one line; all else as Python shows it."""
    if issubclass(category, PluginWarning):
        print(f"zom: warning: {message}", file=sys.stderr)
    else:
        print(
            warnings.formatwarning(message, category, filename, lineno, line), end="", file=file or sys.stderr
        )


def _run(arguments: Sequence[str]) -> int:
    verb = next((each for each in arguments if not each.startswith("-")), "")
    try:
        found = _parsed(verb, arguments)
        note_verb(found.verb)
        code: int = _VERBS[found.verb].run(found)
        sys.stdout.flush()
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else USAGE
    except CommandError as error:
        return _told(verb, error, arguments)
    except ZomError as error:
        return _told(verb, command_error(error), arguments)
    except BrokenPipeError:
        raise
    except Exception as cause:  # noqa: BLE001 - a fault of zom is one line, too
        if "--debug" in arguments:
            _print_traceback(cause)
        text = " ".join(f"{type(cause).__name__}: {cause}".split())[:300]
        hint = "please report it, with what the same command says with --debug"
        print(f"zom: internal error: {text}; {hint}", file=sys.stderr)
        return INTERNAL
    return code


def _parsed(verb: str, arguments: Sequence[str]) -> argparse.Namespace:
    if verb and verb not in _VERBS and verb not in _OTHER_NAMES:
        raise CommandError(_unknown(verb), USAGE)
    return _parser().parse_args(arguments)


def _told(verb: str, error: CommandError, arguments: Sequence[str]) -> int:
    if "--debug" in arguments:
        _print_traceback(error.__cause__ or error)
    print(f"zom {verb}: {error}" if verb in _VERBS else f"zom: {error}", file=sys.stderr)
    return error.code


def _print_traceback(error: BaseException) -> None:
    import traceback  # noqa: PLC0415 - where it was asked for

    traceback.print_exception(error)


def _unknown(verb: str) -> str:
    from difflib import get_close_matches  # noqa: PLC0415 - where there is a mistake

    near = get_close_matches(verb, _VERBS, 1)
    hint = f"did you mean {near[0]!r}?" if near else "zom --help lists all of them"
    return f"no verb is called {verb!r}; {hint}"
