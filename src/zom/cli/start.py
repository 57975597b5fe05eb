"""The start of the command: Ctrl-C ends it with exit code 130 and a line, at any moment of the process.

While a verb works, Ctrl-C raises KeyboardInterrupt, and unfinished work is undone. Before and after, and
while a module is imported, there is nothing to undo: Python would print a traceback, take the exception for
an error of the module, or end by the signal. So the process exits at once. Within a `__del__`, where Python
would drop the exception, it is raised a moment later, if the system has timers. While the interpreter shuts
down, Ctrl-C is ignored.

A process that only reads documents is short: the garbage collector needn't run while modules are imported,
nor at exit. If chunks are read or written, it runs as usual, since a cycle may hold a large buffer.

It imports nothing, so that hardly any time passes before it.
"""

from __future__ import annotations

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from types import FrameType
    from typing import Any

__all__ = ["heed", "open_streams", "start"]

INTERRUPTED = 130
_MOMENT = 0.01
"""Seconds after which Ctrl-C is tried again if it can't be raised."""

_COLLECTED_EACH = 200_000
"""Allocated objects per garbage collection while documents are read; otherwise 700 or 2,000."""

# The functions of `signal` without its enumerations, which are slow to import.
_signal: Any = __import__("_signal")


def _interrupted(_number: int, _frame: FrameType | None) -> None:
    """Handle Ctrl-C in the command's own process."""
    main = sys.modules.get("zom.cli.main")
    work = getattr(main, "at_work", None)
    # If the signal was held back, the given frame is outdated.
    here = sys._getframe()  # noqa: SLF001 # pyright: ignore[reportPrivateUsage] - no other way
    if work is not None and work.is_on and not _is_importing(here):
        if _is_in_finalizer(here) and hasattr(_signal, "setitimer"):
            # Python prints an exception raised there, and goes on: raise it a moment later.
            _signal.signal(_signal.SIGALRM, _interrupted)
            _signal.setitimer(_signal.ITIMER_REAL, _MOMENT)
            return
        raise KeyboardInterrupt
    _leave(getattr(main, "interrupted_words", None))


def _is_importing(frame: FrameType | None) -> bool:
    while frame is not None:
        if frame.f_code.co_filename == "<frozen importlib._bootstrap>":
            return True
        frame = frame.f_back
    return False


def _is_in_finalizer(frame: FrameType | None) -> bool:
    while frame is not None:
        if frame.f_code.co_name == "__del__":
            return True
        frame = frame.f_back
    return False


def _leave(words: Callable[[Sequence[str]], str] | None) -> None:
    """End the process now, with a line of text."""
    import os  # noqa: PLC0415 - the interpreter has it already

    told = "zom: interrupted" if words is None else words(sys.argv[1:])
    # A terminal shows ^C on the current line.
    line = f"{chr(10) if os.isatty(2) else ''}{told}\n"
    try:
        os.write(2, line.encode("ascii", "replace"))
    finally:
        os._exit(INTERRUPTED)


def heed() -> bool:
    """Handle Ctrl-C here, unless it is ignored or others handle it; return whether it is handled here."""
    if _signal.getsignal(_signal.SIGINT) is _signal.default_int_handler:
        _signal.signal(_signal.SIGINT, _interrupted)
    return _signal.getsignal(_signal.SIGINT) is _interrupted


def open_streams() -> None:
    """Open the null device for missing standard input, output or error.

    Otherwise, a file opened later could get the number of such a stream, and the output of libraries with it.
    """
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        if getattr(sys, name) is None:
            import os  # noqa: PLC0415 - the interpreter has it already

            made = os.open(os.devnull, os.O_RDWR)
            if made != number:
                os.dup2(made, number)
                os.close(made)
            stream = open(number, "r" if number == 0 else "w", encoding="utf-8", closefd=False)  # noqa: SIM115 - it lives as long as the process
            setattr(sys, name, stream)


def start() -> int:
    """Run the command with the arguments of the process, and return its exit code."""
    is_heeded = heed()
    open_streams()
    import atexit  # noqa: PLC0415 - after Ctrl-C is handled
    import gc  # noqa: PLC0415 - as above
    import os  # noqa: PLC0415 - as above

    # Registered first, so called last: only the interpreter's own shutdown follows.
    if is_heeded:
        atexit.register(_signal.signal, _signal.SIGINT, _signal.SIG_IGN)
    # The command's models need no plugins; to look for some, pydantic opens a file of every package.
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")
    usual = gc.get_threshold()
    gc.set_threshold(_COLLECTED_EACH)
    from zom.cli.later import import_later  # noqa: PLC0415 - as above

    import_later("importlib.metadata", ("entry_points",))
    import_later("secrets")
    from zom.cli.main import main, reads_documents  # noqa: PLC0415 - as above

    if not reads_documents(sys.argv[1:]):
        gc.set_threshold(*usual)
        return main()
    code = main()
    gc.freeze()
    return code
