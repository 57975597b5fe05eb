"""The start of the command: Ctrl-C ends it with 130 and a line, at any moment of the process.

While a verb works, Ctrl-C is Python's KeyboardInterrupt, and what is half done is undone. Before and after, and while a
module is imported, there is nothing to undo: Python would print a traceback there, take the exception for a fault of the
module, or end by the signal. The process is left at once. What arrives inside of a `__del__`, where Python would drop it,
is heard a moment later, where the system has timers. When all is done, and the interpreter only takes itself down,
Ctrl-C changes nothing any more.

A process that only reads documents is short: Python need not look for cycles again and again while modules are imported,
nor once more when it ends. One that reads or writes chunks is left as it is, for a cycle may hold a large buffer.

It imports nothing, so that there is hardly a moment before it.
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
"""How many seconds later Ctrl-C is tried again where it can't be heard."""

_COLLECTED_EACH = 200_000
"""How many objects more there are before Python looks for cycles, where documents are read; it is 700 or 2,000 otherwise."""

# The functions of `signal` without its enumerations, which take a while.
_signal: Any = __import__("_signal")


def _interrupted(_number: int, _frame: FrameType | None) -> None:
    """Handle Ctrl-C, in a process that is the command."""
    main = sys.modules.get("zom.cli.main")
    work = getattr(main, "at_work", None)
    # The frame that is given is that of a moment ago where the signal was held back.
    here = sys._getframe()  # noqa: SLF001 # pyright: ignore[reportPrivateUsage] - no other way
    if work is not None and work.is_on and not _is_importing(here):
        if _is_in_finalizer(here) and hasattr(_signal, "setitimer"):
            # Python prints what is raised there, and goes on: it is raised a moment later.
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
    """End the process now, with a line that says so."""
    import os  # noqa: PLC0415 - the interpreter has it already

    told = "zom: interrupted" if words is None else words(sys.argv[1:])
    # A terminal shows ^C on the line that it is on.
    line = f"{chr(10) if os.isatty(2) else ''}{told}\n"
    try:
        os.write(2, line.encode("ascii", "replace"))
    finally:
        os._exit(INTERRUPTED)


def heed() -> bool:
    """Take Ctrl-C over from Python, unless the process was told to ignore it, or others handle it; whether it is."""
    if _signal.getsignal(_signal.SIGINT) is _signal.default_int_handler:
        _signal.signal(_signal.SIGINT, _interrupted)
    return _signal.getsignal(_signal.SIGINT) is _interrupted


def open_streams() -> None:
    """Open the null device where the process was given no standard input, output or error.

    A file that is opened later would get the number of such a stream, and what a library prints would go into it.
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
    """The exit code of the command, as the process was called."""
    is_heeded = heed()
    open_streams()
    import atexit  # noqa: PLC0415 - after the interrupts are heeded
    import gc  # noqa: PLC0415 - as above
    import os  # noqa: PLC0415 - as above

    # What is registered first is called last: then nothing is left but the interpreter's own end.
    if is_heeded:
        atexit.register(_signal.signal, _signal.SIGINT, _signal.SIG_IGN)
    # Nobody watches the models of the command; to look for plugins that would, pydantic opens a file of every package.
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
