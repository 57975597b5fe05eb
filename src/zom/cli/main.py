"""The command `zom`: its verbs, errors and exit codes.

Data goes to standard output, messages to standard error. An error is one line that says what to do
next, never a traceback. Exit codes: see `zom.cli.outcome`.
"""

from __future__ import annotations

import argparse
import os
import re
import sys
import warnings
from importlib import import_module
from io import StringIO
from typing import TYPE_CHECKING, Any, NoReturn, TextIO, cast

from zom import __version__
from zom.cli.outcome import INTERNAL, UNREADABLE, USAGE, CommandError, command_error, note_verb
from zom.cli.printing import UnwritableOutputError, flush_output, guarded, say_data, tell
from zom.cli.terminal import help_width, show_as_ascii, use_colours
from zom.cli.verbs import VERBS
from zom.errors import PluginWarning, SpecWarning, ZomError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

__all__ = ["at_work", "interrupted_words", "main", "parser_of", "reads_documents"]

_OTHER_NAMES = {"check": "validate"}
"""Other names of verbs."""

_EPILOG = """\
PLACE is a document or a store:
  FILE        a hierarchy as one document, or a document of a store: zarr.json, .zarray, .zgroup, ...
  -           such a document on standard input
  DIRECTORY   a store; zip files, SQLite files and kerchunk references are stores, too
  URL         a store: https://, s3://, gs://, az://, file://
  STORE::a/b  the node at /a/b in a store

a power cut can lose data that the system has not yet written to disk: run sync

exit codes: 0 success, 1 problems or differences found, 2 wrong usage, 3 something can't be read or
written, 4 an internal error of zom"""


_OPTION = re.compile("--[A-Za-z][A-Za-z-]*")


class _Formatter(argparse.HelpFormatter):
    """Help as wide as the terminal; argparse makes one formatter per argument."""

    def __init__(self, prog: str, **layout: Any) -> None:
        super().__init__(prog, width=help_width(), **layout)


class _VerbsFormatter(_Formatter, argparse.RawDescriptionHelpFormatter):
    """Keeps the epilog as written, and leaves room for the longest verb before its help."""

    def __init__(self, prog: str) -> None:
        super().__init__(prog, max_help_position=17)
        self._action_max_length = 15  # argparse forgets that verbs are indented twice


class _Parser(argparse.ArgumentParser):
    """A parser with one-line errors."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **{"formatter_class": _Formatter, **options, "allow_abbrev": False})
        # From Python 3.14 on, argparse colours help itself, and ignores --color.
        self.color = False
        about = "show tracebacks of errors"
        self.add_argument("--debug", action="store_true", default=argparse.SUPPRESS, help=about)
        colours = "use colours: on terminals unless NO_COLOR is set (the default), always, or never"
        self.add_argument(
            "--color", choices=["auto", "always", "never"], default=argparse.SUPPRESS, help=colours
        )
        quiet = "print only data and errors: no summary, no progress"
        self.add_argument("-q", "--quiet", action="store_true", default=argparse.SUPPRESS, help=quiet)

    def offer_json(self) -> None:
        """Add `--format` to a verb, or its own verbs, without one."""
        choices: list[Any] = [action.choices for action in self._actions]
        inner = [cast("dict[str, _Parser]", each) for each in choices if isinstance(each, dict)]
        for parsers in inner:
            for parser in dict.fromkeys(parsers.values()):
                parser.offer_json()
        if not inner and all(action.dest != "format" for action in self._actions):
            about = "output format; json prints one object for programs"
            self.add_argument("--format", choices=["text", "json"], default="text", help=about)

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:  # pyright: ignore[reportIncompatibleMethodOverride] - it has overloads
        """Parse as argparse does, but let the verb's parser, not `zom`, report unknown words."""
        words: list[str] = [*(sys.argv[1:] if args is None else args)]
        if self._subparsers is None:
            self.refuse_unknown(words)
        found, left = super().parse_known_args(words, namespace)
        if left:
            more = f" and {len(left) - 1} more" if len(left) > 1 else ""
            kind = "unknown option" if left[0].startswith("-") else "unexpected argument"
            self.error(f"{kind} {left[0]!r}{more}")
        return found, left

    def refuse_unknown(self, words: Sequence[str]) -> None:
        """End with an error if a word is an unknown option, whatever else is missing."""
        for word in words:
            if word == "--":
                return
            self._refuse_place(word)
            name = word.partition("=")[0]
            if _OPTION.fullmatch(name) and name not in self._option_string_actions:
                self.error(f"unknown option {name!r}{_near(name, self._option_string_actions)}")

    def _refuse_place(self, word: str) -> None:
        """End with an error if a word that looks like an option is the name of an existing file."""
        if word[:1] != "-" or word == "-" or word[:2] in self._option_string_actions or word.startswith("--"):
            return
        if "\0" not in word and os.path.lexists(word.partition("::")[0]):
            self.error(f"{word!r} looks like an option; to name the file, write {f'./{word}'!r}")

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        """Report a value that is none of the choices."""
        choices = None if action.choices is None else [*action.choices]
        if choices is None or value in choices:
            return
        if action.metavar == "VERB":
            self.error(f"unknown verb {value!r}{_near(value, choices)}")
        text = f"expected one of {', '.join(map(str, choices))}, found {value!r}{_near(value, choices)}"
        raise argparse.ArgumentError(action, text)

    def _print_message(self, message: str, file: Any = None) -> None:
        """As in argparse, but report write errors, which argparse ignores."""
        if file is sys.stdout:
            say_data(message, end="")
        else:
            super()._print_message(message, file)

    def error(self, message: str) -> NoReturn:
        tell(f"{self.prog}: {message}{'' if message.endswith('?') else ';'} see {self.prog} --help")
        sys.exit(USAGE)


def _module(verb: str) -> Any:
    return import_module(f"zom.cli.{verb}")


def parser_of(verbs: Iterable[str] = VERBS) -> argparse.ArgumentParser:
    """The parser of the command with these verbs; calling one verb imports no other's module.

    >>> parser_of(["tree"]).parse_args(["tree", "a.zarr"]).place
    'a.zarr'
    """
    parser = _Parser(
        prog="zom",
        description="Describe, create, validate, compare and copy Zarr hierarchies.",
        epilog=_EPILOG,
        formatter_class=_VerbsFormatter,
    )
    parser.add_argument("--version", action="version", version=f"zom {__version__}")
    # Without `prog`, argparse would ask for the terminal width to format a usage that nothing prints.
    added = parser.add_subparsers(
        prog="zom", title="verbs", metavar="VERB", dest="verb", required=True, parser_class=_Parser
    )
    for name in verbs:
        verb = _module(name)
        about = VERBS[name]
        others = [other for other, verb_name in _OTHER_NAMES.items() if verb_name == name]
        inner = added.add_parser(
            name, help=about, description=f"{about[0].upper()}{about[1:]}.", aliases=others
        )
        inner.set_defaults(verb=name)
        verb.declare(inner)
        inner.offer_json()
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Run `zom` with `arguments`, by default those of the process, and return the exit code.

    >>> main(["explain", "json/duplicate-key"])  # doctest: +ELLIPSIS
    json/duplicate-key
    ...
    0
    """
    show_as_ascii()
    with guarded():
        return _ended(sys.argv[1:] if arguments is None else arguments)


def _ended(given: Sequence[str]) -> int:
    """Run the command, and return the usual exit codes for a closed pipe and for Ctrl-C."""
    try:
        with warnings.catch_warnings():
            # Read whatever is readable: `zom validate` reports its problems.
            warnings.simplefilter("ignore", SpecWarning)
            warnings.showwarning = _show_warning
            code = _run(given)
            flush_output()
            return code
    except BrokenPipeError:
        _stop_printing()
        return 141
    except UnwritableOutputError as error:
        _stop_printing()
        verb = _verb_in(given)
        tell(
            f"zom{f' {verb}' if verb else ''}: standard output: cannot write: {error}; the output is incomplete"
        )
        return UNREADABLE
    except KeyboardInterrupt:
        # A terminal shows ^C on the current line.
        if sys.stderr.isatty():
            tell()
        tell(interrupted_words(given))
        return 130


class _Work:
    """Whether a verb is running, so that Ctrl-C may leave something to undo; see `zom.cli.start`."""

    is_on = False

    def __enter__(self) -> None:
        self.is_on = True

    def __exit__(self, *_: object) -> None:
        self.is_on = False


at_work = _Work()


def _stop_printing() -> None:
    """Drop output after the reader has gone, so that the interpreter doesn't complain when it flushes."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except OSError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def _show_warning(  # noqa: PLR0913, PLR0917 - as `warnings.showwarning` is called
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    file: TextIO | None = None,
    line: str | None = None,
) -> None:
    """Print a PluginWarning as one line, and other warnings as Python shows them."""
    if issubclass(category, PluginWarning):
        tell(f"zom: warning: {message}")
    else:
        for each in warnings.formatwarning(message, category, filename, lineno, line).splitlines():
            tell(each, stream=file)


def _verb_in(arguments: Sequence[str]) -> str:
    """The verb in the arguments, or an empty string."""
    before = ("", *arguments)
    words = (each for last, each in zip(before, arguments, strict=False) if last != "--color")
    named = next((each for each in words if not each.startswith("-")), "")
    return _OTHER_NAMES.get(named, named)


_WRITERS = frozenset(VERBS) & {
    "consolidate", "create", "delete", "migrate", "rename", "resize", "repair"
}  # fmt: skip
_RESUMED = frozenset({"copy", "pyramid"})


def interrupted_words(arguments: Sequence[str]) -> str:
    """The message after Ctrl-C, with the next step.

    >>> interrupted_words(["tree", "a.zarr"])
    'zom tree: interrupted'
    """
    verb = _verb_in(arguments)
    if verb in _WRITERS:
        return f"zom {verb}: interrupted; run zom repair STORE to finish or undo the interrupted change"
    if verb in _RESUMED:
        return f"zom {verb}: interrupted; run it again to continue or restart"
    return f"zom {verb}: interrupted" if verb in VERBS else "zom: interrupted"


_READERS_OF_DOCUMENTS = frozenset(VERBS) & {
    "codegen", "completion", "diff", "dingus", "doctor", "explain", "info", "plan", "rules", "schema", "tree", "validate"
}  # fmt: skip


def reads_documents(arguments: Sequence[str]) -> bool:
    """Whether the command only reads documents: no chunks, and no writes.

    >>> reads_documents(["validate", "a.zarr"]), reads_documents(["validate", "--data=all", "a.zarr"])
    (True, False)
    """
    verb = _verb_in(arguments)
    return (not verb or verb in _READERS_OF_DOCUMENTS) and not any(
        each.startswith("--data") for each in arguments
    )


def _run(arguments: Sequence[str]) -> int:
    verb = _verb_in(arguments)
    try:
        found = _parsed(verb, arguments)
        note_verb(found.verb)
        use_colours(getattr(found, "color", "auto"))
        return _called(found)
    except SystemExit as end:
        return end.code if isinstance(end.code, int) else USAGE
    except CommandError as error:
        return _told(verb, error, arguments)
    except ZomError as error:
        return _told(verb, command_error(error), arguments)
    except (BrokenPipeError, UnwritableOutputError):
        raise
    except MemoryError as cause:
        what = f": {cause}" if str(cause) else ""
        return _told(
            verb,
            CommandError(f"out of memory{what}; free some, or read less at once", UNREADABLE),
            arguments,
        )
    except Exception as cause:  # noqa: BLE001 - an internal error of zom is one line, too
        if "--debug" in arguments:
            _print_traceback(cause)
        text = " ".join(f"{type(cause).__name__}: {cause}".split())[:300]
        hint = "please report it with the output of the same command with --debug"
        tell(f"zom: internal error: {text}; {hint}")
        return INTERNAL


def _called(found: argparse.Namespace) -> int:
    """Run the verb; quietly, or with its output in an envelope, if requested."""
    from contextlib import ExitStack, redirect_stderr  # noqa: PLC0415 - --help needs none of it

    from zom.cli.envelope import has_envelope, in_envelope  # noqa: PLC0415 - as above

    module = _module(found.verb)
    with at_work, ExitStack() as stack:
        if getattr(found, "quiet", False):
            found.progress = False
            stack.enter_context(redirect_stderr(StringIO()))
        if has_envelope(found):
            return in_envelope(found, module.run)
        code: int = module.run(found)
    return code


def _parsed(verb: str, arguments: Sequence[str]) -> argparse.Namespace:
    verbs = [each for each in VERBS if not verb or each == verb]
    parser: Any = parser_of(verbs)
    before = next((at for at, word in enumerate(arguments) if not word.startswith("-")), len(arguments))
    parser.refuse_unknown(arguments[:before])
    if not verbs:
        raise CommandError(_unknown(verb), USAGE)
    return cast("argparse.Namespace", parser.parse_args(arguments))


def _told(verb: str, error: CommandError, arguments: Sequence[str]) -> int:
    if "--debug" in arguments:
        _print_traceback(error.__cause__ or error)
    first, *more = error.lines
    tell(f"zom {verb}: {first}" if verb in VERBS else f"zom: {first}")
    for line in more:
        tell(line)
    return error.code


def _print_traceback(error: BaseException) -> None:
    import traceback  # noqa: PLC0415 - only on request

    for line in "".join(traceback.format_exception(error)).splitlines():
        tell(line)


def _unknown(verb: str) -> str:
    return f"unknown verb {verb!r}{_near(verb, VERBS) or '; run zom --help for the list'}"


def _near(word: str, known: Iterable[Any]) -> str:
    """A "did you mean" clause for a known word near to `word`, or an empty string."""
    from difflib import get_close_matches  # noqa: PLC0415 - only on errors

    near = get_close_matches(word, [*map(str, known)], 1)
    return f"; did you mean {near[0]!r}?" if near else ""
