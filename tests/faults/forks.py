"""Tasks in forks of this process: what they return, or how they ended."""

from __future__ import annotations

import json
import os
import signal
import time
import traceback

LONGEST = 60
"""How many seconds a task may take before it counts as hanging."""


class Ended(Exception):
    """A fork that didn't return: by which signal, or "hang", or the trace of its error.

    It is "late" where an interrupt came when the task had ended.
    """

    def __init__(self, how):
        super().__init__(str(how))
        self.how = how


def fork(task, *, quiet=False, interrupt=None):
    """What `task` returns in a process of its own, as JSON; `Ended` where it returns nothing.

    `interrupt` is a signal and after how many seconds from the start of the task it is sent.
    """
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reader)
        _run(task, writer, quiet=quiet)
    os.close(writer)
    if interrupt is not None:
        os.read(reader, 1)
        time.sleep(interrupt[1])
        os.kill(child, interrupt[0])
    with os.fdopen(reader, "rb") as pipe:
        text = pipe.read()
    _, status = os.waitpid(child, 0)
    if os.WIFSIGNALED(status):
        number = os.WTERMSIG(status)
        raise Ended("hang" if number == signal.SIGALRM else number)
    if not text.strip():
        raise Ended("late" if interrupt else "without a word")
    found = json.loads(text)
    if "trace" in found:
        raise Ended("late" if found["interrupted"] else found["trace"])
    return found["value"]


def _run(task, writer, *, quiet):
    try:
        _tell(task, writer, quiet=quiet)
    finally:
        os._exit(0)  # an interrupt that comes late must not go on with what the parent does


def _tell(task, writer, *, quiet):
    try:
        if quiet:
            os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.alarm(LONGEST)
        os.write(writer, b" ")  # the task begins
        found = {"value": task()}
    except BaseException as error:  # whatever it is, the parent is told
        found = {"trace": traceback.format_exc(), "interrupted": isinstance(error, KeyboardInterrupt)}
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with os.fdopen(writer, "wb") as pipe:
        pipe.write(json.dumps(found).encode())
