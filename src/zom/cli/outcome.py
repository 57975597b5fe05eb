"""Exit codes of the command, and its errors: one line with a next step."""

from __future__ import annotations

from contextvars import ContextVar
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    import re

    from zom.errors import ZomError
    from zom.problems import Problem

__all__ = [
    "CLEAN",
    "FINDINGS",
    "INTERNAL",
    "UNREADABLE",
    "USAGE",
    "CommandError",
    "command_error",
    "few",
    "note_verb",
    "spoken",
]

CLEAN: Final = 0
"""No problems, no differences."""
FINDINGS: Final = 1
"""A document or store breaks rules, two of them differ, or a conflict prevents the request."""
USAGE: Final = 2
"""Wrong usage of the command."""
UNREADABLE: Final = 3
"""A document or store can't be read or written, or is neither."""
INTERNAL: Final = 4
"""An internal error of zom."""


class CommandError(Exception):
    """An error that ends a command, with a line for the user and the exit code.

    >>> CommandError("no such rule", USAGE).code
    2
    """

    def __init__(self, message: str, code: int, *more: str) -> None:
        self.code = code
        self.lines = (message, *more)
        """The lines to print; more than one if `more` is given."""
        super().__init__("\n".join(self.lines))

    def __reduce__(self) -> tuple[type[CommandError], tuple[str, int]]:
        """Support for pickling, to send it to another process."""
        return CommandError, (str(self), self.code)


def command_error(error: ZomError, name: str = "", url: str = "") -> CommandError:
    """The CommandError for an error of the library; `url` is shown as the user typed it, `name`.

    >>> from zom.errors import StoreError
    >>> print(command_error(StoreError("/data/a.zarr", "t/c/0", "read", "permission denied"), "a.zarr", "/data/a.zarr"))
    a.zarr: cannot read 't/c/0': permission denied; check the permissions of it and of the directories above it
    """
    import re  # noqa: PLC0415 - slow to import

    from zom import errors  # noqa: PLC0415 - slow to import

    def repair(_: re.Match[str]) -> str:
        return f"zom repair {name or 'STORE'}"

    if isinstance(error, (errors.SpecError, errors.ConversionError)):
        first, more = few(error.problems)
        subject = name or error.subject
        where = f"{subject}/{first.key}" if first.key else subject
        step = _unless_run(f"see zom validate {subject}") if isinstance(error, errors.SpecError) else ""
        return CommandError(spoken(f"{where}: {first}{more}{step}"), UNREADABLE)
    if isinstance(error, errors.ConflictError):
        first, more = few(error.problems)
        shown = re.sub(r"\bzom repair\b", repair, spoken(f"{first}{more}"))
        return CommandError(f"{name or error.subject}: {shown}", FINDINGS)
    text = spoken(" ".join(str(error).split()))
    if name and url and text.startswith(url):
        text = f"{name}{text.removeprefix(url)}"
    text = re.sub(r"\bzom repair$", repair, text)
    step = _next_step(error, text, name or "STORE")
    return CommandError(f"{text}{step}", USAGE if isinstance(error, errors.PathError) else UNREADABLE)


def spoken(text: str) -> str:
    """A message of the library, with the command's verbs and options for functions and parameters.

    >>> spoken("ask for on_conflict='replace', or undo it with zom.repair")
    'ask for --on-conflict replace, or undo it with zom repair'
    """
    import re  # noqa: PLC0415 - slow to import

    text = re.sub(r"\bsee zom\.open_group$", "name an array in it, as STORE::a/b", text)
    text = re.sub(r"\bsee zom\.open_array$", "name a group", text)
    axes = "name them so with --axes, or pass --convention multiscales, which takes any name"
    text = re.sub(r"\bpass its type: types=.*", axes, text)
    text = re.sub(r"\b(on_conflict|consolidated|level)=(['\"])(\w+)\2", _option, text)
    return re.sub(r"\bzom\.(check|consolidate|copy|migrate|read|repair)\b", r"zom \1", text)


def _option(found: re.Match[str]) -> str:
    return f"--{found[1].replace('_', '-')} {found[3]}"


def few(problems: tuple[Problem, ...]) -> tuple[Problem, str]:
    """The first problem, with errors before all others, and the number of further ones."""
    shown = [problem for problem in problems if problem.severity == "error"] or list(problems)
    return shown[0], f", and {len(shown) - 1} more" if len(shown) > 1 else ""


def _next_step(error: ZomError, text: str, store: str) -> str:
    """The next step if the library's error doesn't name one."""
    from zom import errors  # noqa: PLC0415 - slow to import

    step = ""
    if isinstance(error, errors.NotFound) and ("no document at the path" in text or "store is empty" in text):
        step = "name a place that holds Zarr documents, such as zarr.json, .zgroup or .zarray"
    elif "; " in text or "zom repair" in text:
        pass
    elif isinstance(error, errors.NotFound):
        step = f"run zom tree {store} to see the nodes"
    elif isinstance(error, errors.PathError):
        step = "name a node as STORE::a/b"
    return _unless_run(step) if step else ""


_running = ContextVar("_running", default="")


def note_verb(verb: str) -> None:
    """Store which verb runs, so that messages don't suggest to run it."""
    _running.set(verb)


def _unless_run(step: str) -> str:
    """The next step, unless it is the running command."""
    verb = _running.get()
    return "" if verb and f"zom {verb} " in step else f"; {step}"
